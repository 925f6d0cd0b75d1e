// SPDX-License-Identifier: Apache-2.0
#include "mpi/agreed_length.hpp"

#include <algorithm>
#include <utility>

#include "mpi/waiting.hpp"

namespace roundelay {

std::int64_t AgreedLength::next(std::int64_t bytes, Communicator& comm) {
  least_ = std::min(least_, bytes);
  if (++calls_ < asks_at_) return agreed_;
  asks_at_ += std::min(calls_, most_calls_between);
  end();
  agreed_ = sum_ / comm.size();
  if (comm.own() == MPI_COMM_NULL) return agreed_;
  sum_ = std::exchange(least_, none);
  PMPI_Iallreduce(MPI_IN_PLACE, &sum_, 1, MPI_INT64_T, MPI_SUM, comm.own(), &request_);
  return agreed_;
}

void AgreedLength::end() {
  if (request_ != MPI_REQUEST_NULL) wait_for(std::exchange(request_, MPI_REQUEST_NULL));
}

}  // namespace roundelay
