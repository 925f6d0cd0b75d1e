// SPDX-License-Identifier: Apache-2.0
// A value that the ranks of a communicator agree on in the background.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

// The value is a sum over all ranks, member by member: T has std::int64_t members only. Ranks
// exchange their parts at the calls 2, 4, .. 64, 128, 192, .., while the program goes on, and use
// the sum from the next exchange on: so every rank applies it from the same call on.
template <typename T>
class Agreed {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::int64_t) == 0);

 public:
  // Counts a call. Whether the ranks exchange at this one: the same on all of them, provided that
  // all count every call.
  [[nodiscard]] bool is_due() noexcept { return ++calls_ == exchange_at_; }
  // Collective. Waits for the exchange under way, whose sum value() is from now on, and starts the
  // next one with this rank's part. On a communicator that has no own() nothing happens.
  void exchange(Communicator& comm, const T& part) {
    exchange_at_ += std::min(calls_, most_calls_between);
    finish();
    if (comm.own() == MPI_COMM_NULL) return;
    value_ = std::exchange(sum_, part);
    PMPI_Iallreduce(MPI_IN_PLACE, &sum_, sizeof(T) / sizeof(std::int64_t), MPI_INT64_T, MPI_SUM,
                    comm.own(), &request_);
  }
  // Waits for the exchange under way: before the communicator is freed.
  void finish() {
    if (request_ != MPI_REQUEST_NULL) wait_for(std::exchange(request_, MPI_REQUEST_NULL));
  }
  // The same on all ranks; T() until an exchange is over.
  [[nodiscard]] const T& value() const noexcept { return value_; }

 private:
  static constexpr std::uint64_t most_calls_between = 64;

  std::uint64_t calls_ = 0;
  std::uint64_t exchange_at_ = 2;  // a communicator for one call needs no exchange
  T value_{};
  T sum_{};  // of the exchange under way
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace roundelay::mpi
