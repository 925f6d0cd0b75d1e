/* SPDX-License-Identifier: Apache-2.0 */
/* How data goes by puts: put WHAT.
 *   carries    puts are made, no messages
 *   ends       communicators of the same ranks take turns with one window
 *   no-window  one rank cannot have the window: all use messages */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "support/check.h"

static int puts_made, messages_sent, windows_made;
static int refuses;

/* In place of the MPI library's. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
int PMPI_Rput(const void* from, int count, MPI_Datatype type, int rank, MPI_Aint where, int there,
              MPI_Datatype as, MPI_Win window, MPI_Request* request) {
  ++puts_made;
  return NEXT(PMPI_Rput)(from, count, type, rank, where, there, as, window, request);
}
int PMPI_Isend(const void* from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
               MPI_Request* request) {
  ++messages_sent;
  return NEXT(PMPI_Isend)(from, count, type, rank, tag, comm, request);
}
int PMPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                             MPI_Win* window) {
  ++windows_made;
  const int error = NEXT(PMPI_Win_allocate_shared)(size, unit, info, comm, base, window);
  return refuses ? MPI_ERR_NO_MEM : error;
}

static void make_many_in_turn(void) {
  for (int i = 0; i < 200; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_collectives(comm, 1 + 100 * i);
    MPI_Comm_free(&comm);
  }
  CHECK(windows_made == 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* what = argc > 1 ? argv[1] : "";
  refuses = !strcmp(what, "no-window") && check_rank(MPI_COMM_WORLD) == 1;
  if (!strcmp(what, "ends")) make_many_in_turn();
  for (int count = 1; count < 100000; count *= 7) check_collectives(MPI_COMM_WORLD, count);
  if (!strcmp(what, "no-window")) {
    CHECK(puts_made == 0 && messages_sent > 0);
  } else {
    CHECK(puts_made > 100 && messages_sent == 0);
  }
  return check_end();
}
