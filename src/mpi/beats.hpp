// SPDX-License-Identifier: Apache-2.0
// The short messages of a round, or of several rounds that nobody waits for in between, as beats.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <span>
#include <vector>

#include "mpi/memory.hpp"
#include "mpi/tape.hpp"
#include "schedule/round.hpp"

namespace roundelay::mpi {

inline bool is_short(const Transfer& transfer, const Memory& memory) noexcept {
  return transfer.data.size() <= 1 && transfer.data.length() * memory.type.size <= short_message;
}

// Whether the round has at most one message each way, short and not deferred: `beat` then.
inline bool is_one_beat(const Round& round, const Memory& memory, Beat& beat) noexcept {
  beat = {};
  for (const Transfer* transfer : round.transfers) {
    const bool is_first = (transfer->sends() ? beat.to : beat.from) == Beat::nobody;
    if (transfer->due != this_round || !is_first || !is_short(*transfer, memory)) return false;
    if (transfer->happens()) beat.add(*transfer);
  }
  return true;
}

class Beats {
 public:
  void clear() noexcept {
    beats_.clear();
    sides_ = {};
  }
  // Adds the transfers of the round if all are short, and either all deferred or none of them, and
  // if there are not too many each way then, each with another rank. Returns whether it did.
  bool add(const Round& round, bool deferred, const Memory& memory);
  // At least one beat. All but the last go on.
  [[nodiscard]] std::span<const Beat> all();

 private:
  static constexpr std::size_t most_ranks = 512;
  // The receives or the sends.
  struct Side {
    std::size_t count = 0;
    std::bitset<most_ranks> peers;
  };

  bool may_add(const Transfer& transfer, const Memory& memory) const noexcept;
  void add(const Transfer& transfer);
  void go_back_to(const std::array<Side, 2>& sides) noexcept;

  std::vector<Beat> beats_;
  std::array<Side, 2> sides_;  // receives, sends
};

}  // namespace roundelay::mpi
