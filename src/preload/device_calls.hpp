// SPDX-License-Identifier: Apache-2.0
// Calls of each collective in which a rank had memory of a GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "preload/names.hpp"

namespace roundelay::preload {

class DeviceCalls {
 public:
  // This rank had.
  void add(Collective collective) noexcept { ++mine_.of[static_cast<std::size_t>(collective)]; }
  // Counts a call that a schedule ran. Whether it is time to exchange(): for all ranks at the same
  // call, provided that all count every one.
  [[nodiscard]] bool is_due() noexcept { return agreed_.is_due(); }
  // Collective; see Agreed.
  void exchange(Communicator& comm) { agreed_.exchange(comm, mine_); }
  // The ranks are to exchange soon.
  void count_anew() noexcept { agreed_.count_anew(); }
  void finish() { agreed_.finish(); }
  // Of all ranks, as far as they know from each other.
  [[nodiscard]] std::span<const std::int64_t, collectives.size()> of_all() const noexcept {
    return agreed_.value().of;
  }

 private:
  struct Calls {
    std::array<std::int64_t, collectives.size()> of{};
  };
  Calls mine_;
  Agreed<Calls> agreed_{4096};
};

}  // namespace roundelay::preload
