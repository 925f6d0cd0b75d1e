// SPDX-License-Identifier: Apache-2.0
// MPI_Neighbor_alltoallv by the MPI library, by each of Roundelay's algorithms and by what it
// chooses, in turn in one job. Each has a communicator of its own. The lengths of the blocks are
// from half of BYTES to 1.5 times as many.
//
//   halo random14 | torus BYTES CALLS REPETITIONS
//
//   mpicc -O2 bench/neighbours/halo.c -o halo -ldl
//   roundelay lab --nodes 2 --ranks-per-node 8 --preload -- ./halo random14 1024 20 15
//
// random14: every rank sends to 14 others, drawn by a seed, or to all if there are fewer. torus:
// two dimensions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { sides = 4, drawn = 14, most = 1024, most_repetitions = 100, text_size = 128 };

// "" is what Roundelay chooses.
static const char* const names[sides] = {"native", "direct", "aggregated", "chosen"};
static const char* const forced[sides] = {"neighbor_alltoallv=native", "neighbor_alltoallv=direct",
                                          "neighbor_alltoallv=aggregated", ""};

static int rank, ranks, bytes;
static int (*force)(const char*);
static size_t (*last)(char*, size_t);

static struct {
  int in, out, from[most], to[most];
  int sent[most], sent_at[most], received[most], received_at[most];
} all;
static char *given, *result;

static void fail(const char* text) {
  fprintf(stderr, "halo: %s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned long long state = 1;
static int draw(int sides_of_die) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((state >> 33) % (unsigned long long)sides_of_die);
}

static void find_random_neighbours(void) {
  static int others[most];
  for (int r = 0; r < ranks; ++r) {
    int count = 0;
    for (int i = 0; i < ranks; ++i) {
      if (i != r) others[count++] = i;
    }
    for (int i = 0; i < drawn && i < ranks - 1; ++i) {
      const int chosen = i + draw(count - i);
      const int peer = others[chosen];
      others[chosen] = others[i];
      if (r == rank) all.to[all.out++] = peer;
      if (peer == rank) all.from[all.in++] = r;
    }
  }
}

static void find_torus_neighbours(MPI_Comm* grid) {
  int lengths[2] = {0, 0}, periodic[2] = {1, 1};
  MPI_Dims_create(ranks, 2, lengths);
  MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periodic, 0, grid);
  for (int d = 0; d < 2; ++d) MPI_Cart_shift(*grid, d, 1, &all.to[2 * d], &all.to[2 * d + 1]);
  all.in = all.out = 4;
  memcpy(all.from, all.to, sizeof all.to);
}

static int length(int from, int to) { return bytes / 2 + (5 * from + 3 * to) % 8 * bytes / 7; }

static int place(int count, int* lengths, int* places) {
  int end = 0;
  for (int i = 0; i < count; ++i) {
    places[i] = end;
    end += lengths[i];
  }
  return end;
}

static char value(int from, int to) { return (char)(1 + 7 * from + to); }

// Seconds of a call on the slowest rank.
static double seconds(int side, int calls, MPI_Comm comm) {
  if (force(forced[side]) != 0) fail("Roundelay refuses what is to be forced");
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    MPI_Neighbor_alltoallv(given, all.sent, all.sent_at, MPI_CHAR, result, all.received,
                           all.received_at, MPI_CHAR, comm);
  }
  double taken = (MPI_Wtime() - start) / calls;
  PMPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken;
}

static void check(void) {
  for (int i = 0; i < all.in; ++i) {
    for (int k = 0; k < all.received[i]; ++k) {
      if (result[all.received_at[i] + k] != value(all.from[i], rank)) fail("wrong data");
    }
  }
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  *(void**)&force = dlsym(RTLD_DEFAULT, "roundelay_force");
  *(void**)&last = dlsym(RTLD_DEFAULT, "roundelay_last");
  if (argc != 5) fail("halo random14 | torus BYTES CALLS REPETITIONS");
  if (force == NULL || last == NULL) fail("Roundelay is not preloaded");
  bytes = atoi(argv[2]);
  const int calls = atoi(argv[3]);
  const int repetitions = atoi(argv[4]);
  if (ranks > most || bytes < 0 || calls < 1 || repetitions < 1 || repetitions > most_repetitions) {
    fail("a number is out of range");
  }
  const int on_torus = strcmp(argv[1], "torus") == 0;
  MPI_Comm comms[sides];
  if (on_torus) {
    find_torus_neighbours(&comms[0]);
  } else {
    find_random_neighbours();
    int weights[most] = {0};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, all.in, all.from, weights, all.out, all.to,
                                   weights, MPI_INFO_NULL, 0, &comms[0]);
  }
  for (int side = 1; side < sides; ++side) MPI_Comm_dup(comms[0], &comms[side]);
  for (int i = 0; i < all.out; ++i) all.sent[i] = length(rank, all.to[i]);
  for (int i = 0; i < all.in; ++i) all.received[i] = length(all.from[i], rank);
  given = malloc((size_t)place(all.out, all.sent, all.sent_at) + 1);
  result = malloc((size_t)place(all.in, all.received, all.received_at) + 1);
  for (int i = 0; i < all.out; ++i) {
    memset(given + all.sent_at[i], value(rank, all.to[i]), (size_t)all.sent[i]);
  }

  // Until the ranks have agreed on how long such calls are.
  const int warm_up = 300;
  double taken[sides][most_repetitions];
  char ran[sides][text_size];
  for (int side = 0; side < sides; ++side) {
    seconds(side, warm_up, comms[side]);
    last(ran[side], text_size);
    check();
  }
  for (int i = 0; i < repetitions; ++i) {
    for (int turn = 0; turn < sides; ++turn) {
      const int side = (i + turn) % sides;
      taken[side][i] = seconds(side, calls, comms[side]);
    }
  }
  if (rank == 0)
    printf("%s, %d bytes, %d ranks\nside        median us  of native  ran\n", argv[1], bytes,
           ranks);
  double native = 0;
  for (int side = 0; side < sides; ++side) {
    qsort(taken[side], (size_t)repetitions, sizeof(double), compare);
    const double median = taken[side][repetitions / 2];
    if (side == 0) native = median;
    if (rank == 0) {
      printf("%-10s %10.1f %10.2f  %s\n", names[side], 1e6 * median, median / native, ran[side]);
    }
    MPI_Comm_free(&comms[side]);
  }
  free(given);
  free(result);
  MPI_Finalize();
  return 0;
}
