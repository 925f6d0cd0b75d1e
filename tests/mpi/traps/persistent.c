/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are made once and started again and again: persistent WHAT. All 17, many at once,
 * among other calls and messages. */
#include "support/any_call.h"

enum { most_calls = 40 };

static unsigned draw(unsigned* seed, unsigned below) {
  *seed = *seed * 1103515245U + 12345U;
  return (*seed >> 16U) % below;
}

/* The next run has data of its own, and the same operation. */
static void renew(struct call* call) {
  call->salt += 2;
  fill_all(call);
}

static void check_call(const struct call* call) {
  CHECK(call->request != MPI_REQUEST_NULL);
  check_data(call);
}

static void end(struct call* call) {
  MPI_Request_free(&call->request);
  if (call->persistent == keeping_types) free_type_and_operation(call);
  CHECK(call->request == MPI_REQUEST_NULL);
  free_buffers(call);
}

/* Every call by itself, several times; some are never started. `form`: what make() takes. Open MPI
 * does not keep types that are freed. */
static void each(int form, MPI_Comm comm) {
  const int size = check_size(comm);
  for (int kind = 0; kind < kinds; ++kind) {
    for (int turn = 0; turn < 16; ++turn) {
      struct call call;
      const int counts[] = {0, 1, 3, most};
      if (form != keeping_types && counts[turn % 4] == 0) continue; /* nobody needs Roundelay */
      make(&call, form, kind, counts[turn % 4], turn / 4 % 2, turn / 8, turn % size, turn, comm);
      int done = 0;
      MPI_Test(&call.request, &done, MPI_STATUS_IGNORE); /* it is not active */
      CHECK(done && call.request != MPI_REQUEST_NULL);
      for (int run = 0; run < turn % 5; ++run) {
        renew(&call);
        MPI_Start(&call.request);
        MPI_Wait(&call.request, MPI_STATUS_IGNORE);
        check_call(&call);
      }
      end(&call);
    }
  }
}

/* Each of them is the first call on its communicator. */
static void first(void) {
  for (int kind = 0; kind < kinds; ++kind) {
    struct call call;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make(&call, keeping_types, kind, 3, 0, 0, 0, kind, comm);
    renew(&call);
    MPI_Start(&call.request);
    MPI_Wait(&call.request, MPI_STATUS_IGNORE);
    check_call(&call);
    end(&call);
    MPI_Comm_free(&comm);
  }
}

static void make_any(struct call* call, unsigned* shared, int salt, MPI_Comm comm) {
  const int kind = (int)draw(shared, kinds);
  const int count = draw(shared, 4) == 0 ? (int)draw(shared, most) : (int)draw(shared, 5);
  const int gaps = (int)draw(shared, 2), in_place = (int)draw(shared, 3) == 0;
  const int root = (int)draw(shared, (unsigned)check_size(comm));
  make(call, keeping_types, kind, count, gaps, in_place, root, salt, comm);
}

/* Starts some of them one by one or together, each rank among receives of its own. */
static void start_some(struct call* calls, const int* started, int number, int together) {
  MPI_Request requests[most_calls + 1];
  int some = 0, nothing = -1;
  if (!together) {
    for (int i = 0; i < number; ++i) {
      if (started[i]) MPI_Start(&calls[i].request);
    }
    return;
  }
  MPI_Request receive;
  MPI_Recv_init(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &receive);
  for (int i = 0; i < number; ++i) {
    if (started[i]) requests[some++] = calls[i].request;
  }
  requests[some++] = receive;
  MPI_Startall(some, requests);
  MPI_Wait(&requests[some - 1], MPI_STATUS_IGNORE);
  MPI_Request_free(&receive);
}

/* Ends those that were started, each rank in an order of its own. */
static void complete(struct call* calls, const int* started, int number, unsigned* own) {
  MPI_Request requests[most_calls];
  int which[most_calls], indices[most_calls], some = 0, left = 0, done[most_calls] = {0};
  MPI_Status statuses[most_calls];
  for (int i = 0; i < number; ++i) {
    if (!started[i]) continue;
    which[some] = i;
    requests[some++] = calls[i].request;
  }
  for (left = some; left > 0;) {
    int index = MPI_UNDEFINED, flag = 0, count = 0;
    switch (draw(own, 5)) {
      case 0:
        MPI_Waitany(some, requests, &index, MPI_STATUS_IGNORE);
        if (index != MPI_UNDEFINED) done[index] = 1;
        break;
      case 1:
        MPI_Testsome(some, requests, &count, indices, statuses);
        for (int i = 0; i < count && count != MPI_UNDEFINED; ++i) done[indices[i]] = 1;
        break;
      case 2:
        index = (int)draw(own, (unsigned)some);
        MPI_Test(&requests[index], &flag, MPI_STATUS_IGNORE);
        if (flag) done[index] = 1;
        break;
      case 3:
        index = (int)draw(own, (unsigned)some);
        MPI_Wait(&requests[index], MPI_STATUS_IGNORE);
        done[index] = 1;
        break;
      default:
        MPI_Waitall(some, requests, statuses);
        for (int i = 0; i < some; ++i) done[i] = 1;
    }
    left = some;
    for (int i = 0; i < some; ++i) left -= done[i];
  }
  for (int i = 0; i < some; ++i) {
    CHECK(requests[i] == calls[which[i]].request);
    check_call(&calls[which[i]]);
  }
}

/* Many at once, and blocking calls, others that do not wait, and messages meanwhile. */
static void mixed(MPI_Comm comm, unsigned seed, int times) {
  const int rank = check_rank(comm), size = check_size(comm);
  unsigned shared = seed, own = seed + 1000U * (unsigned)(rank + 1);
  for (int time = 0; time < times; ++time) {
    struct call calls[most_calls], other;
    int started[most_calls];
    const int number = 1 + (int)draw(&shared, time % 8 == 7 ? most_calls - 1 : 6);
    for (int i = 0; i < number; ++i) make_any(&calls[i], &shared, time + i, comm);
    for (int run = 0; run < 4; ++run) {
      int sent = 5 * time + rank, received = -1;
      MPI_Request message, send;
      MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message);
      for (int i = 0; i < number; ++i) {
        started[i] = draw(&shared, 4) > 0;
        if (started[i]) renew(&calls[i]);
      }
      start_some(calls, started, number, (int)draw(&shared, 2));
      make(&other, 0, (int)draw(&shared, kinds), 7, 0, 0, 0, run, comm);
      if (draw(&shared, 2) == 0) check_collectives(comm, 1 + (int)draw(&shared, 300));
      MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, 3, comm, &send);
      complete(calls, started, number, &own);
      MPI_Wait(&other.request, MPI_STATUS_IGNORE);
      check_data(&other);
      free_buffers(&other);
      MPI_Wait(&message, MPI_STATUS_IGNORE);
      CHECK(received == 5 * time + (rank + size - 1) % size);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < number; ++i) end(&calls[i]);
  }
}

/* Communicators that are freed before the requests, which are started later. */
static void freed(void) {
  for (int time = 0; time < 20; ++time) {
    MPI_Comm comm;
    struct call calls[3];
    const int started[3] = {1, 1, 1};
    unsigned own = (unsigned)check_rank(MPI_COMM_WORLD);
    const int size = check_size(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    for (int i = 0; i < 3; ++i) {
      make(&calls[i], keeping_types, (3 * time + i) % kinds, time % 2 ? most : 2, i % 2, 0,
           i % size, i, comm);
    }
    if (time % 3 == 0) start_some(calls, started, 3, 0);
    MPI_Comm_free(&comm);
    if (time % 3 == 0) complete(calls, started, 3, &own);
    for (int i = 0; i < 3; ++i) renew(&calls[i]);
    start_some(calls, started, 3, 1);
    complete(calls, started, 3, &own);
    for (int i = 0; i < 3; ++i) end(&calls[i]);
  }
}

/* One that lives while many others come and go; and more runs than any number of tags. */
static void long_lived(void) {
  struct call first, call;
  const int both[1] = {1};
  unsigned own = 1;
  make(&first, 1, 11, most, 0, 0, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 2000; ++i) {
    make(&call, 1, 11, 1, 0, 0, 0, 0, MPI_COMM_WORLD);
    if (i < 1999) end(&call);
  }
  for (int run = 0; run < 3; ++run) {
    renew(&first);
    renew(&call);
    MPI_Start(&first.request);
    MPI_Start(&call.request);
    complete(&first, both, 1, &own);
    complete(&call, both, 1, &own);
  }
  for (int run = 0; run < 40000; ++run) {
    MPI_Start(&call.request);
    MPI_Wait(&call.request, MPI_STATUS_IGNORE);
  }
  check_call(&call);
  end(&call);
  end(&first);
}

/* Rank 0 starts more of them than MPI promises tags, and only then sends what the others wait for
 * before they start theirs. */
static void many_active(void) {
  enum { number = 9000 };
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  int go = 0;
  int* results = malloc(number * sizeof *results);
  MPI_Request* requests = malloc(number * sizeof(MPI_Request));
  for (int i = 0; i < number; ++i) {
    results[i] = i;
    MPI_Allreduce_init(MPI_IN_PLACE, &results[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &requests[i]);
  }
  if (rank > 0) MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Startall(number, requests);
  for (int to = 1; rank == 0 && to < size; ++to) {
    MPI_Send(&go, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  }
  for (int i = number - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < number; ++i) {
    CHECK(results[i] == size * i);
    MPI_Request_free(&requests[i]);
  }
  free(requests);
  free(results);
}

/* Tells of each run once, in the way of that number, and of none that was waited for before. */
static void tell(MPI_Request* requests, int number, int way) {
  int seen = 0, index = MPI_UNDEFINED, flag = 0, count = 0, indices[3];
  MPI_Status statuses[3];
  if (way == 4) { /* the first is complete then */
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    ++seen;
  } else if (way == 5) {
    while (!flag) MPI_Test(&requests[number - 1], &flag, MPI_STATUS_IGNORE);
    ++seen;
  } else if (way == 6) { /* completes nothing */
    while (!flag) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  } else if (way == 7) {
    while (!flag) MPI_Testall(number, requests, &flag, statuses);
    seen = number;
  }
  while (seen < number) {
    count = 0;
    if (way == 1) {
      MPI_Waitsome(number, requests, &count, indices, statuses);
    } else if (way == 2) {
      MPI_Testany(number, requests, &index, &flag, MPI_STATUS_IGNORE);
      CHECK(!flag || index != MPI_UNDEFINED);
      count = flag;
    } else if (way == 3) {
      MPI_Testsome(number, requests, &count, indices, statuses);
    } else {
      MPI_Waitany(number, requests, &index, MPI_STATUS_IGNORE);
      CHECK(index != MPI_UNDEFINED && (way != 4 || index != 0) &&
            (way != 5 || index != number - 1));
      count = 1;
    }
    CHECK(count != MPI_UNDEFINED);
    if (count == MPI_UNDEFINED) break;
    seen += count;
  }
  MPI_Waitany(number, requests, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED);
}

static void told(void) {
  const int size = check_size(MPI_COMM_WORLD);
  struct call calls[3];
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) {
    make(&calls[i], keeping_types, i < 2 ? 2 : 11, 3, 0, 0, i % size, 0, MPI_COMM_WORLD);
    requests[i] = calls[i].request;
  }
  for (int run = 0; run < 64; ++run) {
    for (int i = 0; i < 3; ++i) renew(&calls[i]);
    if (run % 16 < 8) {
      MPI_Startall(3, requests);
    } else {
      for (int i = 0; i < 3; ++i) MPI_Start(&requests[i]);
    }
    tell(requests, 3, run % 8);
    for (int i = 0; i < 3; ++i) check_call(&calls[i]);
  }
  for (int i = 0; i < 3; ++i) end(&calls[i]);
}

/* Between two groups, where Roundelay leaves them to the MPI library. */
static void between(void) {
  const int rank = check_rank(MPI_COMM_WORLD);
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 4, &inter);
  int remote, in = rank, out = -1;
  MPI_Comm_remote_size(inter, &remote);
  MPI_Request request;
  MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &request);
  for (int run = 0; run < 3; ++run) {
    in = rank + run;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(out == remote * (remote - 1) + remote * (1 - rank % 2) + remote * run);
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* Never freed, and one that was not even started. */
static void left(void) {
  struct call calls[2];
  const int started[2] = {1, 0};
  unsigned own = 1;
  for (int i = 0; i < 2; ++i) make(&calls[i], 1, 11, 3, 0, 0, 0, 0, MPI_COMM_WORLD);
  start_some(calls, started, 2, 0);
  complete(calls, started, 2, &own);
}

/* MPI 4.1: whether one of some requests is complete, which stays as it is. */
static void asked(void) {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  struct call call;
  make(&call, keeping_types, 2, 3, 0, 0, 0, 0, MPI_COMM_WORLD);
  for (int run = 0; run < 16; ++run) {
    int index = MPI_UNDEFINED, flag = 0, count = 0;
    MPI_Status status;
    renew(&call);
    MPI_Start(&call.request);
    while (run % 2 == 0 && !flag) {
      MPI_Request_get_status_any(1, &call.request, &index, &flag, &status);
    }
    while (run % 2 == 1 && count == 0) {
      MPI_Request_get_status_some(1, &call.request, &count, &index, &status);
    }
    CHECK(index == 0);
    MPI_Wait(&call.request, MPI_STATUS_IGNORE);
    check_call(&call);
  }
  end(&call);
#endif
}

static int refusals;

static void count_refusal(MPI_Comm* comm, int* code, ...) {
  int class;
  (void)comm;
  MPI_Error_class(*code, &class);
  CHECK(class == MPI_ERR_REQUEST);
  ++refusals;
}

/* A start of what is under way is an error that changes nothing. */
static void again(void) {
  const int rank = check_rank(MPI_COMM_WORLD);
  const int size = check_size(MPI_COMM_WORLD);
  int data = 0;
  MPI_Comm comm;
  MPI_Errhandler counts;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(count_refusal, &counts);
  MPI_Comm_set_errhandler(comm, counts);
  MPI_Bcast_init(&data, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
  for (int run = 0; run < 4; ++run) {
    refusals = 0;
    data = rank == 0 ? run : -1;
    if (rank == 0) {
      for (int i = 1, done; i < size; ++i) {
        MPI_Recv(&done, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      MPI_Start(&request);
    } else {
      MPI_Start(&request);
      run % 2 ? MPI_Startall(1, &request) : MPI_Start(&request);
      CHECK(refusals == 1);
      MPI_Send(&run, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(data == run);
  }
  MPI_Request_free(&request);
  MPI_Errhandler_free(&counts);
  MPI_Comm_free(&comm);
}

/* Made in one language, started in C, and completed in Fortran, whose layer in Open MPI calls
 * PMPI_*. */
static void two_languages(void) {
  for (int made_in_fortran = 0; made_in_fortran < 2; ++made_in_fortran) {
    struct call call;
    make(&call, keeping_types, 2, 3, 0, 0, 0, 0, MPI_COMM_WORLD);
    const MPI_Fint handle =
        made_in_fortran ? PMPI_Request_c2f(call.request) : MPI_Request_c2f(call.request);
    for (int run = 0; run < 8; ++run) {
      MPI_Request in_c = made_in_fortran ? MPI_Request_f2c(handle) : call.request;
      MPI_Request in_fortran = PMPI_Request_f2c(handle);
      int index = MPI_UNDEFINED;
      renew(&call);
      MPI_Start(&in_c);
      PMPI_Waitany(1, &in_fortran, &index, MPI_STATUS_IGNORE);
      CHECK(index == 0);
      check_call(&call);
    }
    end(&call);
  }
}

static struct call last, waiting;
static int attached;

/* So that it is not over when the other ranks have started it. But with MPICH a start waits for the
 * others in MPI_Finalize. */
static void start_on_rank_0_last(MPI_Request* request) {
#ifdef OPEN_MPI
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  int go = 0;
  for (int from = 1; rank == 0 && from < size; ++from) {
    MPI_Recv(&go, 1, MPI_INT, from, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Start(request);
  if (rank != 0) MPI_Send(&go, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
#else
  MPI_Start(request);
#endif
}

/* What hangs on MPI_COMM_SELF goes first in MPI_Finalize, when calls may still be started. */
static int on_freeing_self(MPI_Comm self, int key, void* value, void* extra) {
  (void)self, (void)key, (void)value, (void)extra;
  for (int run = 0; run < 4; ++run) {
    renew(&last);
    start_on_rank_0_last(&last.request);
    MPI_Wait(&last.request, MPI_STATUS_IGNORE);
    check_call(&last);
  }
  if (waiting.request != MPI_REQUEST_NULL) {
    MPI_Wait(&waiting.request, MPI_STATUS_IGNORE);
    check_data(&waiting);
    free_buffers(&waiting);
  }
  if (--attached == 0) end(&last);
  if (check_failures > 0) exit(1);
  return MPI_SUCCESS;
}

/* Before and after the first collective. */
static void attach_to_self(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_freeing_self, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  ++attached;
}

static void at_the_end(void) {
  attach_to_self();
  make(&last, keeping_types, 2, 3, 0, 0, 0, 0, MPI_COMM_WORLD);
  waiting.request = MPI_REQUEST_NULL;
#ifdef OPEN_MPI
  make(&waiting, 0, 2, 3, 0, 0, 0, 0, MPI_COMM_WORLD);
#endif
}

/* Starts of others cost and change nothing. */
static void others(void) {
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  int sent = 0, received = 0;
  MPI_Request both[2];
  struct call call;
  make(&call, 1, 11, 3, 0, 0, 0, 0, MPI_COMM_WORLD);
  MPI_Recv_init(&received, 1, MPI_INT, (rank + size - 1) % size, 9, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(&sent, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD, &both[1]);
  for (int run = 0; run < 20; ++run) {
    if (run == 10) end(&call); /* whose handle may be used again for another request */
    sent = 100 * run + rank;
    if (run % 2) {
      MPI_Startall(2, both);
    } else {
      MPI_Start(&both[0]);
      MPI_Start(&both[1]);
    }
    MPI_Status statuses[2]; /* GCC takes MPICH's MPI_STATUSES_IGNORE for an empty array */
    MPI_Waitall(2, both, statuses);
    CHECK(received == 100 * run + (rank + size - 1) % size);
    if (run == 12) {
      MPI_Request_free(&both[0]);
      MPI_Recv_init(&received, 1, MPI_INT, (rank + size - 1) % size, 9, MPI_COMM_WORLD, &both[0]);
    }
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&both[i]);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "each";
  const int times = argc > 2 ? atoi(argv[2]) : 40;
  MPI_Init(&argc, &argv);
  if (!strcmp(what, "end")) attach_to_self();
  check_collectives(MPI_COMM_WORLD, 3);
  if (!strcmp(what, "each")) each(keeping_types, MPI_COMM_WORLD);
  if (!strcmp(what, "types")) each(1, MPI_COMM_WORLD);
  if (!strcmp(what, "first")) first();
  if (!strcmp(what, "mixed")) mixed(MPI_COMM_WORLD, argc > 3 ? (unsigned)atoi(argv[3]) : 5, times);
  if (!strcmp(what, "freed")) freed();
  if (!strcmp(what, "long")) long_lived();
  if (!strcmp(what, "many")) many_active();
  if (!strcmp(what, "told")) told();
  if (!strcmp(what, "between")) between();
  if (!strcmp(what, "left")) left();
  if (!strcmp(what, "others")) others();
  if (!strcmp(what, "asked")) asked();
  if (!strcmp(what, "again")) again();
  if (!strcmp(what, "languages")) two_languages();
  check_collectives(MPI_COMM_WORLD, 3);
  if (!strcmp(what, "end")) at_the_end();
  return check_end();
}
