// SPDX-License-Identifier: Apache-2.0
// Lanes: of every part the ranks of one place.
//
// There are as many as the smallest part has ranks. A rank at a later place of a greater part
// follows the one that is as many places before it, or twice as many, and so on: that leads.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

class Lane {
 public:
  Lane(const Partition& parts, int rank)
      : count_(parts.smallest()),
        number_(parts.place_of(rank) % count_),
        part_(parts.part_of(rank)) {
    for (int part = 0; part < parts.count(); ++part) {
      members_.push_back(parts.members(part)[static_cast<std::size_t>(number_)]);
    }
    for (int place = number_ + count_; place < parts.size(part_); place += count_) {
      followers_.push_back(parts.members(part_)[static_cast<std::size_t>(place)]);
    }
    leads_ = leader() == rank;
  }

  // How many there are.
  [[nodiscard]] int count() const noexcept { return count_; }
  // Which this is.
  [[nodiscard]] int number() const noexcept { return number_; }
  // Whether this rank is one of its ranks, and which rank of the own part is.
  [[nodiscard]] bool leads() const noexcept { return leads_; }
  [[nodiscard]] int leader() const noexcept { return members_[static_cast<std::size_t>(part_)]; }
  [[nodiscard]] const std::vector<int>& followers() const noexcept { return followers_; }
  // Its ranks, part by part, of which the caller has to be one. Refers to this.
  [[nodiscard]] Subgroup group(const Group& g) const noexcept {
    return g.listed(members_.data(), static_cast<int>(members_.size()), part_);
  }

 private:
  int count_;
  int number_;
  int part_;
  bool leads_ = false;
  std::vector<int> members_;
  std::vector<int> followers_;
};

}  // namespace roundelay
