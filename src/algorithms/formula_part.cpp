// SPDX-License-Identifier: Apache-2.0
// What a formula says of a part of a call.
#include <cctype>
#include <string_view>

#include "algorithms/formula_tree.hpp"

namespace roundelay::formula_tree {

namespace {

std::string written(const Pointer& node) { return print(*simplified(node), 0); }

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A text in which p and m have other names.
std::string renamed(std::string_view text, const std::string& p, const std::string& m) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool whole_name = (i == 0 || !is_part_of_name(text[i - 1])) &&
                            (i + 1 == text.size() || !is_part_of_name(text[i + 1]));
    if (whole_name && text[i] == 'p') {
      result += p;
    } else if (whole_name && text[i] == 'm') {
      result += m;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

// The same of a part. A function is asked with other dimensions.
Pointer of_part(const Pointer& node, const Part& part) {
  switch (node->op) {
    case Operator::constant:
    case Operator::receivers: return node;
    case Operator::ranks: return part.ranks;
    case Operator::units: return part.units;
    case Operator::longest:
    case Operator::function: break;
    default: {
      Node copy = *node;
      if (node->a != nullptr) copy.a = of_part(node->a, part);
      if (node->b != nullptr) copy.b = of_part(node->b, part);
      if (node->op == Operator::if_power_of_two || node->op == Operator::if_many) {
        copy.ranks = node->ranks != nullptr ? of_part(node->ranks, part) : part.ranks;
      }
      return std::make_shared<const Node>(std::move(copy));
    }
  }
  const auto ask = [node, part](const Dimensions& of) {
    const Dimensions real{.p = static_cast<int>(evaluate(*part.ranks, of)),
                          .m = evaluate(*part.real, of.chosen_by()),
                          .network = of.network};
    Dimensions even = real;
    even.m = evaluate(*part.units, of);
    even.real = &real;
    return evaluate(*node, even);
  };
  return std::make_shared<const Node>(
      Node{.op = Operator::function,
           .a = node->a != nullptr ? of_part(node->a, part) : nullptr,
           .b = nullptr,
           .text = renamed(print(*node, 0), written(part.ranks), written(part.units)),
           .function = ask});
}

}  // namespace roundelay::formula_tree
