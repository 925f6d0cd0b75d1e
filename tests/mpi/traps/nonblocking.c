/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that do not wait: nonblocking WHAT. All 17, many at once, completed in any order and in
 * every way that MPI has, among other calls and messages. */
#include <pthread.h>

#include "support/check.h"

enum { kinds = 17, most = 1500, most_ranks = 16, gap = -7 };

/* One call on data of its own. Its elements are `step` ints apart; unit i of what rank r has for
 * rank b is value(r, b, i). */
struct call {
  int kind, count, step, in_place, salt;
  int rank, size, root;
  MPI_Comm comm;
  int *in, *out;
  int counts[most_ranks], places[most_ranks], bytes[most_ranks];
  MPI_Datatype types[most_ranks];
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

/* Starts it. Its type and its operation are freed at once. */
static void start(struct call* call, int kind, int count, int gaps, int in_place, int root,
                  int salt, MPI_Comm comm) {
  call->kind = kind;
  call->count = count;
  call->step = gaps && kind < 11 ? 2 : 1;
  call->salt = salt;
  call->comm = comm;
  call->root = root;
  call->rank = check_rank(comm);
  call->size = check_size(comm);
  const int n = count, p = call->size, me = call->rank, is_root = me == root;
  const size_t ints = (size_t)(p * n * call->step + 1);
  call->in = malloc(ints * sizeof(int));
  call->out = malloc(ints * sizeof(int));
  for (size_t i = 0; i < ints; ++i) call->in[i] = call->out[i] = gap;
  call->in_place = in_place && kind != 3 &&
                   (is_root || (kind != 4 && kind != 5 && kind != 6 && kind != 7 && kind != 12));
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
  int *in = call->in, *out = call->out;
  MPI_Request* request = &call->request;
  void* const here = MPI_IN_PLACE;
  const int placed = call->in_place;
  switch (kind) {
    case 0:
    case 1:
      if (placed) fill(call, out + me * n * call->step, 0, 1);
      fill(call, in, 0, 1);
      if (kind == 0) MPI_Iallgather(placed ? here : in, n, type, out, n, type, comm, request);
      if (kind == 1) {
        MPI_Iallgatherv(placed ? here : in, n, type, out, call->counts, call->places, type, comm,
                        request);
      }
      break;
    case 2:
      if (is_root) fill(call, out, 0, 1);
      MPI_Ibcast(out, n, type, root, comm, request);
      break;
    case 3: MPI_Ibarrier(comm, request); break;
    case 4:
    case 5:
      if (placed) fill(call, out + me * n * call->step, 0, 1);
      fill(call, in, 0, 1);
      if (kind == 4) MPI_Igather(placed ? here : in, n, type, out, n, type, root, comm, request);
      if (kind == 5) {
        MPI_Igatherv(placed ? here : in, n, type, out, call->counts, call->places, type, root, comm,
                     request);
      }
      break;
    case 6:
    case 7:
      if (is_root) fill(call, in, 0, p);
      if (kind == 6) MPI_Iscatter(in, n, type, placed ? here : out, n, type, root, comm, request);
      if (kind == 7) {
        MPI_Iscatterv(in, call->counts, call->places, type, placed ? here : out, n, type, root,
                      comm, request);
      }
      break;
    case 8:
    case 9:
    case 10:
      fill(call, placed ? out : in, 0, p);
      if (kind == 8) MPI_Ialltoall(placed ? here : in, n, type, out, n, type, comm, request);
      if (kind == 9) {
        MPI_Ialltoallv(placed ? here : in, call->counts, call->places, type, out, call->counts,
                       call->places, type, comm, request);
      }
      if (kind == 10) {
        MPI_Ialltoallw(placed ? here : in, call->counts, call->bytes, call->types, out,
                       call->counts, call->bytes, call->types, comm, request);
      }
      break;
    case 11:
    case 12:
    case 13:
    case 14:
      fill(call, placed ? out : in, 0, 1);
      if (kind == 11) MPI_Iallreduce(placed ? here : in, out, n, type, op, comm, request);
      if (kind == 12) MPI_Ireduce(placed ? here : in, out, n, type, op, root, comm, request);
      if (kind == 13) MPI_Iscan(placed ? here : in, out, n, type, op, comm, request);
      if (kind == 14) MPI_Iexscan(placed ? here : in, out, n, type, op, comm, request);
      break;
    default:
      fill(call, placed ? out : in, 0, p);
      if (kind == 15) {
        MPI_Ireduce_scatter(placed ? here : in, out, call->counts, type, op, comm, request);
      } else {
        MPI_Ireduce_scatter_block(placed ? here : in, out, n, type, op, comm, request);
      }
  }
  if (type != MPI_INT) MPI_Type_free(&type);
  if (op != MPI_SUM) MPI_Op_free(&op);
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

static void check_call(struct call* call) {
  const int undefined = (call->kind == 14 && call->rank == 0) || call->kind == 3;
  int wrong = 0;
  CHECK(call->request == MPI_REQUEST_NULL);
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
  free(call->in);
  free(call->out);
}

static unsigned draw(unsigned* seed, unsigned below) {
  *seed = *seed * 1103515245U + 12345U;
  return (*seed >> 16U) % below;
}

static void start_any(struct call* call, unsigned* shared, int salt, MPI_Comm comm) {
  const int kind = (int)draw(shared, kinds);
  const int count = draw(shared, 4) == 0 ? (int)draw(shared, most) : (int)draw(shared, 5);
  const int gaps = (int)draw(shared, 2), in_place = (int)draw(shared, 3) == 0;
  start(call, kind, count, gaps, in_place, (int)draw(shared, (unsigned)check_size(comm)), salt,
        comm);
}

/* Ends them all, each rank in an order of its own. `extra` is another request among them. */
static void complete(struct call* calls, int number, MPI_Request extra, unsigned* own) {
  MPI_Request requests[65];
  int indices[65], done = 0;
  for (int i = 0; i < number; ++i) requests[i] = calls[i].request;
  requests[number] = extra;
  const int all = number + 1;
  for (int left = all; left > 0;) {
    int index = 0, flag = 0, some = 0;
    MPI_Status statuses[65];
    switch (draw(own, 8)) {
      case 0: MPI_Waitany(all, requests, &index, MPI_STATUS_IGNORE); break;
      case 1: MPI_Testany(all, requests, &index, &flag, MPI_STATUS_IGNORE); break;
      case 2: MPI_Waitsome(all, requests, &some, indices, statuses); break;
      case 3: MPI_Testsome(all, requests, &some, indices, statuses); break;
      case 4: MPI_Testall(all, requests, &flag, statuses); break;
      case 5: MPI_Waitall(all, requests, statuses); break;
      case 6:
        index = (int)draw(own, (unsigned)all);
        if (requests[index] != MPI_REQUEST_NULL) {
          MPI_Request_get_status(requests[index], &flag, MPI_STATUS_IGNORE);
          CHECK(requests[index] != MPI_REQUEST_NULL);
          if (flag) MPI_Test(&requests[index], &done, &statuses[0]);
          CHECK(!flag || done);
        }
        break;
      default: MPI_Wait(&requests[draw(own, (unsigned)all)], &statuses[0]);
    }
    left = 0;
    for (int i = 0; i < all; ++i) left += requests[i] != MPI_REQUEST_NULL;
  }
  for (int i = 0; i < number; ++i) {
    calls[i].request = requests[i];
    check_call(&calls[i]);
  }
}

/* Every call by itself. */
static void each(MPI_Comm comm) {
  const int size = check_size(comm);
  for (int kind = 0; kind < kinds; ++kind) {
    for (int turn = 0; turn < 16; ++turn) {
      struct call call;
      const int counts[] = {0, 1, 3, most};
      start(&call, kind, counts[turn % 4], turn / 4 % 2, turn / 8, turn % size, turn, comm);
      MPI_Wait(&call.request, MPI_STATUS_IGNORE);
      check_call(&call);
    }
  }
}

/* Many at once, and blocking calls and messages meanwhile. */
static void mixed(MPI_Comm comm, unsigned seed, int times) {
  const int rank = check_rank(comm), size = check_size(comm);
  unsigned shared = seed, own = seed + 1000U * (unsigned)(rank + 1);
  for (int time = 0; time < times; ++time) {
    struct call calls[64];
    const int number = 1 + (int)draw(&shared, time % 8 == 7 ? 60 : 6);
    int sent = 5 * time + rank, received = -1;
    MPI_Request message, send;
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message);
    for (int i = 0; i < number; ++i) {
      start_any(&calls[i], &shared, time + i, comm);
      if (draw(&shared, 6) == 0) check_collectives(comm, 1 + (int)draw(&shared, 300));
      if (draw(&own, 3) == 0) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
      }
    }
    MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, 3, comm, &send);
    complete(calls, number, message, &own);
    CHECK(received == 5 * time + (rank + size - 1) % size);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
}

/* Communicators that are freed before the calls on them are over: none of these may be left to Open
 * MPI 4.1.4, which crashes then. */
static void freed(void) {
  for (int time = 0; time < 20; ++time) {
    MPI_Comm comm;
    struct call calls[3];
    unsigned own = (unsigned)check_rank(MPI_COMM_WORLD);
    const int size = check_size(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    for (int i = 0; i < 3; ++i) {
      start(&calls[i], (3 * time + i) % kinds, time % 2 ? most : 2, i % 2, 0, i % size, i, comm);
    }
    MPI_Comm_free(&comm);
    complete(calls, 3, MPI_REQUEST_NULL, &own);
  }
}

static void* in_thread(void* argument) {
  mixed(*(MPI_Comm*)argument, 77, 40);
  return NULL;
}

/* Several threads, each with a communicator of its own. */
static void threads(void) {
  enum { number = 3 };
  MPI_Comm comms[number];
  pthread_t ids[number];
  for (int i = 0; i < number; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    check_collectives(comms[i], 5);
  }
  for (int i = 0; i < number; ++i) pthread_create(&ids[i], NULL, in_thread, &comms[i]);
  for (int i = 0; i < number; ++i) pthread_join(ids[i], NULL);
  for (int i = 0; i < number; ++i) MPI_Comm_free(&comms[i]);
}

/* More calls than there are tags. */
static void long_pending(void) {
  struct call call;
  start(&call, 11, most, 0, 0, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 20000; ++i) {
    MPI_Request barrier;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&call.request, MPI_STATUS_IGNORE);
  check_call(&call);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "each";
  const int times = argc > 2 ? atoi(argv[2]) : 40;
  int provided = MPI_THREAD_SINGLE;
  const int in_threads = !strcmp(what, "threads");
  MPI_Init_thread(&argc, &argv, in_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  check_collectives(MPI_COMM_WORLD, 3);
  if (!strcmp(what, "each")) each(MPI_COMM_WORLD);
  if (!strcmp(what, "mixed")) mixed(MPI_COMM_WORLD, argc > 3 ? (unsigned)atoi(argv[3]) : 5, times);
  if (!strcmp(what, "freed")) freed();
  if (!strcmp(what, "long")) long_pending();
  if (in_threads && provided == MPI_THREAD_MULTIPLE) threads();
  check_collectives(MPI_COMM_WORLD, 3);
  return check_end();
}
