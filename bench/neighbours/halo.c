// SPDX-License-Identifier: Apache-2.0
// MPI_Neighbor_alltoallv by the MPI library, by each of Roundelay's algorithms and by what it
// chooses, in turn in one job. Each has a communicator of its own. The lengths of the blocks are
// from half of BYTES to 1.5 times as many. With "even" it is MPI_Neighbor_alltoall, and all blocks
// are of BYTES. With "persistent" too, and it is MPI_Neighbor_alltoall_init, which is not counted,
// MPI_Start and MPI_Wait. With "computes" it is the same, and between these two every rank computes
// for as long as they take natively without.
//
//   halo GRAPH BYTES CALLS REPETITIONS [even | persistent | computes]
//
//   mpicc -O2 bench/neighbours/halo.c -o halo -ldl
//   roundelay lab --nodes 2 --ranks-per-node 8 --preload -- ./halo random14 1024 20 15
//
// GRAPH: random14, every rank sends to 14 others, drawn by a seed, or to all if there are fewer;
// grid, torus, two dimensions without and with edges around; corners2, corners3, a torus of so many
// dimensions, and the neighbours across corners, too. What is sent is written before each call,
// which is not timed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../computation.h"
#include "../median.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#if OMPI_MAJOR_VERSION < 5
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif
#endif

enum { sides = 5, drawn = 14, most = 1024, most_repetitions = 100, text_size = 128 };

static const char* const names[sides] = {"native", "direct", "aggregated", "combined", "chosen"};
static const int aggregated = 2, chosen = sides - 1;

static int rank, ranks, bytes, even, persistent;
static long additions; /* beside each call */
static int (*force)(const char*);
static size_t (*last)(char*, size_t);
static char ran[sides][text_size]; /* by side, and why */

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

static void find_grid_neighbours(int around, MPI_Comm* grid) {
  int lengths[2] = {0, 0}, periodic[2] = {around, around};
  MPI_Dims_create(ranks, 2, lengths);
  MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periodic, 0, grid);
  for (int d = 0; d < 2; ++d) MPI_Cart_shift(*grid, d, 1, &all.to[2 * d], &all.to[2 * d + 1]);
  all.in = all.out = 4;
  memcpy(all.from, all.to, sizeof all.to);
}

// All that are no more than one step away in each dimension.
static void find_neighbours_with_corners(int dimensions) {
  int lengths[3] = {0, 0, 0}, periodic[3] = {1, 1, 1}, own[3], there[3], from[3];
  MPI_Comm grid;
  MPI_Dims_create(ranks, dimensions, lengths);
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, lengths, periodic, 0, &grid);
  MPI_Cart_coords(grid, rank, dimensions, own);
  int steps = 1;
  for (int d = 0; d < dimensions; ++d) steps *= 3;
  for (int i = 0; i < steps; ++i) {
    if (i == steps / 2) continue;
    for (int d = 0, rest = i; d < dimensions; ++d, rest /= 3) {
      there[d] = own[d] + rest % 3 - 1;
      from[d] = own[d] - rest % 3 + 1;
    }
    MPI_Cart_rank(grid, there, &all.to[all.out++]);
    MPI_Cart_rank(grid, from, &all.from[all.in++]);
  }
  MPI_Comm_free(&grid);
}

static int length(int from, int to) {
  if (even) return bytes;
  const int is_edge = from != MPI_PROC_NULL && to != MPI_PROC_NULL;
  return is_edge ? bytes / 2 + (5 * from + 3 * to) % 8 * bytes / 7 : 0;
}

static int place(int count, int* lengths, int* places) {
  int end = 0;
  for (int i = 0; i < count; ++i) {
    places[i] = end;
    end += lengths[i];
  }
  return end;
}

static char value(int from, int to, int call) { return (char)(1 + 7 * from + to + call); }

static void write_what_is_sent(int call) {
  for (int i = 0; i < all.out; ++i) {
    memset(given + all.sent_at[i], value(rank, all.to[i], call), (size_t)all.sent[i]);
  }
}

// Blocks can be gathered in a node only if there are several.
static int on_one_node(void) {
  MPI_Comm node;
  int size;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return size == ranks;
}

// Calls that Roundelay leaves to the MPI library it sees when they are made, its own when they
// start.
static void note_what_ran(int side) {
  char text[text_size] = "";
  last(text, text_size);
  if (strncmp(text, "neighbor", strlen("neighbor")) == 0) strcpy(ran[side], text);
}

// Seconds of a call on the slowest rank.
static double seconds(int side, int calls, MPI_Comm comm) {
  char text[text_size] = "";
  if (side != chosen) {
    snprintf(text, sizeof text, "neighbor_alltoall=%s; neighbor_alltoallv=%s", names[side],
             names[side]);
  }
  if (force(text) != 0) fail("Roundelay refuses what is to be forced");
  MPI_Request request = MPI_REQUEST_NULL;
  if (persistent) {
    MPI_Neighbor_alltoall_init(given, bytes, MPI_CHAR, result, bytes, MPI_CHAR, comm, MPI_INFO_NULL,
                               &request);
    note_what_ran(side);
  }
  // Neither this nor the allreduce below is the MPI library's: with more ranks than cores, MPICH's
  // leave them milliseconds apart.
  MPI_Barrier(MPI_COMM_WORLD);
  double taken = 0;
  for (int i = 0; i < calls; ++i) {
    write_what_is_sent(i);  // or else what was read before is still in a cache
    const double start = MPI_Wtime();
    if (persistent) {
      MPI_Start(&request);
      compute(additions);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (even) {
      MPI_Neighbor_alltoall(given, bytes, MPI_CHAR, result, bytes, MPI_CHAR, comm);
    } else {
      MPI_Neighbor_alltoallv(given, all.sent, all.sent_at, MPI_CHAR, result, all.received,
                             all.received_at, MPI_CHAR, comm);
    }
    taken += (MPI_Wtime() - start) / calls;
  }
  note_what_ran(side);
  if (persistent) MPI_Request_free(&request);
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken;
}

static void check(int call) {
  for (int i = 0; i < all.in; ++i) {
    for (int k = 0; all.from[i] != MPI_PROC_NULL && k < all.received[i]; ++k) {
      if (result[all.received_at[i] + k] != value(all.from[i], rank, call)) fail("wrong data");
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  *(void**)&force = dlsym(RTLD_DEFAULT, "roundelay_force");
  *(void**)&last = dlsym(RTLD_DEFAULT, "roundelay_last");
  if (argc < 5)
    fail(
        "halo random14 | grid | torus | corners2 | corners3 BYTES CALLS REPETITIONS "
        "[even | persistent | computes]");
  if (force == NULL || last == NULL) fail("Roundelay is not preloaded");
  bytes = atoi(argv[2]);
  even = argc > 5;
  const int computes = even && strcmp(argv[5], "computes") == 0;
  persistent = computes || (even && strcmp(argv[5], "persistent") == 0);
  const int calls = atoi(argv[3]);
  const int repetitions = atoi(argv[4]);
  if (ranks > most || bytes < 0 || calls < 1 || repetitions < 1 || repetitions > most_repetitions) {
    fail("a number is out of range");
  }
  const int on_torus = strcmp(argv[1], "torus") == 0;
  MPI_Comm comms[sides];
  if (on_torus || strcmp(argv[1], "grid") == 0) {
    find_grid_neighbours(on_torus, &comms[0]);
  } else {
    if (strncmp(argv[1], "corners", 7) == 0) {
      find_neighbours_with_corners(argv[1][7] - '0');
    } else {
      find_random_neighbours();
    }
    int weights[most] = {0};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, all.in, all.from, weights, all.out, all.to,
                                   weights, MPI_INFO_NULL, 0, &comms[0]);
  }
  for (int side = 1; side < sides; ++side) MPI_Comm_dup(comms[0], &comms[side]);
  for (int i = 0; i < all.out; ++i) all.sent[i] = length(rank, all.to[i]);
  for (int i = 0; i < all.in; ++i) all.received[i] = length(all.from[i], rank);
  given = malloc((size_t)place(all.out, all.sent, all.sent_at) + 1);
  result = malloc((size_t)place(all.in, all.received, all.received_at) + 1);

  const int passed_over = on_one_node() ? aggregated : -1;

  // Until the ranks have agreed on how long such calls are.
  const int warm_up = 300;
  double taken[sides][most_repetitions];
  for (int side = 0; side < sides; ++side) {
    if (side == passed_over) continue;
    seconds(side, warm_up, comms[side]);
    check(warm_up - 1);
  }
  if (computes) {
    additions = (long)(seconds(0, calls, comms[0]) * additions_in_a_second());
  }
  for (int i = 0; i < repetitions; ++i) {
    for (int turn = 0; turn < sides; ++turn) {
      const int side = (i + turn) % sides;
      if (side == passed_over) continue;
      taken[side][i] = seconds(side, calls, comms[side]);
    }
  }
  if (rank == 0)
    printf("%s, %d bytes, %d ranks\nside        median us  of native  ran\n", argv[1], bytes,
           ranks);
  double native = 0;
  for (int side = 0; side < sides; ++side) {
    MPI_Comm_free(&comms[side]);
    if (side == passed_over) continue;
    const double median = median_of(taken[side], repetitions);
    if (side == 0) native = median;
    if (rank == 0) {
      printf("%-10s %10.1f %10.2f  %s\n", names[side], 1e6 * median, median / native, ran[side]);
    }
  }
  free(given);
  free(result);
  MPI_Finalize();
  return 0;
}
