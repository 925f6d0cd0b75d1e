/* SPDX-License-Identifier: Apache-2.0 */
/* Sums whose bits depend on the order: every element of every result has the same operands. Rank 0
 * prints the bits that each collective has, which must be the same for all lengths, roots, blocks
 * and for data in place. */
#include <inttypes.h>
#include <stdint.h>

#include "support/check.h"

static int size, rank;

static double mine(void) {
  const double values[] = {1e16, 3.14159, -1e16, 1e-3, 7.77, 1.0 / 3, -2e15, 1e8};
  return values[rank % 8];
}

static double* filled(int count) {
  double* data = malloc(sizeof(double) * (size_t)(count > 0 ? count : 1));
  for (int i = 0; i < count; ++i) data[i] = mine();
  return data;
}

/* Adds to what is known of the bits of a collective: `seen` holds them once there are some. */
static void see(uint64_t* seen, const double* result, int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &result[i], sizeof bits);
    if (*seen == 0) *seen = bits;
    CHECK(bits == *seen);
  }
}

/* All ranks' results together. */
static void see_all(uint64_t* seen, const double* result, int count) {
  int* counts = malloc(sizeof(int) * (size_t)size);
  int* displacements = malloc(sizeof(int) * (size_t)size);
  MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
  int total = 0;
  for (int i = 0; i < size; ++i) {
    displacements[i] = total;
    total += counts[i];
  }
  double* all = malloc(sizeof(double) * (size_t)(total > 0 ? total : 1));
  MPI_Allgatherv(result, count, MPI_DOUBLE, all, counts, displacements, MPI_DOUBLE, MPI_COMM_WORLD);
  see(seen, all, total);
  free(all);
  free(counts);
  free(displacements);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size = check_size(MPI_COMM_WORLD);
  rank = check_rank(MPI_COMM_WORLD);
  uint64_t allreduce = 0, reduce = 0, reduce_scatter = 0, scan = 0, exscan = 0;
  const int lengths[] = {1, 2, 7, 1000, 40000};
  for (int l = 0; l < 5; ++l) {
    const int n = lengths[l];
    double* data = filled(n * size);
    double* result = filled(n * size);
    MPI_Allreduce(data, result, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    see_all(&allreduce, result, n);
    for (int root = 0; root < size; ++root) {
      MPI_Reduce(data, result, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      see_all(&reduce, result, rank == root ? n : 0);
    }
    memcpy(result, data, sizeof(double) * (size_t)n);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : data, result, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    see_all(&reduce, result, rank == 0 ? n : 0);
    MPI_Reduce_scatter_block(data, result, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    see_all(&reduce_scatter, result, n);
    int* counts = malloc(sizeof(int) * (size_t)size);
    for (int i = 0; i < size; ++i) counts[i] = i == 1 ? n : i % 2;
    MPI_Reduce_scatter(data, result, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    see_all(&reduce_scatter, result, counts[rank]);
    MPI_Scan(data, result, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    see(&scan, result, n);
    MPI_Exscan(data, result, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0) see(&exscan, result, n);
    free(counts);
    free(data);
    free(result);
  }
  /* The last rank has the longest scans. */
  uint64_t scans[2] = {scan, exscan};
  MPI_Bcast(scans, 2, MPI_UINT64_T, size - 1, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("bits %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", allreduce, reduce,
           reduce_scatter, scans[0], scans[1]);
  }
  return check_end();
}
