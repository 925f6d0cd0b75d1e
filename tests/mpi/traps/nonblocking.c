/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that do not wait: nonblocking WHAT. All 17, many at once, completed in any order and in
 * every way that MPI has, among other calls and messages. */
#include "support/any_call.h"
#include "support/threads.h"

static void check_call(struct call* call) {
  CHECK(call->request == MPI_REQUEST_NULL);
  check_data(call);
  free_buffers(call);
}

static void start(struct call* call, int kind, int count, int gaps, int in_place, int root,
                  int salt, MPI_Comm comm) {
  make(call, 0, kind, count, gaps, in_place, root, salt, comm);
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
  for (int i = 0; i < number; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    check_collectives(comms[i], 5);
  }
  check_in_threads(in_thread, comms, number, sizeof comms[0]);
  for (int i = 0; i < number; ++i) MPI_Comm_free(&comms[i]);
}

/* Many calls while one is pending. */
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

/* Rank 0 starts more calls than MPI promises tags, and only then sends what the others wait for
 * before they start theirs. */
static void many_pending(void) {
  enum { number = 17000 };
  const int rank = check_rank(MPI_COMM_WORLD), size = check_size(MPI_COMM_WORLD);
  int go = 0;
  int* results = malloc(number * sizeof *results);
  MPI_Request* requests = malloc(number * sizeof(MPI_Request));
  if (rank > 0) MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < number; ++i) {
    results[i] = i;
    MPI_Iallreduce(MPI_IN_PLACE, &results[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
  }
  for (int to = 1; rank == 0 && to < size; ++to) {
    MPI_Send(&go, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  }
  for (int i = number - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < number; ++i) CHECK(results[i] == size * i);
  free(requests);
  free(results);
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
  if (!strcmp(what, "many")) many_pending();
  if (in_threads && provided == MPI_THREAD_MULTIPLE) threads();
  check_collectives(MPI_COMM_WORLD, 3);
  return check_end();
}
