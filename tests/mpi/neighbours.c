/* SPDX-License-Identifier: Apache-2.0 */
/* The neighbourhood collectives on communicators of every kind: what arrives is what the standard
 * says and what the MPI library's own call brings. neighbours [ALGORITHM [TIMES | later]]: what
 * has to run; or the same call so many times; or calls that do not wait, among others. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "support/check.h"

enum { most = 64, longest = 1 << 15, room = 2 * most * longest };

/* What a rank is told of its neighbours, and which of its source's blocks arrives at each place. */
struct Neighbours {
  int in, out;
  int from[most], to[most], their_block[most];
};

static const char* algorithm;
static int later;
static int *in, *out, *expected;

/* Several edges between two ranks: MPI libraries may take them for one another. Ours leaves them
 * alone then. */
static int has_parallel_edges(const struct Neighbours* all) {
  int found = 0;
  for (int i = 0; i < all->in; ++i) {
    for (int j = 0; j < i; ++j) {
      if (all->from[i] == all->from[j] && all->from[i] != MPI_PROC_NULL) found = 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return found;
}

static int value(int rank, int block) { return 1000 * block + 100000 * rank; }

enum { allgather, allgatherv, alltoall, alltoallv, alltoallw, kinds };
static const char* const names[kinds] = {"allgather", "allgatherv", "alltoall", "alltoallv",
                                         "alltoallw"};

/* How many ints go along an edge. */
static int length(int kind, int unit, int rank, int peer, int block) {
  if (kind == allgatherv) return rank % 3 * unit;
  return kind == alltoallv || kind == alltoallw ? (rank + 2 * peer + block) % 3 * unit : unit;
}

struct Side {
  int counts[most], places[most];
  MPI_Aint bytes[most];
  MPI_Datatype types[most];
  int used;
};

/* Blocks one after the other; every second int of those of alltoallw. */
static void place(struct Side* side, int kind, int block, int count, MPI_Datatype spread) {
  const int times = kind == alltoallw ? 2 : 1;
  side->counts[block] = count;
  side->places[block] = side->used;
  side->bytes[block] = (MPI_Aint)sizeof(int) * side->used;
  side->types[block] = kind == alltoallw ? spread : MPI_INT;
  side->used += times * count;
}

static int call(int native, int kind, int unit, const struct Side* sent, const struct Side* into,
                int* received, MPI_Comm comm) {
#define CALL(name, ...) (native ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
  switch (kind) {
    case allgather:
      return CALL(Neighbor_allgather, in, unit, MPI_INT, received, unit, MPI_INT, comm);
    case allgatherv:
      return CALL(Neighbor_allgatherv, in, sent->counts[0], MPI_INT, received, into->counts,
                  into->places, MPI_INT, comm);
    case alltoall: return CALL(Neighbor_alltoall, in, unit, MPI_INT, received, unit, MPI_INT, comm);
    case alltoallv:
      return CALL(Neighbor_alltoallv, in, sent->counts, sent->places, MPI_INT, received,
                  into->counts, into->places, MPI_INT, comm);
    default:
      return CALL(Neighbor_alltoallw, in, sent->counts, sent->bytes, sent->types, received,
                  into->counts, into->bytes, into->types, comm);
  }
}

static void start(int native, int kind, int unit, const struct Side* sent, const struct Side* into,
                  int* received, MPI_Comm comm, MPI_Request* request) {
  switch (kind) {
    case allgather:
      CALL(Ineighbor_allgather, in, unit, MPI_INT, received, unit, MPI_INT, comm, request);
      break;
    case allgatherv:
      CALL(Ineighbor_allgatherv, in, sent->counts[0], MPI_INT, received, into->counts, into->places,
           MPI_INT, comm, request);
      break;
    case alltoall:
      CALL(Ineighbor_alltoall, in, unit, MPI_INT, received, unit, MPI_INT, comm, request);
      break;
    case alltoallv:
      CALL(Ineighbor_alltoallv, in, sent->counts, sent->places, MPI_INT, received, into->counts,
           into->places, MPI_INT, comm, request);
      break;
    default:
      CALL(Ineighbor_alltoallw, in, sent->counts, sent->bytes, sent->types, received, into->counts,
           into->bytes, into->types, comm, request);
  }
}

/* Two at a time, with calls that wait before, between and after, completed in either order. The
 * types are freed while the calls are pending. */
static void call_later(int kind, int unit, const struct Side* sent, const struct Side* into,
                       const struct Neighbours* all, MPI_Datatype* spread, MPI_Comm comm) {
  static int own[1], theirs[most];
  MPI_Request requests[2];
  int sum = 1;
  own[0] = check_rank(comm);
  MPI_Ineighbor_allgather(own, 1, MPI_INT, theirs, 1, MPI_INT, comm, &requests[0]);
  start(0, kind, unit, sent, into, out, comm, &requests[1]);
  MPI_Type_free(spread);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == check_size(comm));
  if (unit % 2 == 0) {
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  } else {
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
  }
  for (int i = 0; i < all->in; ++i) {
    CHECK(all->from[i] == MPI_PROC_NULL || theirs[i] == all->from[i]);
  }
}

#undef CALL

/* Of one rank everything is the MPI library's. */
static void check_ran(int kind, int ours) {
  char ran[256], wanted[256];
  size_t (*last)(char*, size_t);
  *(void**)&last = dlsym(RTLD_DEFAULT, "roundelay_last");
  if (last == NULL || algorithm == NULL) return;
  last(ran, sizeof ran);
  snprintf(wanted, sizeof wanted, "neighbor_%s.%s:", names[kind], ours ? algorithm : "native");
  CHECK(strncmp(ran, wanted, strlen(wanted)) == 0);
}

/* What the standard says; nothing else is written. */
static int is_right(const int* received, int kind, const struct Neighbours* all,
                    const struct Side* into) {
  const int step = kind == alltoallw ? 2 : 1;
  const int to_all = kind == allgather || kind == allgatherv;
  for (int i = 0; i < all->in; ++i) {
    const int first = value(all->from[i], to_all ? 0 : all->their_block[i]);
    for (int k = 0; k < step * into->counts[i]; ++k) {
      const int place = into->places[i] + k;
      const int arrives = all->from[i] != MPI_PROC_NULL && k % step == 0;
      if (received[place] != (arrives ? first + k / step : -1 - place)) return 0;
    }
  }
  return 1;
}

static void check_kind(int kind, int unit, const struct Neighbours* all, int standard,
                       MPI_Comm comm) {
  static struct Side sent, into;
  const int rank = check_rank(comm);
  const int step = kind == alltoallw ? 2 : 1;
  const int to_all = kind == allgather || kind == allgatherv;
  MPI_Datatype spread;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
  MPI_Type_commit(&spread);
  sent.used = into.used = 0;
  for (int i = 0; i < (to_all ? 1 : all->out); ++i) {
    const int peer = to_all ? 0 : all->to[i];
    const int count = length(kind, unit, rank, peer == MPI_PROC_NULL ? 0 : peer, i);
    place(&sent, kind, i, count, spread);
    for (int k = 0; k < count; ++k) in[sent.places[i] + step * k] = value(rank, i) + k;
  }
  for (int i = 0; i < all->in; ++i) {
    const int nobody = all->from[i] == MPI_PROC_NULL;
    const int block = to_all ? 0 : all->their_block[i];
    place(&into, kind, i, nobody ? unit : length(kind, unit, all->from[i], rank, block), spread);
  }
  for (int i = 0; i < into.used; ++i) out[i] = expected[i] = -1 - i;
  if (later) {
    MPI_Request request;
    start(1, kind, unit, &sent, &into, expected, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    call(1, kind, unit, &sent, &into, expected, comm);
  }
  if (later) {
    call_later(kind, unit, &sent, &into, all, &spread, comm);
  } else {
    CHECK(call(0, kind, unit, &sent, &into, out, comm) == MPI_SUCCESS);
    MPI_Type_free(&spread);
  }
  if (standard && !later) check_ran(kind, check_size(comm) > 1);
  CHECK(!standard || is_right(out, kind, all, &into));
  /* MPICH 4.0.2 loses messages of alltoallw where others of the rank are empty. */
  if (standard && kind == alltoallw && !is_right(expected, kind, all, &into)) return;
  CHECK(memcmp(out, expected, sizeof(int) * (size_t)into.used) == 0);
}

static void check_communicator(const struct Neighbours* all, MPI_Comm comm) {
#ifdef OPEN_MPI
  const int standard = !later || !has_parallel_edges(all);
#else
  const int standard = !has_parallel_edges(all);
#endif
  const int units[] = {1, 0, 1000, longest};
  if (later) MPI_Barrier(comm); /* from then on they are ours */
  for (int kind = 0; kind < kinds; ++kind) {
    if (!standard && kind != allgather && kind != alltoall) continue; /* lengths could not match */
    for (int u = 0; u < 4; ++u) check_kind(kind, units[u], all, standard, comm);
  }
}

/* In each dimension what is sent downwards arrives from above, and the other way round. */
static void check_grid(int dimensions, const int* lengths, const int* periodic) {
  MPI_Comm comm;
  struct Neighbours all;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, lengths, periodic, 0, &comm);
  all.in = all.out = 2 * dimensions;
  for (int d = 0; d < dimensions; ++d) {
    MPI_Cart_shift(comm, d, 1, &all.to[2 * d], &all.to[2 * d + 1]);
    for (int b = 2 * d; b < 2 * d + 2; ++b) {
      all.from[b] = all.to[b];
      all.their_block[b] = b ^ 1;
    }
  }
  check_communicator(&all, comm);
  MPI_Comm_free(&comm);
}

/* Every rank is a neighbour of itself, and twice of rank 0; others only of rank 0. */
static void check_star(void) {
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  static int ends[most], peers[3 * most];
  struct Neighbours all = {.in = 0};
  MPI_Comm comm;
  int count = 0;
  peers[count++] = 0;
  for (int r = 1; r < size; ++r) peers[count++] = r;
  for (int r = 1; r < size; ++r) peers[count++] = r;
  ends[0] = count;
  for (int r = 1; r < size; ++r) {
    peers[count++] = 0;
    peers[count++] = r;
    peers[count++] = 0;
    ends[r] = count;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, ends, peers, 0, &comm);
  all.in = all.out = rank == 0 ? 2 * size - 1 : 3;
  for (int i = 0; i < all.in; ++i) {
    all.from[i] = all.to[i] = peers[(rank == 0 ? 0 : ends[rank - 1]) + i];
    if (rank == 0) {
      all.their_block[i] = i < size ? 0 : 2;
    } else {
      all.their_block[i] = i == 1 ? 1 : i == 0 ? rank : rank + size - 1;
    }
  }
  check_communicator(&all, comm);
  MPI_Comm_free(&comm);
}

/* Some edges from each rank, to itself, too, and some twice; rank 1 sends nothing. */
static int scattered_degree(int rank, int seed) { return rank == 1 ? 0 : 1 + rank * seed % 4; }
static int scattered(int rank, int seed, int i, int size) {
  return (rank + seed * i * (i + 1) / 2) % size;
}
static void check_scattered(int seed) {
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  static struct Neighbours all;
  all = (struct Neighbours){.in = 0, .out = scattered_degree(rank, seed)};
  MPI_Comm comm;
  for (int i = 0; i < all.out; ++i) all.to[i] = scattered(rank, seed, i, size);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < scattered_degree(r, seed); ++i) {
      if (scattered(r, seed, i, size) != rank) continue;
      all.from[all.in] = r;
      all.their_block[all.in++] = i;
    }
  }
  int weights[most] = {0};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, all.in, all.from, weights, all.out, all.to,
                                 weights, MPI_INFO_NULL, 0, &comm);
  check_communicator(&all, comm);
  MPI_Comm_free(&comm);
}

/* What even ranks send to odd ones is longer than what odd ranks send to even ones. */
static void check_two_lengths(void) {
  const int size = check_size(MPI_COMM_WORLD);
  if (size < 4 || size % 2 != 0) return;
  MPI_Comm circle;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &circle);
  const int rank = check_rank(circle);
  const int mine = rank % 2 == 0 ? 5 : 3, theirs = 8 - mine;
  int given[10], result[10];
  check_fill(given, 2 * mine, 100 * rank, 1);
  MPI_Neighbor_alltoall(given, mine, MPI_INT, result, theirs, MPI_INT, circle);
  CHECK(check_run(result, theirs, 100 * ((rank + size - 1) % size) + theirs, 1));
  CHECK(check_run(result + theirs, theirs, 100 * ((rank + 1) % size), 1));
  MPI_Comm_free(&circle);
}

/* Where there are no neighbours, and with MPI_IN_PLACE, the error is the MPI library's. */
static void check_errors(void) {
  int expected_class, class;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Error_class(PMPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD),
                  &expected_class);
  MPI_Error_class(MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD), &class);
  CHECK(class == expected_class && class != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* What a rank has for itself is longer than the room for it. */
static void check_own_block(void) {
  const int rank = check_rank(MPI_COMM_WORLD);
  const int sent = 2, received = 1, place = 0, weight = 1;
  const int forced = algorithm != NULL && strcmp(algorithm, "native") != 0;
  int class;
  MPI_Comm comm;
  if (!forced || check_size(MPI_COMM_WORLD) == 1) return;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, &weight, 1, &rank, &weight,
                                 MPI_INFO_NULL, 0, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  out[received] = -1;
  MPI_Error_class(MPI_Neighbor_alltoall(in, sent, MPI_INT, out, received, MPI_INT, comm), &class);
  CHECK(class == MPI_ERR_TRUNCATE && out[received] == -1);
  MPI_Error_class(
      MPI_Neighbor_alltoallv(in, &sent, &place, MPI_INT, out, &received, &place, MPI_INT, comm),
      &class);
  CHECK(class == MPI_ERR_TRUNCATE && out[received] == -1);
  MPI_Comm_free(&comm);
}

/* As often as ranks need to learn. */
static void check_often(int times) {
  const int size = check_size(MPI_COMM_WORLD), periodic = 0;
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
  for (int i = 0; i < times; ++i) {
    MPI_Neighbor_alltoall(in, 1000, MPI_INT, out, 1000, MPI_INT, comm);
  }
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  algorithm = argc > 1 ? argv[1] : NULL;
  in = malloc(sizeof(int) * room);
  out = malloc(sizeof(int) * room);
  expected = malloc(sizeof(int) * room);
  memset(in, 0, sizeof(int) * room);
  later = argc > 2 && strcmp(argv[2], "later") == 0;
  if (argc > 2 && !later) {
    check_often(atoi(argv[2]));
    return check_end();
  }
  const int size = check_size(MPI_COMM_WORLD);
  int rows_columns[2] = {0, 0};
  MPI_Dims_create(size, 2, rows_columns);
  check_grid(1, (int[]){size}, (int[]){1});
  check_grid(1, (int[]){size}, (int[]){0});
  check_grid(2, rows_columns, (int[]){1, 1});
  check_grid(2, rows_columns, (int[]){0, 1});
  check_grid(3, (int[]){1, size, 1}, (int[]){1, 0, 1});
  check_star();
  check_scattered(1);
  check_scattered(7);
  check_two_lengths();
  check_errors();
  check_own_block();
  free(in);
  free(out);
  free(expected);
  return check_end();
}
