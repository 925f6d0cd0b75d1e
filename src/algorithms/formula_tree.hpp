// SPDX-License-Identifier: Apache-2.0
// What a Formula is inside: a tree of operators, which is computed, printed, simplified and applied
// to a part of a call, each in a file of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "algorithms/formula.hpp"

namespace roundelay {

namespace formula_tree {

enum class Operator : std::uint8_t {
  constant,
  ranks,
  receivers,
  units,
  longest,
  add,
  subtract,
  multiply,
  divide,
  ceil_log2,
  floor_log2,
  exp2,
  floor,
  ceil,
  min,
  max,
  if_power_of_two,
  if_many,
  function
};

}  // namespace formula_tree

struct Formula::Node {
  formula_tree::Operator op;
  double value = 0;
  std::shared_ptr<const Node> a;  // of a function: as which formula it is written
  std::shared_ptr<const Node> b;
  std::shared_ptr<const Node> ranks = {};  // of a condition on their number; none: p
  std::string text = {};
  std::function<double(const Dimensions&)> function = {};
};

namespace formula_tree {

using Node = Formula::Node;
using Pointer = std::shared_ptr<const Node>;

inline Pointer make(Operator op, Pointer a = nullptr, Pointer b = nullptr, double value = 0) {
  return std::make_shared<const Node>(
      Node{.op = op, .value = value, .a = std::move(a), .b = std::move(b)});
}

inline bool is(const Pointer& node, double value) {
  return node->op == Operator::constant && node->value == value;
}
inline bool is_constant(const Pointer& node) { return node->op == Operator::constant; }

[[nodiscard]] double evaluate(const Node& node, const Dimensions& of);

// As it stands, in parentheses where it binds less tightly than `least`; 0: without.
[[nodiscard]] std::string print(const Node& node, int least);

// What is written: the same value for every call of many ranks, in fewer words.
[[nodiscard]] Pointer simplified(const Pointer& node);

// The same of a part of a call, of so many ranks and units; `real`: see Dimensions.
struct Part {
  Pointer ranks;
  Pointer units;
  Pointer real;
};
[[nodiscard]] Pointer of_part(const Pointer& node, const Part& part);

}  // namespace formula_tree
}  // namespace roundelay
