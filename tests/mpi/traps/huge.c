/* SPDX-License-Identifier: Apache-2.0 */
/* More bytes than an int counts: bcast and allgather by a big type, allreduce by a big count. The
 * argument picks one of them. For two ranks; takes up to 9 GB. */
#include <stdint.h>

#include "support/check.h"

static const size_t chunk = 1 << 20;

/* Words that tell their place and origin, so that a shift by any distance is seen. */
static uint64_t word(int origin, size_t i) {
  return (uint64_t)(origin + 1) * 0x9E3779B97F4A7C15U + i;
}

static void fill(uint64_t* data, size_t words, int origin) {
  for (size_t i = 0; i < words; ++i) data[i] = word(origin, i);
}

static size_t wrong(const uint64_t* data, size_t words, int origin) {
  size_t count = 0;
  for (size_t i = 0; i < words; ++i) count += data[i] != word(origin, i);
  return count;
}

static void bcast(int rank, MPI_Datatype big) {
  const size_t chunks = 2200; /* 2.2 GiB */
  const size_t words = chunks * chunk / 8;
  uint64_t* data = malloc(chunks * chunk);
  if (rank == 1) fill(data, words, 1);
  if (rank == 0) memset(data, 0, chunks * chunk);
  CHECK(MPI_Bcast(data, (int)chunks, big, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(wrong(data, words, 1) == 0);
  free(data);
}

static void allgather(int rank, int size, MPI_Datatype big) {
  const size_t chunks = 2200;
  const size_t words = chunks * chunk / 8;
  uint64_t* all = malloc((size_t)size * chunks * chunk);
  fill(all + (size_t)rank * words, words, rank);
  CHECK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, (int)chunks, big, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  for (int r = 0; r < size; ++r) CHECK(wrong(all + (size_t)r * words, words, r) == 0);
  free(all);
}

static void allreduce(int rank, int size) {
  const size_t words = 2200 * chunk / 8;
  uint64_t* data = malloc(words * 8);
  for (size_t i = 0; i < words; ++i) data[i] = i * (uint64_t)(rank + 1);
  CHECK(MPI_Allreduce(MPI_IN_PLACE, data, (int)words, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  size_t bad = 0;
  for (size_t i = 0; i < words; ++i) bad += data[i] != i * (uint64_t)(size * (size + 1) / 2);
  CHECK(bad == 0);
  free(data);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  const char* what = argc > 1 ? argv[1] : "";
  MPI_Datatype big;
  MPI_Type_contiguous((int)chunk, MPI_BYTE, &big);
  MPI_Type_commit(&big);
  if (strcmp(what, "bcast") == 0) bcast(rank, big);
  if (strcmp(what, "allgather") == 0) allgather(rank, size, big);
  if (strcmp(what, "allreduce") == 0) allreduce(rank, size);
  MPI_Type_free(&big);
  return check_end();
}
