// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a communicator are: facts that all of them share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roundelay {

// What stands for parts where each rank has a letter.
inline constexpr std::string_view placement_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Ranks in parts, of any sizes, whose ranks need not follow one another. Parts are numbered in the
// order of their lowest ranks, a rank's place in its part is by rank.
class Partition {
 public:
  // Nobody knows: there are no parts.
  Partition() = default;

  // Ranks of one label are one part.
  template <typename Label>
  static Partition by(const std::vector<Label>& labels) {
    std::map<Label, int> numbers;
    std::vector<int> part_of;
    part_of.reserve(labels.size());
    for (const Label& label : labels) {
      part_of.push_back(numbers.try_emplace(label, static_cast<int>(numbers.size())).first->second);
    }
    return Partition(std::move(part_of), static_cast<int>(numbers.size()));
  }

  [[nodiscard]] bool known() const noexcept { return !part_of_.empty(); }
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(part_of_.size()); }
  [[nodiscard]] int count() const noexcept { return static_cast<int>(first_.size()) - 1; }
  // Of each rank.
  [[nodiscard]] const std::vector<int>& parts() const noexcept { return part_of_; }
  [[nodiscard]] int part_of(int rank) const noexcept { return at(part_of_, rank); }
  [[nodiscard]] int place_of(int rank) const noexcept { return at(place_of_, rank); }
  [[nodiscard]] int size(int part) const noexcept {
    return at(first_, part + 1) - at(first_, part);
  }
  [[nodiscard]] int largest() const noexcept;
  [[nodiscard]] int smallest() const noexcept;
  // The ranks of a part, ascending. As long as this lives.
  [[nodiscard]] std::span<const int> members(int part) const noexcept {
    return std::span(members_).subspan(static_cast<std::size_t>(at(first_, part)),
                                       static_cast<std::size_t>(size(part)));
  }
  // How many ranks there are in the parts before this one.
  [[nodiscard]] int before(int part) const noexcept { return at(first_, part); }
  // Whether the ranks of every part follow one another.
  [[nodiscard]] bool consecutive() const noexcept;

  // "4+3" where they do, else a letter for each rank, "abaab".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  Partition(std::vector<int> part_of, int parts);

  static int at(const std::vector<int>& of, int index) noexcept {
    return of[static_cast<std::size_t>(index)];
  }

  std::vector<int> part_of_;
  std::vector<int> place_of_;
  std::vector<int> members_;      // part by part
  std::vector<int> first_ = {0};  // of each part, in members_; and of one more
};

// Ranks on a node share memory; nodes at a site have a fast network between them.
enum class Level : std::uint8_t { nodes, sites };

struct Topology {
  Partition nodes = {};
  Partition sites = {};

  [[nodiscard]] const Partition& at(Level level) const noexcept {
    return level == Level::nodes ? nodes : sites;
  }
  [[nodiscard]] Partition& at(Level level) noexcept {
    return level == Level::nodes ? nodes : sites;
  }
  // What is slowest to cross, as far as it is known.
  [[nodiscard]] const Partition& outermost() const noexcept {
    return sites.known() ? sites : nodes;
  }
  friend bool operator==(const Topology&, const Topology&) = default;
};

}  // namespace roundelay
