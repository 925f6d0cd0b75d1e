/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose collectives do not wait. What the ranks agree on in the background must change
   what runs at the same call on all of them, and no call may wait for another rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/resource.h>

#include "support/threads.h"

enum { CALLS = 1000, AHEAD = 700, LENGTH = 4 };

static void sum(MPI_Comm comm, int call) {
  const int size = check_size(comm);
  int in[LENGTH], out[LENGTH];
  MPI_Request request;
  check_fill(in, LENGTH, check_rank(comm) + call, 1);
  MPI_Iallreduce(in, out, LENGTH, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(check_run(out, LENGTH, size * (size - 1) / 2 + size * call, size));
}

static void sums(MPI_Comm comm, int calls) {
  for (int i = 0; i < calls; ++i) sum(comm, i);
}

/* A root need not wait for anybody: it is many calls ahead, and the others only begin when it says
   so. */
static void ahead(MPI_Comm comm, int root) {
  static int data[AHEAD][LENGTH];
  MPI_Request requests[AHEAD];
  const int rank = check_rank(comm);
  int word = 0;
  if (rank != root) MPI_Recv(&word, 1, MPI_INT, root, 1, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < AHEAD; ++i) {
    check_fill(data[i], LENGTH, rank == root ? i : -1, 1);
    MPI_Ibcast(data[i], LENGTH, MPI_INT, root, comm, &requests[i]);
  }
  for (int r = 0; rank == root && r < check_size(comm); ++r) {
    if (r != root) MPI_Send(&word, 1, MPI_INT, r, 1, comm);
  }
  MPI_Waitall(AHEAD, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < AHEAD; ++i) CHECK(check_run(data[i], LENGTH, i, 1));
}

/* Communicators that end after `rest`, which begins at any time. */
static void at_any_time(void (*rest)(MPI_Comm comm, int calls)) {
  for (int calls = 254; calls < 266; ++calls) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    sums(comm, calls);
    rest(comm, calls);
    MPI_Comm_free(&comm);
  }
}

static void nothing(MPI_Comm comm, int calls) {
  (void)comm;
  (void)calls;
}

/* Blocking calls, in which the ranks agree. */
static void interrupted(MPI_Comm comm, int calls) {
  MPI_Barrier(comm);
  sums(comm, 300);
  MPI_Barrier(comm);
  ahead(comm, calls % check_size(comm));
}

/* The program changes the settings. */
static void forced(MPI_Comm comm, int calls) {
  union {
    void* found;
    int (*call)(const char*);
  } force = {dlsym(RTLD_DEFAULT, "roundelay_force")};
  CHECK(force.found != NULL);
  if (force.found == NULL) return;
  CHECK(force.call(calls % 2 ? "allreduce=ring" : "allreduce=recursive_doubling") == 0);
  sums(comm, 300);
  MPI_Barrier(comm);
  sums(comm, 300);
}

static void* in_thread(void* comm) {
  sums(*(MPI_Comm*)comm, CALLS);
  return NULL;
}

/* Several threads, each with a communicator of its own. */
static void threads(void) {
  enum { number = 3 };
  MPI_Comm comms[number];
  for (int i = 0; i < number; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  check_in_threads(in_thread, comms, number, sizeof comms[0]);
  for (int i = 0; i < number; ++i) MPI_Comm_free(&comms[i]);
}

/* Between two groups nothing is agreed on in the background. */
static void between(void) {
  MPI_Comm half, both;
  const int rank = check_rank(MPI_COMM_WORLD), low = rank % 2 == 0;
  MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low, 1, &both);
  for (int i = 0; i < CALLS; ++i) {
    int mine = rank, sum = 0, theirs = 0;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, both, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = low; r < check_size(MPI_COMM_WORLD); r += 2) theirs += r;
    CHECK(sum == theirs);
  }
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

/* Some that are not freed. */
static void left(void) {
  for (int calls = 255; calls < 259; ++calls) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    sums(comm, calls);
  }
}

int main(int argc, char** argv) {
  const char* what = argv[1];
  if (strcmp(what, "threads") == 0) {
    check_init_threads(&argc, &argv);
    threads();
    return check_end();
  }
  MPI_Init(&argc, &argv);
  /* A rank that may write no file of that size cannot share memory. */
  if (argc > 2 && check_rank(MPI_COMM_WORLD) == 1) {
    const struct rlimit little = {.rlim_cur = 4096, .rlim_max = 4096};
    setrlimit(RLIMIT_FSIZE, &little);
  }
  if (strcmp(what, "only") == 0) sums(MPI_COMM_WORLD, CALLS);
  if (strcmp(what, "after") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    sums(MPI_COMM_WORLD, CALLS);
  }
  if (strcmp(what, "ahead") == 0) {
    for (int root = 0; root < check_size(MPI_COMM_WORLD); ++root) {
      ahead(MPI_COMM_WORLD, root);
      sums(MPI_COMM_WORLD, 3);
    }
  }
  if (strcmp(what, "interrupted") == 0) at_any_time(interrupted);
  if (strcmp(what, "forced") == 0) at_any_time(forced);
  if (strcmp(what, "freed") == 0) at_any_time(nothing);
  if (strcmp(what, "between") == 0) between();
  if (strcmp(what, "left") == 0) left();
  return check_end();
}
