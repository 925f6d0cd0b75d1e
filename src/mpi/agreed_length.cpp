// SPDX-License-Identifier: Apache-2.0
#include "mpi/agreed_length.hpp"

#include <algorithm>
#include <utility>

#include "mpi/waiting.hpp"

namespace roundelay::mpi {

bool AgreedLength::note(std::int64_t received, std::int64_t sent) noexcept {
  own_.least = std::min(own_.least, received);
  own_.room_left += received - sent;
  return ++calls_ == asks_at_;
}

void AgreedLength::ask(Communicator& comm) {
  asks_at_ += std::min(calls_, most_calls_between);
  end();
  bytes_ = all_.room_left == 0 ? all_.least / comm.size() : 0;
  if (comm.own() == MPI_COMM_NULL) return;
  all_ = std::exchange(own_, {});
  PMPI_Iallreduce(MPI_IN_PLACE, &all_, sizeof all_ / sizeof all_.least, MPI_INT64_T, MPI_SUM,
                  comm.own(), &request_);
}

void AgreedLength::end() {
  if (request_ != MPI_REQUEST_NULL) wait_for(std::exchange(request_, MPI_REQUEST_NULL));
}

}  // namespace roundelay::mpi
