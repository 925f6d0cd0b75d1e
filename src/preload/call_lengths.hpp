// SPDX-License-Identifier: Apache-2.0
// How long recent calls were, for collectives whose ranks know only their own part (alltoallv ..).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "preload/names.hpp"

namespace roundelay::preload {

// Every rank tells the least that it received since it was last asked, so that long calls among
// short ones count as short, and the longest block.
class CallLengths {
 public:
  // A call in which this rank receives so many bytes. Whether it is time to exchange(): for all
  // ranks at the same call, provided that all note every call.
  [[nodiscard]] bool note(std::int64_t received, std::int64_t longest) noexcept {
    least_ = std::min(least_, received);
    most_ = std::max(most_, longest);
    const bool due = mean_.is_due();
    return longest_.is_due() && due;
  }
  // Collective; see Agreed.
  void exchange(Communicator& comm) {
    mean_.exchange(comm, {std::exchange(least_, none)});
    longest_.exchange(comm, {std::exchange(most_, 0)});
  }
  // Collective. The ranks agree on this call at once.
  void agree(Communicator& comm, std::int64_t received, std::int64_t longest) {
    mean_.agree(comm, {received});
    longest_.agree(comm, {longest});
  }
  void finish() {
    mean_.finish();
    longest_.finish();
  }
  // What a rank of so many receives in the mean, in bytes, the same on all of them; 0 until there
  // is an answer.
  [[nodiscard]] std::int64_t mean(int ranks) const noexcept { return mean_.value().sum / ranks; }
  // How the longest block of all compares with the mean; even where nobody told its blocks.
  [[nodiscard]] Unevenness unevenness(int ranks) const noexcept {
    const std::int64_t longest = longest_.value().block;
    return longest == 0 ? Unevenness() : Unevenness(mean(ranks), longest, ranks);
  }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  struct Received {
    std::int64_t sum = 0;
  };
  struct Longest {
    std::int64_t block = 0;
  };
  Agreed<Received> mean_;
  Agreed<Longest> longest_{64, MPI_MAX};
  std::int64_t least_ = none;
  std::int64_t most_ = 0;
};

}  // namespace roundelay::preload
