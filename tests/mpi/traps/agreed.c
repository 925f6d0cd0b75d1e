/* SPDX-License-Identifier: Apache-2.0 */
/* Where no rank knows how long a call is the ranks agree on how long such calls are of late: all of
 * them decide alike, and the data is right whatever they decide. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "support/check.h"

enum { most = 64, longest = 1 << 16 };

static int *in, *out;

/* What ran and why, the same on all ranks. */
static const char* what_ran(MPI_Comm comm) {
  static char text[256];
  char other[256];
  size_t (*last)(char*, size_t);
  *(void**)&last = dlsym(RTLD_DEFAULT, "roundelay_last");
  last(text, sizeof text);
  memcpy(other, text, sizeof text);
  MPI_Bcast(other, sizeof other, MPI_CHAR, 0, comm);
  CHECK(strcmp(text, other) == 0);
  return text;
}

/* MPICH's alltoallw takes blocks of nothing without a type. */
#ifdef MPICH
#define NO_TYPE MPI_DATATYPE_NULL
#else
#define NO_TYPE MPI_INT
#endif

/* From rank i to rank j (i + j) mod 3 times `length` ints, or the same from all to all; with room
 * for so many more from each of the others, `from_all`: also from those that send nothing, for
 * which MPI libraries wait for ever. */
static const char* exchange_in(int more, int from_all, MPI_Comm comm, int length, int even,
                               int typed) {
  const int rank = check_rank(comm);
  const int size = check_size(comm);
  int sent[most], from[most], received[most], to[most], room[most];
  MPI_Datatype sent_types[most], received_types[most];
  int in_use = 0, out_use = 0;
  for (int i = 0; i < size; ++i) {
    sent[i] = even ? length : (rank + i) % 3 * length;
    received[i] = even ? length : (i + rank) % 3 * length;
    check_fill(in + in_use, sent[i], 1000 * rank + 100000 * i, 1);
    from[i] = typed ? in_use * (int)sizeof *in : in_use;
    to[i] = typed ? out_use * (int)sizeof *out : out_use;
    in_use += sent[i];
    room[i] = i == rank || (received[i] == 0 && !from_all) ? 0 : more;
    received[i] += room[i];
    out_use += received[i];
    sent_types[i] = sent[i] > 0 ? MPI_INT : NO_TYPE;
    received_types[i] = received[i] > 0 ? MPI_INT : NO_TYPE;
  }
  memset(out, 0, (size_t)out_use * sizeof *out);
  if (typed) {
    MPI_Alltoallw(in, sent, from, sent_types, out, received, to, received_types, comm);
  } else {
    MPI_Alltoallv(in, sent, from, MPI_INT, out, received, to, MPI_INT, comm);
  }
  const char* ran = what_ran(comm);
  for (int i = 0, place = 0; i < size; place += received[i++]) {
    CHECK(check_run(out + place, received[i] - room[i], 1000 * i + 100000 * rank, 1));
  }
  return ran;
}

static const char* exchange(MPI_Comm comm, int length, int even, int typed) {
  return exchange_in(0, 0, comm, length, even, typed);
}

static int is_known(const char* ran) { return strstr(ran, "do not share") == NULL; }

/* More room than is sent, also where nothing is sent. */
static void with_room_for_nothing(void) {
  for (int i = 0; i < 40; ++i) {
    const char* ran = exchange_in(i, 1, MPI_COMM_WORLD, i % 7 * 3000, i % 2, i / 2 % 2);
    CHECK(strstr(ran, "forced") != NULL && strstr(ran, "native") == NULL);
  }
}

/* agreed [room]    room: only with more room than is sent; the algorithm has to be forced */
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  const size_t bytes = sizeof(int) * 2 * longest * (size_t)check_size(MPI_COMM_WORLD);
  in = malloc(bytes);
  out = malloc(bytes);
  if (argc > 1) {
    with_room_for_nothing();
    return check_end();
  }
  for (int typed = 0; typed < 2; ++typed) {
    for (int even = 0; even < 2; ++even) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      for (int call = 1; call < 7; ++call) {
        CHECK(is_known(exchange(comm, longest, even, typed)) == (call > 3));
      }
      CHECK(is_known(exchange(comm, 0, even, typed))); /* nobody has asked since */
      for (int call = 8; call < 16; ++call) exchange(comm, call % 2 * longest, even, typed);
      CHECK(!is_known(exchange(comm, longest, even, typed))); /* there were some of nothing */
      for (int call = 17; call < 300; ++call) exchange(comm, call % 4 + 1, even, typed);
      CHECK(is_known(exchange(comm, 3, even, typed)));
      MPI_Comm_free(&comm);

      /* more room than is sent, from each of these calls on, with lengths that change, too */
      for (int first = 1; first < 7; ++first) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 1; call < 12; ++call) {
          const int more = call >= first ? 5000 * (call % 3) + 1 : 0;
          const int length = call % 5 == 4 ? 100 : longest / 2;
          CHECK(is_known(exchange_in(more, 0, comm, length, even, typed)) == (call > 3));
        }
        MPI_Comm_free(&comm);
      }

      MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* freed while an answer is under way */
      for (int call = 1; call < 3; ++call) exchange(comm, 5, even, typed);
      MPI_Comm_free(&comm);
    }
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* never freed */
  for (int call = 1; call < 3; ++call) exchange(comm, 5, 1, 0);
  free(in);
  free(out);
  return check_end();
}
