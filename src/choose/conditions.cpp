// SPDX-License-Identifier: Apache-2.0
// When the conditions of a rule hold, and how they are written.
#include <array>
#include <bit>

#include "choose/profile.hpp"

namespace roundelay::choose {

namespace {

using Operation = Conditions::Operation;

bool is(Operation wanted, bool predefined, bool commutative) {
  switch (wanted) {
    case Operation::predefined: return predefined;
    case Operation::user_defined: return !predefined;
    case Operation::commutative: return commutative;
    case Operation::non_commutative: return !commutative;
  }
  return false;
}

// All that MPI has are commutative.
bool covers(Operation wide, Operation narrow) {
  return wide == narrow || (wide == Operation::commutative && narrow == Operation::predefined) ||
         (wide == Operation::user_defined && narrow == Operation::non_commutative);
}

// With K, M or G where that is exact.
std::string bytes_text(std::int64_t bytes) {
  constexpr std::string_view units = "KMG";
  std::string unit;
  for (std::size_t i = 0; i < units.size() && bytes > 0 && bytes % 1024 == 0; ++i) {
    bytes /= 1024;
    unit = units[i];
  }
  return std::to_string(bytes) + unit;
}

std::string text_of(Range range, std::string (*written)(std::int64_t)) {
  return written(range.least) + " .. " +
         (range.most == Range::no_end ? "inf" : written(range.most));
}

}  // namespace

// A length that does not divide belongs to the block that it fills.
Range Range::of_message(int blocks) const noexcept {
  const auto times = [&](std::int64_t value) {
    return value > no_end / blocks ? no_end : value * blocks;
  };
  return {times(least), most == no_end || times(most + 1) == no_end ? no_end : times(most + 1) - 1};
}

bool Conditions::hold(const Facts& facts) const noexcept {
  return inter == facts.inter && bytes.has(facts.bytes) &&
         block_bytes.of_message(facts.ranks).has(facts.bytes) && ranks.has(facts.ranks) &&
         nodes.has(facts.nodes) && ranks_per_node.has(facts.ranks_per_node) &&
         sites.has(facts.topology != nullptr ? facts.topology->sites.count() : 0) &&
         (!power_of_two ||
          *power_of_two == std::has_single_bit(static_cast<unsigned>(facts.ranks))) &&
         (!operation || is(*operation, facts.predefined, facts.commutative));
}

bool Conditions::cover(const Conditions& other) const noexcept {
  return inter == other.inter && bytes.covers(other.bytes) &&
         block_bytes.covers(other.block_bytes) && ranks.covers(other.ranks) &&
         nodes.covers(other.nodes) && ranks_per_node.covers(other.ranks_per_node) &&
         sites.covers(other.sites) && (!power_of_two || power_of_two == other.power_of_two) &&
         (!operation || (other.operation && covers(*operation, *other.operation)));
}

bool Conditions::ask_for_nodes() const noexcept {
  return nodes != Range() || ranks_per_node != Range();
}

std::string Conditions::text() const {
  std::string all;
  const auto add = [&](std::string_view key, const std::string& value) {
    all += (all.empty() ? "" : ", ") + std::string(key) + " " + value;
  };
  const auto add_range = [&](std::string_view key, Range range,
                             std::string (*written)(std::int64_t)) {
    if (range != Range()) add(key, text_of(range, written));
  };
  const auto plain = [](std::int64_t value) { return std::to_string(value); };
  add_range("bytes", bytes, bytes_text);
  add_range("block_bytes", block_bytes, bytes_text);
  add_range("ranks", ranks, plain);
  if (power_of_two) add("power_of_two", *power_of_two ? "true" : "false");
  add_range("nodes", nodes, plain);
  add_range("ranks_per_node", ranks_per_node, plain);
  add_range("sites", sites, plain);
  constexpr std::array operations{"predefined", "user_defined", "commutative", "non_commutative"};
  if (operation) add("operation", operations.at(static_cast<std::size_t>(*operation)));
  if (inter) add("kind", "inter");
  return all;
}

}  // namespace roundelay::choose
