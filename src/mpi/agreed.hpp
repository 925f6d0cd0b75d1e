// SPDX-License-Identifier: Apache-2.0
// A value that the ranks of a communicator agree on in the background.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/duplicates.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

// A value that is combined over all ranks, member by member: by default their sum. T has only
// std::int64_t members. The ranks exchange their parts at the calls 2, 4, 8, .., later every
// `most_calls_between` calls, while the program goes on. A result is used from the next exchange
// on, so that it takes effect at the same call on every rank.
template <typename T>
class Agreed {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::int64_t) == 0);

 public:
  explicit Agreed(std::uint64_t most_calls_between = 64, MPI_Op op = MPI_SUM)
      : most_calls_between_(most_calls_between), op_(op) {}
  // Counts a call. Whether the ranks exchange at this one: the same on all of them, provided that
  // all count every call.
  [[nodiscard]] bool is_due() noexcept { return ++calls_ == exchange_at_; }
  // Collective. Waits for the exchange under way, whose sum value() is from now on, and starts the
  // next one with this rank's part. On a communicator that cannot run schedules nothing
  // happens.
  void exchange(Communicator& comm, const T& part) {
    exchange_at_ += std::min(calls_, most_calls_between_);
    finish();
    if (!comm.can_run()) return;
    value_ = std::exchange(sum_, part);
    start(comm, sum_);
  }
  // Collective. Waits for all ranks: the sum of these parts is value() from now on.
  void agree(Communicator& comm, const T& part) {
    if (!comm.can_run()) return;
    value_ = part;
    start(comm, value_);
    finish();
  }
  // All ranks at the same call: the next one counts as the first, so that they exchange soon.
  void count_anew() noexcept {
    calls_ = 0;
    exchange_at_ = first_exchange;
  }
  // Waits for the exchange under way: before the communicator is freed.
  void finish() {
    if (request_ != MPI_REQUEST_NULL) wait_for(std::exchange(request_, MPI_REQUEST_NULL));
  }
  // The same on all ranks; T() until an exchange is over.
  [[nodiscard]] const T& value() const noexcept { return value_; }

 private:
  void start(Communicator& comm, T& sum) {
    wait_for_duplicates(comm.everybody());
    PMPI_Iallreduce(MPI_IN_PLACE, &sum, sizeof(T) / sizeof(std::int64_t), MPI_INT64_T, op_,
                    comm.everybody(), &request_);
  }

  // A communicator for one call needs no exchange.
  static constexpr std::uint64_t first_exchange = 2;

  std::uint64_t most_calls_between_;
  MPI_Op op_;
  std::uint64_t calls_ = 0;
  std::uint64_t exchange_at_ = first_exchange;
  T value_{};
  T sum_{};  // of the exchange under way
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace roundelay::mpi
