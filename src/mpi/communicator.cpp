// SPDX-License-Identifier: Apache-2.0
#include "mpi/communicator.hpp"

namespace roundelay::mpi {

Communicator::Communicator(MPI_Comm user) : user_(user) {
  int inter = 0;
  PMPI_Comm_test_inter(user, &inter);
  inter_ = inter != 0;
  PMPI_Comm_rank(user, &rank_);
  PMPI_Comm_size(user, &size_);
  if (inter_) PMPI_Comm_remote_size(user, &remote_size_);
  size_ += remote_size_;
}

MPI_Comm Communicator::make_own() {
  if (inter_) {
    merge();
  } else {
    duplicate();
  }
  if (own_ != MPI_COMM_NULL) PMPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN);
  return own_;
}

void Communicator::duplicate() {
  // Not MPI_Comm_dup: it would run the copy callbacks of the user's attributes.
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(user_, &group);
  if (PMPI_Comm_create(user_, group, &own_) != MPI_SUCCESS) own_ = MPI_COMM_NULL;
  PMPI_Group_free(&group);
}

// Nobody asks to be high: who is low is the MPI library's to say, and shows in the ranks.
void Communicator::merge() {
  const int local_rank = rank_;
  if (PMPI_Intercomm_merge(user_, 0, &own_) != MPI_SUCCESS) {
    own_ = MPI_COMM_NULL;
    return;
  }
  PMPI_Comm_rank(own_, &rank_);
  low_ = rank_ == local_rank;
}

void Communicator::free_own() noexcept {
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
}

}  // namespace roundelay::mpi
