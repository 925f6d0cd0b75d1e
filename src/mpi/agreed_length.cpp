// SPDX-License-Identifier: Apache-2.0
#include "mpi/agreed_length.hpp"

#include <algorithm>
#include <utility>

#include "mpi/waiting.hpp"

namespace roundelay {

bool AgreedLength::note(std::int64_t bytes) noexcept {
  least_ = std::min(least_, bytes);
  return ++calls_ == asks_at_;
}

void AgreedLength::ask(Communicator& comm) {
  asks_at_ += std::min(calls_, most_calls_between);
  end();
  bytes_ = sum_ / comm.size();
  if (comm.own() == MPI_COMM_NULL) return;
  sum_ = std::exchange(least_, none);
  PMPI_Iallreduce(MPI_IN_PLACE, &sum_, 1, MPI_INT64_T, MPI_SUM, comm.own(), &request_);
}

void AgreedLength::end() {
  if (request_ != MPI_REQUEST_NULL) wait_for(std::exchange(request_, MPI_REQUEST_NULL));
}

}  // namespace roundelay
