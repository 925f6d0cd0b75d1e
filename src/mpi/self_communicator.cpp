// SPDX-License-Identifier: Apache-2.0
#include "mpi/self_communicator.hpp"

#include <mutex>

namespace roundelay::mpi {

namespace {

// Recursive: to describe a datatype may need the description of another.
constinit std::recursive_mutex mutex;
MPI_Comm one_rank = MPI_COMM_NULL;

}  // namespace

SelfCommunicator::SelfCommunicator() { mutex.lock(); }
SelfCommunicator::~SelfCommunicator() { mutex.unlock(); }

MPI_Comm SelfCommunicator::comm() {
  if (one_rank != MPI_COMM_NULL) return one_rank;
  // Not MPI_Comm_dup: it would run the copy callbacks of the program's attributes.
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_SELF, &group);
  if (PMPI_Comm_create(MPI_COMM_SELF, group, &one_rank) == MPI_SUCCESS) {
    PMPI_Comm_set_errhandler(one_rank, MPI_ERRORS_RETURN);
  } else {
    one_rank = MPI_COMM_NULL;
  }
  PMPI_Group_free(&group);
  return one_rank;
}

void SelfCommunicator::free() {
  const SelfCommunicator locked;
  if (one_rank != MPI_COMM_NULL) PMPI_Comm_free(&one_rank);
}

}  // namespace roundelay::mpi
