// SPDX-License-Identifier: Apache-2.0
#include "interpret/expressions.hpp"

#include <utility>

namespace roundelay::interpret {

namespace {

constexpr std::size_t bits = 64;

std::size_t slot_of(std::uint64_t operands, std::size_t slots) {
  return static_cast<std::size_t>((operands * 0x9E3779B97F4A7C15U) >> 32) & (slots - 1);
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

std::uint64_t order_of_rank(int rank) { return mixed(static_cast<std::uint64_t>(rank) + 1); }

std::uint64_t order_of(std::uint64_t lower, std::uint64_t higher) {
  return mixed(mixed(lower) + 3 * higher);
}

}  // namespace

Expressions::Expressions(int p, bool commutative)
    : p_(p),
      commutative_(commutative),
      words_((static_cast<std::size_t>(p) + bits - 1) / bits),
      known_(1024) {
  for (int rank = 0; rank < p; ++rank) entries_.push_back({rank, 1, none, order_of_rank(rank)});
}

std::optional<Expression> Expressions::combine(Expression lower, Expression higher) {
  const std::uint64_t operands = (std::uint64_t{lower} << 32) | higher;
  std::size_t slot = slot_of(operands, known_.size());
  for (; known_[slot].result != none; slot = (slot + 1) & (known_.size() - 1)) {
    if (known_[slot].operands == operands) return known_[slot].result;
  }
  const std::optional<Entry> entry = united(entries_[lower], entries_[higher]);
  if (!entry) return std::nullopt;
  const auto result = static_cast<Expression>(entries_.size());
  entries_.push_back(*entry);
  entries_.back().order = order_of(entries_[lower].order, entries_[higher].order);
  known_[slot] = {operands, result};
  if (++known_count_ * 2 > known_.size()) grow();
  return result;
}

std::optional<Expressions::Entry> Expressions::united(const Entry& lower, const Entry& higher) {
  const int count = lower.count + higher.count;
  if (count > p_) return std::nullopt;
  const auto follows = [](const Entry& a, const Entry& b, int turn) {
    return a.row == none && b.row == none && (a.first + a.count) % turn == b.first;
  };
  if (!commutative_) {
    return follows(lower, higher, p_ + 1) ? std::optional(Entry{lower.first, count}) : std::nullopt;
  }
  if (follows(lower, higher, p_)) return Entry{lower.first, count};
  if (follows(higher, lower, p_)) return Entry{higher.first, count};

  const auto row = static_cast<std::uint32_t>(rows_.size() / words_);
  rows_.resize(rows_.size() + words_);
  for (int rank = 0; rank < p_; ++rank) {
    const bool in_lower = holds(lower, rank);
    const bool in_higher = holds(higher, rank);
    if (in_lower && in_higher) {
      rows_.resize(row * words_);
      return std::nullopt;
    }
    const auto at = static_cast<std::size_t>(rank);
    rows_[row * words_ + at / bits] |= std::uint64_t{in_lower || in_higher} << at % bits;
  }
  return Entry{.count = count, .row = row};
}

bool Expressions::holds(const Entry& entry, int rank) const {
  if (entry.row == none) return (rank - entry.first + p_) % p_ < entry.count;
  const auto at = static_cast<std::size_t>(rank);
  return ((rows_[entry.row * words_ + at / bits] >> at % bits) & 1U) != 0;
}

bool Expressions::is_of(Expression expression, int first, int count) const {
  const Entry& entry = entries_[expression];
  if (entry.count != count) return false;
  if (count == p_) return true;
  if (entry.row == none) return entry.first == first;
  for (int rank = first; rank < first + count; ++rank) {
    if (!holds(entry, rank)) return false;
  }
  return true;
}

void Expressions::grow() {
  std::vector<Known> old(known_.size() * 2);
  std::swap(old, known_);
  for (const Known& it : old) {
    if (it.result == none) continue;
    std::size_t slot = slot_of(it.operands, known_.size());
    while (known_[slot].result != none) slot = (slot + 1) & (known_.size() - 1);
    known_[slot] = it;
  }
}

std::string Expressions::text(Expression expression) const {
  const Entry& entry = entries_[expression];
  if (entry.count == 1) return "rank " + std::to_string(entry.first);
  if (entry.row == none) {
    return "ranks " + std::to_string(entry.first) + " to " +
           std::to_string((entry.first + entry.count - 1) % p_);
  }
  std::string ranks;
  for (int rank = 0; rank < p_; ++rank) {
    if (holds(entry, rank)) ranks += (ranks.empty() ? "ranks " : ", ") + std::to_string(rank);
  }
  return ranks;
}

}  // namespace roundelay::interpret
