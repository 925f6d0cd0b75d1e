// SPDX-License-Identifier: Apache-2.0
// A barrier by definition: nobody leaves before everybody has entered, between two groups everybody
// of the other one. All ranks of the tests are on one machine, so they share a clock.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>

#include "support/cases.hpp"

namespace test {

inline std::int64_t clock_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// When the last of a rank's peers entered, and when the first of them left.
inline std::array<std::int64_t, 2> times_of_peers(const Seat& at) {
  std::array<std::int64_t, 2> all{std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max()};
  for (int peer = 0; peer < at.peers(); ++peer) {
    std::array<std::int64_t, 2> theirs{};
    MPI_Recv(theirs.data(), 2, MPI_INT64_T, peer, 0, at.comm, MPI_STATUS_IGNORE);
    all = {std::max(all[0], theirs[0]), std::min(all[1], theirs[1])};
  }
  return all;
}

// What a barrier that ended found, by when each rank entered and left: rank 0 is told by its peers,
// and between two groups the other rank 0 when the last of those who had to enter did.
inline Finding left_too_early(const Seat& at, const std::array<std::int64_t, 2>& mine, int error) {
  if (error != MPI_SUCCESS) return {"returned error " + std::to_string(error)};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(mine.data(), 2, MPI_INT64_T, 0, 0, at.comm, &request);
  Finding finding;
  if (at.rank == 0) {
    auto [last_entered, first_left] = times_of_peers(at);
    MPI_Sendrecv_replace(&last_entered, 1, MPI_INT64_T, 0, 1, 0, 1, at.comm, MPI_STATUS_IGNORE);
    if (first_left < last_entered) {
      finding.trouble =
          "a rank left " + std::to_string(last_entered - first_left) + " ns before another entered";
    }
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return finding;
}

// The rank that is named as root enters a while after the others.
inline Finding barrier_case(const Seat& at, const Arguments& a) {
  std::array<std::int64_t, 2> mine{};
  const auto enter = [&] {
    if (at.is_root(a)) usleep(3000);
    mine[0] = clock_now();
  };
  const auto leave = [&](int error) {
    mine[1] = clock_now();
    return left_too_early(at, mine, error);
  };
  return found_in(a.form, enter, [&](const Form& each) { return barrier(each, at.comm); }, leave);
}

}  // namespace test
