/* SPDX-License-Identifier: Apache-2.0 */
/* One call of any of the 17 collectives, not blocking or persistent, on data that say whose they
 * are. */
#pragma once

#include "support/check.h"
#include "support/persistent.h"

enum { kinds = 17, most = 1500, most_ranks = 16, gap = -7 };

/* One call on data of its own. Its elements are `step` ints apart; unit i of what rank r has for
 * rank b is value(r, b, i). */
struct call {
  int kind, count, step, in_place, salt;
  int rank, size, root, persistent;
  MPI_Comm comm;
  int *in, *out;
  int counts[most_ranks], places[most_ranks], bytes[most_ranks];
  MPI_Datatype types[most_ranks];
  MPI_Op op;
  MPI_Request request;
};

static int value(const struct call* call, int rank, int block, int i) {
  return call->salt + 1000 * rank + 37 * block + i % 91;
}

/* The composition of maps x -> a x + b, packed in an int, modulo 251: not commutative. */
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  int size;
  MPI_Type_size(*type, &size);
  for (int i = 0; i < *length * size / (int)sizeof(int); ++i) {
    const int f = ((int*)in)[i], g = ((int*)inout)[i];
    const int a = f / 251 % 251 * (g / 251 % 251) % 251;
    const int b = (f % 251 * (g / 251 % 251) + g % 251) % 251;
    ((int*)inout)[i] = 251 * a + b;
  }
}
static int composed(int f, int g) {
  int length = 1;
  MPI_Datatype type = MPI_INT;
  compose(&f, &g, &length, &type);
  return g;
}

static int reduced(const struct call* call, int last, int block, int i, int ordered) {
  int result = value(call, 0, block, i);
  for (int r = 1; r <= last; ++r) {
    const int next = value(call, r, block, i);
    result = ordered ? composed(result, next) : result + next;
  }
  return result;
}

static void fill(const struct call* call, int* data, int first, int blocks) {
  for (int b = 0; b < blocks; ++b) {
    for (int i = 0; i < call->count; ++i) {
      data[(b * call->count + i) * call->step] = value(call, call->rank, first + b, i);
    }
  }
}

static int ordered(const struct call* call) { return call->salt % 2; }

/* What its buffers hold before it is started. */
static void fill_all(const struct call* call) {
  const int p = call->size, is_root = call->rank == call->root, placed = call->in_place;
  const int own = call->rank * call->count * call->step;
  int *in = call->in, *out = call->out;
  const size_t ints = (size_t)(p * call->count * call->step + 1);
  for (size_t i = 0; i < ints; ++i) in[i] = out[i] = gap;
  switch (call->kind) {
    case 0:
    case 1:
    case 4:
    case 5:
      if (placed) fill(call, out + own, 0, 1);
      fill(call, in, 0, 1);
      break;
    case 2:
      if (is_root) fill(call, out, 0, 1);
      break;
    case 3: break;
    case 6:
    case 7:
      if (is_root) fill(call, in, 0, p);
      break;
    case 11:
    case 12:
    case 13:
    case 14: fill(call, placed ? out : in, 0, 1); break;
    default: fill(call, placed ? out : in, 0, p);
  }
}

/* The call of either form with these arguments. */
#define MAKE(nonblocking, persistent_form, ...)                    \
  do {                                                             \
    if (call->persistent) {                                        \
      persistent_form(__VA_ARGS__, MPI_INFO_NULL, &call->request); \
    } else {                                                       \
      nonblocking(__VA_ARGS__, &call->request);                    \
    }                                                              \
  } while (0)

static void free_type_and_operation(struct call* call) {
  if (call->types[0] != MPI_INT) MPI_Type_free(&call->types[0]);
  if (call->op != MPI_SUM) MPI_Op_free(&call->op);
}

/* Makes it: starts it, or makes what can be started if it is persistent. Its type and its operation
 * are freed at once, unless `persistent` is keeping_types. */
enum { keeping_types = 2 };
static void make(struct call* call, int persistent, int kind, int count, int gaps, int in_place,
                 int root, int salt, MPI_Comm comm) {
  call->persistent = persistent;
  call->kind = kind;
  call->count = count;
  call->step = gaps && kind < 11 ? 2 : 1;
  call->salt = salt;
  call->comm = comm;
  call->root = root;
  call->rank = check_rank(comm);
  call->size = check_size(comm);
  const int n = count, p = call->size, is_root = call->rank == root;
  const size_t ints = (size_t)(p * n * call->step + 1);
  int* const in = call->in = malloc(ints * sizeof(int));
  int* const out = call->out = malloc(ints * sizeof(int));
  call->in_place = in_place && kind != 3 &&
                   (is_root || (kind != 4 && kind != 5 && kind != 6 && kind != 7 && kind != 12));
  fill_all(call);
  MPI_Datatype type = MPI_INT;
  if (call->step == 2) {
    MPI_Datatype one;
    MPI_Type_vector(1, 1, 2, MPI_INT, &one);
    MPI_Type_create_resized(one, 0, 2 * sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&one);
  }
  MPI_Op op = MPI_SUM;
  if (ordered(call)) MPI_Op_create(compose, 0, &op);
  for (int r = 0; r < p; ++r) {
    call->counts[r] = n;
    call->places[r] = r * n;
    call->bytes[r] = r * n * call->step * (int)sizeof(int);
    call->types[r] = type;
  }
  const int *counts = call->counts, *places = call->places, *bytes = call->bytes;
  const MPI_Datatype* types = call->types;
  void* const sent = call->in_place ? MPI_IN_PLACE : in;
  void* const received = call->in_place ? MPI_IN_PLACE : out; /* of a scatter */
  switch (kind) {
    case 0: MAKE(MPI_Iallgather, MPI_Allgather_init, sent, n, type, out, n, type, comm); break;
    case 1:
      MAKE(MPI_Iallgatherv, MPI_Allgatherv_init, sent, n, type, out, counts, places, type, comm);
      break;
    case 2: MAKE(MPI_Ibcast, MPI_Bcast_init, out, n, type, root, comm); break;
    case 3: MAKE(MPI_Ibarrier, MPI_Barrier_init, comm); break;
    case 4: MAKE(MPI_Igather, MPI_Gather_init, sent, n, type, out, n, type, root, comm); break;
    case 5:
      MAKE(MPI_Igatherv, MPI_Gatherv_init, sent, n, type, out, counts, places, type, root, comm);
      break;
    case 6: MAKE(MPI_Iscatter, MPI_Scatter_init, in, n, type, received, n, type, root, comm); break;
    case 7:
      MAKE(MPI_Iscatterv, MPI_Scatterv_init, in, counts, places, type, received, n, type, root,
           comm);
      break;
    case 8: MAKE(MPI_Ialltoall, MPI_Alltoall_init, sent, n, type, out, n, type, comm); break;
    case 9:
      MAKE(MPI_Ialltoallv, MPI_Alltoallv_init, sent, counts, places, type, out, counts, places,
           type, comm);
      break;
    case 10:
      MAKE(MPI_Ialltoallw, MPI_Alltoallw_init, sent, counts, bytes, types, out, counts, bytes,
           types, comm);
      break;
    case 11: MAKE(MPI_Iallreduce, MPI_Allreduce_init, sent, out, n, type, op, comm); break;
    case 12: MAKE(MPI_Ireduce, MPI_Reduce_init, sent, out, n, type, op, root, comm); break;
    case 13: MAKE(MPI_Iscan, MPI_Scan_init, sent, out, n, type, op, comm); break;
    case 14: MAKE(MPI_Iexscan, MPI_Exscan_init, sent, out, n, type, op, comm); break;
    case 15:
      MAKE(MPI_Ireduce_scatter, MPI_Reduce_scatter_init, sent, out, counts, type, op, comm);
      break;
    default:
      MAKE(MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, sent, out, n, type, op, comm);
  }
  call->op = op;
  if (persistent != keeping_types) free_type_and_operation(call);
}

/* What has to be unit i of block b of its output; `gap`: nobody writes it. */
static int expected(const struct call* call, int b, int i) {
  const int me = call->rank, is_root = me == call->root;
  const int first_is_mine = b == 0 ? 1 : 0;
  switch (call->kind) {
    case 0:
    case 1: return value(call, b, 0, i);
    case 2: return first_is_mine ? value(call, call->root, 0, i) : gap;
    case 4:
    case 5: return is_root ? value(call, b, 0, i) : gap;
    case 6:
    case 7: return first_is_mine && !call->in_place ? value(call, call->root, me, i) : gap;
    case 8:
    case 9:
    case 10: return value(call, b, me, i);
    case 11: return first_is_mine ? reduced(call, call->size - 1, 0, i, ordered(call)) : gap;
    case 12:
      return first_is_mine && is_root ? reduced(call, call->size - 1, 0, i, ordered(call)) : gap;
    case 13: return first_is_mine ? reduced(call, me, 0, i, ordered(call)) : gap;
    case 14: return first_is_mine && me > 0 ? reduced(call, me - 1, 0, i, ordered(call)) : gap;
    case 15:
    case 16: return first_is_mine ? reduced(call, call->size - 1, me, i, ordered(call)) : gap;
    default: return gap;
  }
}

/* That a run of it gave what it had to. */
static void check_data(const struct call* call) {
  const int undefined = (call->kind == 14 && call->rank == 0) || call->kind == 3;
  int wrong = 0;
  for (int b = 0; b < call->size && !undefined; ++b) {
    /* In place, the other blocks of what was combined are of no use to anybody. */
    if (call->in_place && call->kind >= 15 && b > 0) break;
    for (int i = 0; i < call->count; ++i) {
      const int* unit = call->out + (b * call->count + i) * call->step;
      wrong += unit[0] != expected(call, b, i) || (call->step == 2 && unit[1] != gap);
    }
  }
  if (wrong > 0) {
    fprintf(stderr, "kind %d, %d units, step %d, in place %d, root %d of %d\n", call->kind,
            call->count, call->step, call->in_place, call->root, call->size);
  }
  CHECK(wrong == 0);
}

static void free_buffers(struct call* call) {
  free(call->in);
  free(call->out);
}
