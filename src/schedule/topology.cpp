// SPDX-License-Identifier: Apache-2.0
#include "schedule/topology.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace roundelay {

Partition::Partition(std::vector<int> part_of, int parts)
    : part_of_(std::move(part_of)), first_(static_cast<std::size_t>(parts) + 1) {
  for (const int part : part_of_) {
    place_of_.push_back(first_[static_cast<std::size_t>(part) + 1]++);
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  members_.resize(part_of_.size());
  for (int rank = 0; rank < ranks(); ++rank) {
    const int index = before(this->part_of(rank)) + place_of(rank);
    members_[static_cast<std::size_t>(index)] = rank;
  }
}

int Partition::largest() const noexcept {
  int most = 0;
  for (int part = 0; part < count(); ++part) most = std::max(most, size(part));
  return most;
}

int Partition::smallest() const noexcept {
  int least = ranks();
  for (int part = 0; part < count(); ++part) least = std::min(least, size(part));
  return least;
}

// Parts are in the order of their lowest ranks.
bool Partition::consecutive() const noexcept { return std::ranges::is_sorted(members_); }

std::string Partition::text() const {
  std::string all;
  if (consecutive()) {
    for (int part = 0; part < count(); ++part) {
      all += (part > 0 ? "+" : "") + std::to_string(size(part));
    }
    return all;
  }
  const std::string_view letters = placement_letters;
  for (const int part : part_of_) {
    all += part < static_cast<int>(letters.size()) ? letters[static_cast<std::size_t>(part)] : '?';
  }
  return all;
}

}  // namespace roundelay
