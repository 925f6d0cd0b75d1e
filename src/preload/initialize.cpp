// SPDX-License-Identifier: Apache-2.0
// The calls that initialize MPI: while they run, no other thread of the program makes
// communicators, so that this is the time to make those that are needed of this process alone. And
// the program has attached nothing yet.
#include "mpi/library.hpp"
#include "mpi/neighbours.hpp"
#include "mpi/self_communicator.hpp"
#include "preload/interpose.hpp"
#include "preload/native.hpp"
#include "preload/places.hpp"
#include "preload/report.hpp"
#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH  // the standard ABI has no MPI_Fint
#include "preload/fortran.hpp"
#endif

namespace roundelay::preload {
namespace {

const auto next_init = next_definition("MPI_Init", PMPI_Init);
const auto next_init_thread = next_definition("MPI_Init_thread", PMPI_Init_thread);

int initialized(int error) {
  if (error != MPI_SUCCESS || !mpi::is_own_library()) return error;
  arrange_leaving();
  mpi::SelfCommunicator::get();
  notice_parent();
#if ROUNDELAY_OPEN_MPI
  // Later, a communicator that is being duplicated may be in the way (see duplicates.hpp).
  mpi::ask_how_library_pairs();
#endif
  return error;
}

}  // namespace

ROUNDELAY_EXPORT int MPI_Init(int* argc, char*** argv) {
  return initialized(next_init(argc, argv));
}
ROUNDELAY_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return initialized(next_init_thread(argc, argv, required, provided));
}

#if ROUNDELAY_OPEN_MPI
// Open MPI's Fortran layer calls PMPI_*.
ROUNDELAY_FORTRAN(mpi_init, MPI_INIT, ompi_init_f, (MPI_Fint * ierror)) {
  answer(ierror, initialized(next_init(nullptr, nullptr)));
}
ROUNDELAY_FORTRAN(mpi_init_thread, MPI_INIT_THREAD, ompi_init_thread_f,
                  (MPI_Fint * required, MPI_Fint* provided, MPI_Fint* ierror)) {
  answer(ierror, initialized(next_init_thread(nullptr, nullptr, *required, provided)));
}
#elif ROUNDELAY_MPICH
// MPICH's Fortran layer calls MPI_*, but for these procedures of mpi_f08.
ROUNDELAY_EXPORT void mpi_init_f08_(MPI_Fint* ierror) {
  answer(ierror, initialized(next_init(nullptr, nullptr)));
}
ROUNDELAY_EXPORT void mpi_init_thread_f08_(const MPI_Fint* required, MPI_Fint* provided,
                                           MPI_Fint* ierror) {
  answer(ierror, initialized(next_init_thread(nullptr, nullptr, *required, provided)));
}
#endif

}  // namespace roundelay::preload
