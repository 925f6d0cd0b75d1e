// SPDX-License-Identifier: Apache-2.0
// Simplifies a formula: constants computed, and without what changes nothing.
#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithms/formula_tree.hpp"

namespace roundelay::formula_tree {

namespace {

bool are_alike(const Pointer& a, const Pointer& b) { return print(*a, 0) == print(*b, 0); }

// Whether it is so for every call; of what a function computes, which are counts.
bool never_negative(const Node& node) {
  switch (node.op) {
    case Operator::constant: return node.value >= 0;
    case Operator::subtract: return node.a->op == Operator::ranks && is(node.b, 1);
    case Operator::max: return never_negative(*node.a) || never_negative(*node.b);
    case Operator::add:
    case Operator::multiply:
    case Operator::divide:
    case Operator::min:
    case Operator::if_power_of_two: return never_negative(*node.a) && never_negative(*node.b);
    case Operator::floor:
    case Operator::ceil: return never_negative(*node.a);
    default: return true;
  }
}

// Whether it is so wherever there is more than one rank: of p and p - 1.
bool is_at_least_one(const Node& node) {
  return node.op == Operator::ranks ||
         (node.op == Operator::subtract && node.a->op == Operator::ranks && is(node.b, 1));
}

// Whether it is a whole number for every call.
bool always_whole(const Node& node) {
  switch (node.op) {
    case Operator::constant: return node.value == std::floor(node.value);
    case Operator::add:
    case Operator::subtract:
    case Operator::multiply:
    case Operator::min:
    case Operator::max: return always_whole(*node.a) && always_whole(*node.b);
    case Operator::divide:
    case Operator::if_power_of_two:
    case Operator::function: return false;
    default: return true;
  }
}

// The operands of nested operators of one kind.
void collect(Operator op, const Pointer& node, std::vector<Pointer>& into) {
  if (node->op != op) {
    into.push_back(node);
    return;
  }
  collect(op, node->a, into);
  collect(op, node->b, into);
}

Pointer joined(Operator op, const std::vector<Pointer>& operands) {
  Pointer all = operands.front();
  for (std::size_t i = 1; i < operands.size(); ++i) all = make(op, all, operands[i]);
  return all;
}

struct Term {
  Pointer value;
  bool is_subtracted;
};

// The terms of a sum; what is subtracted as a whole stays together.
void collect_terms(const Pointer& node, std::vector<Term>& into) {
  if (node->op == Operator::add) {
    collect_terms(node->a, into);
    collect_terms(node->b, into);
  } else if (node->op == Operator::subtract) {
    collect_terms(node->a, into);
    into.push_back({node->b, true});
  } else {
    into.push_back({node, false});
  }
}

// A term as a number times the rest, e.g. of 2 m / p the 2 and m / p; of a constant no rest.
struct Multiple {
  double factor;
  Pointer rest;
};

Multiple multiple_of(const Pointer& term) {
  if (is_constant(term)) return {term->value, nullptr};
  if (term->op == Operator::multiply && is_constant(term->a)) return {term->a->value, term->b};
  if (term->op == Operator::multiply) {
    const auto [factor, rest] = multiple_of(term->a);
    return {factor, make(Operator::multiply, rest, term->b)};
  }
  if (term->op == Operator::divide && !is_constant(term->a)) {
    const auto [factor, rest] = multiple_of(term->a);
    return {factor, make(Operator::divide, rest, term->b)};
  }
  return {1, term};
}

// The constant first, also of a quotient's upper part.
Pointer times(double factor, const Pointer& rest) {
  if (rest == nullptr) return make(Operator::constant, nullptr, nullptr, factor);
  if (factor == 1) return rest;
  if (rest->op == Operator::multiply || rest->op == Operator::divide) {
    return make(rest->op, times(factor, rest->a), rest->b);
  }
  return make(Operator::multiply, times(factor, nullptr), rest);
}

// Terms that differ only in a constant factor become one, where the first of them was; no sum
// begins with a negative constant.
Pointer simple_sum(const Pointer& node) {
  std::vector<Term> terms;
  collect_terms(node, terms);
  std::vector<Multiple> multiples;
  for (const Term& term : terms) {
    auto [factor, rest] = multiple_of(term.value);
    if (term.is_subtracted) factor = -factor;
    const auto like = std::ranges::find_if(multiples, [&](const Multiple& one) {
      return rest == nullptr || one.rest == nullptr ? rest == one.rest : are_alike(one.rest, rest);
    });
    if (like == multiples.end()) {
      multiples.push_back({factor, rest});
    } else {
      like->factor += factor;
    }
  }
  std::erase_if(multiples, [](const Multiple& one) { return one.factor == 0; });
  if (multiples.empty()) return make(Operator::constant);
  if (multiples.front().rest == nullptr && multiples.front().factor < 0) {
    std::ranges::rotate(multiples, multiples.begin() + 1);
  }
  Pointer sum;
  for (const auto& [factor, rest] : multiples) {
    const Pointer value = times(std::abs(factor), rest);
    if (sum == nullptr && factor > 0) {
      sum = value;
    } else {
      if (sum == nullptr) sum = make(Operator::constant);
      sum = make(factor < 0 ? Operator::subtract : Operator::add, sum, value);
    }
  }
  return sum;
}

// The constant factor, if it is not 1, is the first.
Pointer simple_product(const Pointer& node) {
  std::vector<Pointer> factors;
  collect(Operator::multiply, node, factors);
  double constant = 1;
  for (const Pointer& factor : factors) constant *= is_constant(factor) ? factor->value : 1;
  std::erase_if(factors, is_constant);
  if (constant == 0) return make(Operator::constant);
  if (constant != 1 || factors.empty()) {
    factors.insert(factors.begin(), make(Operator::constant, nullptr, nullptr, constant));
  }
  return joined(Operator::multiply, factors);
}

Pointer simple_quotient(const Pointer& node) {
  if (is(node->a, 0) || is(node->b, 1)) return node->a;
  std::vector<Pointer> factors;
  collect(Operator::multiply, node->a, factors);
  const auto same = std::ranges::find_if(
      factors, [&](const Pointer& factor) { return are_alike(factor, node->b); });
  if (same == factors.end()) return node;
  factors.erase(same);
  return factors.empty() ? make(Operator::constant, nullptr, nullptr, 1)
                         : joined(Operator::multiply, factors);
}

// The constants of nested minima or maxima become one, the first; what is written alike is once.
Pointer simple_extreme(const Pointer& node) {
  std::vector<Pointer> operands;
  collect(node->op, node, operands);
  Pointer constant;
  std::vector<Pointer> rest;
  for (const Pointer& operand : operands) {
    if (is_constant(operand)) {
      constant = constant == nullptr ? operand
                                     : make(Operator::constant, nullptr, nullptr,
                                            evaluate(*make(node->op, constant, operand), {}));
    } else if (std::ranges::none_of(rest,
                                    [&](const Pointer& one) { return are_alike(one, operand); })) {
      rest.push_back(operand);
    }
  }
  const auto any = [&](bool (*holds)(const Node&)) {
    return std::ranges::any_of(rest, [&](const Pointer& one) { return holds(*one); });
  };
  if (node->op == Operator::min && constant != nullptr && constant->value <= 1) {
    std::erase_if(rest, [](const Pointer& one) { return is_at_least_one(*one); });
  }
  const bool is_least =
      node->op == Operator::max && constant != nullptr &&
      ((is(constant, 0) && any(never_negative)) || (constant->value <= 1 && any(is_at_least_one)));
  if (constant != nullptr && !is_least) rest.insert(rest.begin(), constant);
  return joined(node->op, rest);
}

}  // namespace

Pointer simplified(const Pointer& node) {
  if (node->op == Operator::function) return node->a != nullptr ? simplified(node->a) : node;
  if (node->op == Operator::if_many) return simplified(node->a);
  if (node->a == nullptr) return node;
  Node copy = *node;
  copy.a = simplified(node->a);
  if (node->b != nullptr) copy.b = simplified(node->b);
  if (node->ranks != nullptr) copy.ranks = simplified(node->ranks);
  Pointer simple = std::make_shared<const Node>(std::move(copy));
  const bool has_condition = node->op == Operator::if_power_of_two;
  if (has_condition) return are_alike(simple->a, simple->b) ? simple->a : simple;
  if (is_constant(simple->a) && (simple->b == nullptr || is_constant(simple->b))) {
    const double value = evaluate(*simple, {});
    return std::isfinite(value) ? make(Operator::constant, nullptr, nullptr, value) : simple;
  }
  switch (node->op) {
    case Operator::add:
    case Operator::subtract: return simple_sum(simple);
    case Operator::multiply: return simple_product(simple);
    case Operator::divide: return simple_quotient(simple);
    case Operator::min:
    case Operator::max: return simple_extreme(simple);
    case Operator::floor:
    case Operator::ceil: return always_whole(*simple->a) ? simple->a : simple;
    default: return simple;
  }
}

}  // namespace roundelay::formula_tree
