/* SPDX-License-Identifier: Apache-2.0 */
/* For the small programs with threads. */
#pragma once

#include <pthread.h>

#include "support/check.h"

/* Ends the program where the MPI library has no MPI_THREAD_MULTIPLE. */
static inline void check_init_threads(int* argc, char*** argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    puts("not provided");
    exit(check_end());
  }
}

/* Calls work(&items[i]) for each of the items, of `size` bytes, in a thread of its own. */
static inline void check_in_threads(void* (*work)(void*), void* items, int count, size_t size) {
  enum { most = 8 };
  pthread_t ids[most];
  CHECK(count <= most);
  for (int i = 0; i < count && i < most; ++i) {
    pthread_create(&ids[i], NULL, work, (char*)items + (size_t)i * size);
  }
  for (int i = 0; i < count && i < most; ++i) pthread_join(ids[i], NULL);
}
