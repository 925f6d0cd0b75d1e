// SPDX-License-Identifier: Apache-2.0
// Symbolic results of a reduction: which ranks contributed, and combined in which way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpret/contents.hpp"

namespace roundelay::interpret {

// Expressions 0 .. p - 1 are the contributions of the ranks; every other one combines two. The same
// two operands give the same id, so equal ids mean equal bits. Every expression knows its ranks: an
// interval modulo p if it is one (rings, trees), else a row of bits.
class Expressions {
 public:
  Expressions(int p, bool commutative);

  // lower op higher; nothing if a rank would count twice, or, where the operation does not commute,
  // the ranks of `lower` do not end where those of `higher` begin.
  [[nodiscard]] std::optional<Expression> combine(Expression lower, Expression higher);
  // Whether exactly these ranks have contributed.
  [[nodiscard]] bool is_of(Expression expression, int first, int count) const;
  // Whether the rank contributed.
  [[nodiscard]] bool has(Expression expression, int rank) const {
    return holds(entries_[expression], rank);
  }
  // Equal for contributions that were combined in the same order, in whatever schedule (up to
  // collisions of 64 bits).
  [[nodiscard]] std::uint64_t order(Expression expression) const {
    return entries_[expression].order;
  }
  // E.g. "ranks 2 to 4" or "ranks 0, 3, 5".
  [[nodiscard]] std::string text(Expression expression) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Entry {
    int first = 0;  // of an interval
    int count = 0;
    std::uint32_t row = none;  // none: an interval
    std::uint64_t order = 0;
  };

  [[nodiscard]] std::optional<Entry> united(const Entry& lower, const Entry& higher);
  [[nodiscard]] bool holds(const Entry& entry, int rank) const;
  void grow();

  int p_;
  bool commutative_;
  std::vector<Entry> entries_;
  std::size_t words_;  // of a row
  std::vector<std::uint64_t> rows_;
  // Open addressing: the pair of operands and what they give.
  struct Known {
    std::uint64_t operands = 0;
    Expression result = none;
  };
  std::vector<Known> known_;
  std::size_t known_count_ = 0;
};

}  // namespace roundelay::interpret
