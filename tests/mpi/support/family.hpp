// SPDX-License-Identifier: Apache-2.0
// Family: how the ranks of the world are split into communicators of one group, or into some
// between two groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "support/case.hpp"

namespace test {

// How MPI_COMM_WORLD is split into a lane's communicators; of each rank of the world.
struct Family {
  static constexpr int outside = -1;  // the colour of a rank that takes no part

  std::vector<int> colours;
  std::vector<int> groups;  // where the communicators are between two groups: 0 or 1
  std::vector<int> keys;
  bool of_freed = false;  // made from a communicator that is freed at once

  [[nodiscard]] bool between() const { return !groups.empty(); }
  [[nodiscard]] int group(std::size_t rank) const { return between() ? groups[rank] : 0; }
  // The same for all ranks of one group, and for no others.
  [[nodiscard]] int number_of_group(std::size_t rank) const {
    return colours[rank] == outside ? outside : 2 * colours[rank] + group(rank);
  }

  // Of each colour.
  [[nodiscard]] std::map<int, Shape> shapes() const {
    std::map<int, Shape> shapes;
    for (std::size_t rank = 0; rank < colours.size(); ++rank) {
      if (colours[rank] == outside) continue;
      Shape& shape = shapes[colours[rank]];
      ++(group(rank) == 0 ? shape.first : shape.second);
    }
    return shapes;
  }
  [[nodiscard]] bool fits(const Case& one) const {
    return std::ranges::all_of(shapes(), [&](const auto& each) {
      return one.seated(each.second).is_possible(each.second);
    });
  }

  // Who has no other group takes no part.
  void leave_out_the_lonely() {
    const std::map<int, Shape> all = shapes();
    for (int& colour : colours) {
      if (colour == outside) continue;
      const Shape& shape = all.at(colour);
      if (shape.first == 0 || shape.second == 0) colour = outside;
    }
  }

  // The rank of the world that is rank 0 of the other group.
  [[nodiscard]] int leader_of_others(std::size_t rank) const {
    int leader = -1;
    for (std::size_t i = 0; i < colours.size(); ++i) {
      if (colours[i] != colours[rank] || groups[i] == groups[rank]) continue;
      if (leader < 0 || keys[i] < keys[static_cast<std::size_t>(leader)]) {
        leader = static_cast<int>(i);
      }
    }
    return leader;
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [colour, shape] : shapes()) {
      text += (text.empty() ? " " : " and ") + shape.text();
    }
    return text + " of " + std::to_string(colours.size()) + " ranks";
  }
};

}  // namespace test
