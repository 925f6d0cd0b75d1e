// SPDX-License-Identifier: Apache-2.0
// Unmatched: transfers that a rank has posted and whose other side is not posted yet.
//
// A few are searched one by one. Many, as of a rank that sends to all others at once, are found by
// their peer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedule/round.hpp"

namespace roundelay::interpret {

struct Deferred;

struct Posted {
  const Transfer* transfer;
  Deferred* deferred;  // none: to be complete in its own round
  int rank;
  int round;
  std::size_t number;  // of those that the rank has posted
};

class Unmatched {
 public:
  [[nodiscard]] bool empty() const noexcept { return few_.empty() && many_.empty(); }

  void add(const Posted& one) {
    if (many_.empty() && few_.size() < most_few) {
      few_.push_back(one);
      return;
    }
    for (const Posted& each : few_) many_[key(*each.transfer)].push_back(each);
    few_.clear();
    many_[key(*one.transfer)].push_back(one);
  }

  // The earliest of those between this rank and `peer` in this direction.
  std::optional<Posted> take(int peer, Transfer::Direction direction) {
    if (many_.empty()) {
      const auto found = std::ranges::find_if(few_, [&](const Posted& one) {
        return one.transfer->peer == peer && one.transfer->direction == direction;
      });
      if (found == few_.end()) return std::nullopt;
      const Posted one = *found;
      few_.erase(found);
      return one;
    }
    const auto found = many_.find(key(peer, direction));
    if (found == many_.end()) return std::nullopt;
    const Posted one = found->second.front();
    found->second.erase(found->second.begin());
    if (found->second.empty()) many_.erase(found);
    return one;
  }

  // The earliest of all; there must be one.
  [[nodiscard]] const Posted& first() const {
    if (many_.empty()) return few_.front();
    const auto earlier = [](const auto& one, const auto& other) {
      return one.second.front().number < other.second.front().number;
    };
    return std::ranges::min_element(many_, earlier)->second.front();
  }

 private:
  static constexpr std::size_t most_few = 32;

  static std::uint64_t key(int peer, Transfer::Direction direction) {
    return 2 * static_cast<std::uint64_t>(peer) +
           (direction == Transfer::Direction::send ? 1U : 0U);
  }
  static std::uint64_t key(const Transfer& transfer) {
    return key(transfer.peer, transfer.direction);
  }

  std::vector<Posted> few_;  // in the order of posting
  std::unordered_map<std::uint64_t, std::vector<Posted>> many_;
};

}  // namespace roundelay::interpret
