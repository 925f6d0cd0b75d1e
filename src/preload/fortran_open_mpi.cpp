// SPDX-License-Identifier: Apache-2.0
// Open MPI's Fortran layer calls PMPI_*, past every C function of ours. So its own entry points are
// defined here: mpi_x_ for mpif.h and "use mpi" (in three of its four manglings, see fortran.hpp),
// and ompi_x_f, which "use mpi_f08" calls. Those of the collectives are in the list in
// entry_points.py.
#if ROUNDELAY_OPEN_MPI

#include <memory>
#include <new>

#include "preload/fortran.hpp"
#include "preload/interpose_combining.hpp"
#include "preload/interpose_exchanging.hpp"
#include "preload/interpose_moving.hpp"
#include "preload/interpose_neighbouring.hpp"
#include "preload/native.hpp"
#include "preload/report.hpp"

// MPI_BOTTOM and MPI_IN_PLACE are the addresses of common blocks, one for each mangling; not there
// in a program without Fortran.
extern "C" {
[[gnu::weak]] extern int mpi_fortran_bottom_;
[[gnu::weak]] extern int mpi_fortran_bottom__;
[[gnu::weak]] extern int mpi_fortran_bottom;
[[gnu::weak]] extern int MPI_FORTRAN_BOTTOM;
[[gnu::weak]] extern int mpi_fortran_in_place_;
[[gnu::weak]] extern int mpi_fortran_in_place__;
[[gnu::weak]] extern int mpi_fortran_in_place;
[[gnu::weak]] extern int MPI_FORTRAN_IN_PLACE;
}

namespace roundelay::preload {
namespace {

void* address_of(void* argument) {
  if (argument == nullptr) return argument;
  for (const int* bottom :
       {&mpi_fortran_bottom_, &mpi_fortran_bottom__, &mpi_fortran_bottom, &MPI_FORTRAN_BOTTOM}) {
    if (argument == bottom) return MPI_BOTTOM;
  }
  for (const int* in_place : {&mpi_fortran_in_place_, &mpi_fortran_in_place__,
                              &mpi_fortran_in_place, &MPI_FORTRAN_IN_PLACE}) {
    if (argument == in_place) return MPI_IN_PLACE;
  }
  return argument;
}

// How many ranks the communicator's own talk to; none in place, where the types do not count.
int ranks_of(MPI_Comm comm, const void* buffer) {
  int inter = 0;
  int ranks = 0;
  if (buffer != MPI_IN_PLACE) {
    PMPI_Comm_test_inter(comm, &inter);
    if (inter != 0) {
      PMPI_Comm_remote_size(comm, &ranks);
    } else {
      PMPI_Comm_size(comm, &ranks);
    }
  }
  return ranks;
}

// Null if there is no memory.
std::unique_ptr<MPI_Datatype[]> types_of(const MPI_Fint* types, int count) {
  std::unique_ptr<MPI_Datatype[]> found(new (std::nothrow) MPI_Datatype[count]);
  for (int i = 0; i < count && found != nullptr; ++i) found[i] = PMPI_Type_f2c(types[i]);
  return found;
}

int no_memory(MPI_Comm comm) {
  PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

}  // namespace

#include "entry_points/fortran_open_mpi.inc"

ROUNDELAY_FORTRAN(mpi_finalize, MPI_FINALIZE, ompi_finalize_f, (MPI_Fint * ierror)) {
  answer(ierror, finalize());
}

}  // namespace roundelay::preload

#endif
