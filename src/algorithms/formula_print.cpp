// SPDX-License-Identifier: Apache-2.0
// Prints a formula as a person would write it.
#include <array>
#include <cstdio>

#include "algorithms/formula_tree.hpp"

namespace roundelay::formula_tree {

namespace {

// Whether a text can be an operand without brackets around it.
bool is_one_term(const std::string& text) {
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ' ' && depth == 0) return false;
  }
  return true;
}

// How tightly an operator binds, for parentheses.
int strength(const Node& node) {
  switch (node.op) {
    case Operator::add:
    case Operator::subtract: return 1;
    case Operator::multiply:
    case Operator::divide: return 2;
    case Operator::if_power_of_two: return 0;
    case Operator::if_many: return strength(*node.a);
    case Operator::function: return is_one_term(node.text) ? 3 : 0;
    default: return 3;
  }
}

std::string call(const char* name, const Node& node) {
  std::string text = std::string(name) + "(" + print(*node.a, 0);
  if (node.b != nullptr) text += ", " + print(*node.b, 0);
  return text + ")";
}

// Of nested minima or maxima all operands, as those of one.
std::string operands(const Node& node, Operator op) {
  if (node.op != op) return print(node, 0);
  return operands(*node.a, op) + ", " + operands(*node.b, op);
}

std::string bare(const Node& node) {
  switch (node.op) {
    case Operator::constant: {
      std::array<char, 32> digits{};
      std::snprintf(digits.data(), digits.size(), "%g", node.value);
      return digits.data();
    }
    case Operator::ranks: return "p";
    case Operator::receivers: return "q";
    case Operator::units: return "m";
    case Operator::longest: return "longest_block";
    case Operator::add: return print(*node.a, 1) + " + " + print(*node.b, 1);
    case Operator::subtract: return print(*node.a, 1) + " - " + print(*node.b, 2);
    case Operator::multiply: return print(*node.a, 2) + " " + print(*node.b, 2);
    case Operator::divide: return print(*node.a, 2) + " / " + print(*node.b, 3);
    case Operator::ceil_log2: return call("ceil_log2", node);
    case Operator::floor_log2: return call("floor_log2", node);
    case Operator::exp2: return "2^" + print(*node.a, 3);
    case Operator::floor: return call("floor", node);
    case Operator::ceil: return call("ceil", node);
    case Operator::min: return "min(" + operands(node, node.op) + ")";
    case Operator::max: return "max(" + operands(node, node.op) + ")";
    case Operator::if_power_of_two:
      return print(*node.a, 1) + " if " + (node.ranks != nullptr ? print(*node.ranks, 1) : "p") +
             " is a power of two, else " + print(*node.b, 0);
    case Operator::if_many: return print(*node.a, 0);
    case Operator::function: return node.text;
  }
  return {};
}

}  // namespace

std::string print(const Node& node, int least) {
  return strength(node) < least ? "(" + bare(node) + ")" : bare(node);
}

}  // namespace roundelay::formula_tree
