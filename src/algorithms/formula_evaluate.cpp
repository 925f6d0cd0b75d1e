// SPDX-License-Identifier: Apache-2.0
// Computes a formula for a call.
#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithms/formula_tree.hpp"

namespace roundelay::formula_tree {

double evaluate(const Node& node, const Dimensions& of) {
  const auto a = [&] { return evaluate(*node.a, of); };
  const auto b = [&] { return evaluate(*node.b, of); };
  const auto whole = [&] { return static_cast<unsigned>(std::max(1.0, a())); };
  const auto ranks = [&] {
    return node.ranks != nullptr ? static_cast<int>(evaluate(*node.ranks, of)) : of.p;
  };
  switch (node.op) {
    case Operator::constant: return node.value;
    case Operator::ranks: return of.p;
    case Operator::receivers: return of.q;
    case Operator::units: return of.m;
    case Operator::longest: return of.longest_block();
    case Operator::add: return a() + b();
    case Operator::subtract: return a() - b();
    case Operator::multiply: return a() * b();
    case Operator::divide: return a() / b();
    case Operator::ceil_log2: return std::bit_width(whole() - 1U);
    case Operator::floor_log2: return std::bit_width(whole()) - 1;
    case Operator::exp2: return std::ldexp(1, static_cast<int>(a()));  // of whole numbers
    case Operator::floor: return std::floor(a());
    case Operator::ceil: return std::ceil(a());
    case Operator::min: return std::min(a(), b());
    case Operator::max: return std::max(a(), b());
    case Operator::if_power_of_two:
      return std::has_single_bit(static_cast<unsigned>(ranks())) ? a() : b();
    case Operator::if_many: return ranks() > 1 ? a() : 0;
    case Operator::function: return node.function(of);
  }
  return 0;
}

}  // namespace roundelay::formula_tree
