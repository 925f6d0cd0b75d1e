// SPDX-License-Identifier: Apache-2.0
// A barrier by definition: nobody leaves before everybody has entered. All ranks of the tests are
// on one machine, so they share a clock.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <string>

#include "support/cases.hpp"

namespace test {

inline std::int64_t clock_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What a barrier that ended found, by when each rank entered and left.
inline Finding left_too_early(const Seat& at, const std::array<std::int64_t, 2>& mine, int error) {
  if (error != MPI_SUCCESS) return {"returned error " + std::to_string(error)};
  if (at.rank != 0) {
    MPI_Send(mine.data(), 2, MPI_INT64_T, 0, 0, at.comm);
    return {};
  }
  std::int64_t last_entered = mine[0];
  std::int64_t first_left = mine[1];
  for (int source = 1; source < at.size; ++source) {
    std::array<std::int64_t, 2> theirs{};
    MPI_Recv(theirs.data(), 2, MPI_INT64_T, source, 0, at.comm, MPI_STATUS_IGNORE);
    last_entered = std::max(last_entered, theirs[0]);
    first_left = std::min(first_left, theirs[1]);
  }
  if (first_left >= last_entered) return {};
  return {"a rank left " + std::to_string(last_entered - first_left) +
          " ns before another entered"};
}

// Rank `late` of the communicator enters a while after the others.
inline Finding barrier_case(const Seat& at, int late, const Form& form) {
  std::array<std::int64_t, 2> mine{};
  const auto enter = [&] {
    if (at.rank == late) usleep(3000);
    mine[0] = clock_now();
  };
  const auto leave = [&](int error) {
    mine[1] = clock_now();
    return left_too_early(at, mine, error);
  };
  return found_in(form, enter, [&](const Form& each) { return barrier(each, at.comm); }, leave);
}

}  // namespace test
