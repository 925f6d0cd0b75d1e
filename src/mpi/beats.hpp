// SPDX-License-Identifier: Apache-2.0
// The short messages of one round, or of several rounds that nobody waits for in between, as beats.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "mpi/memory.hpp"
#include "mpi/tape.hpp"
#include "schedule/round.hpp"

namespace roundelay::mpi {

class Beats {
 public:
  void clear() noexcept {
    beats_.clear();
    counts_ = {};
  }
  // Adds the transfers of the round if all are short, of one slice, and either all deferred or none
  // of them, and if there are at most `most` each way then, each receive from another rank. Returns
  // whether it did.
  bool add(const Round& round, bool deferred, const Memory& memory, std::size_t most);
  // At least one beat. All but the last go on.
  [[nodiscard]] std::span<const Beat> all();

 private:
  static constexpr std::size_t sends = 1;

  bool may_add(const Transfer& transfer, const Memory& memory, std::size_t most) const noexcept;
  void add(const Transfer& transfer);
  void drop_beyond(std::array<std::size_t, 2> counts) noexcept;

  std::vector<Beat> beats_;
  std::array<std::size_t, 2> counts_{};  // of receives, of sends
};

}  // namespace roundelay::mpi
