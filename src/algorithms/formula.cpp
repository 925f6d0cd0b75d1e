// SPDX-License-Identifier: Apache-2.0
#include "algorithms/formula.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <utility>

namespace roundelay {

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

struct Formula::Node {
  Operator op;
  double value = 0;
  std::shared_ptr<const Node> a;
  std::shared_ptr<const Node> b;
  std::string text = {};
  std::function<double(const Dimensions&)> function = {};
};

namespace {

using Node = Formula::Node;
using Pointer = std::shared_ptr<const Node>;

Pointer make(Operator op, Pointer a = nullptr, Pointer b = nullptr, double value = 0) {
  return std::make_shared<const Node>(
      Node{.op = op, .value = value, .a = std::move(a), .b = std::move(b)});
}

bool is(const Pointer& node, double value) {
  return node->op == Operator::constant && node->value == value;
}

double evaluate(const Node& node, const Dimensions& of) {
  const auto a = [&] { return evaluate(*node.a, of); };
  const auto b = [&] { return evaluate(*node.b, of); };
  const auto whole = [&] { return static_cast<unsigned>(std::max(1.0, a())); };
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
      return std::has_single_bit(static_cast<unsigned>(of.p)) ? a() : b();
    case Operator::if_many: return of.p > 1 ? a() : 0;
    case Operator::function: return node.function(of);
  }
  return 0;
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
    default: return 3;
  }
}

std::string print(const Node& node, int least);

std::string call(const char* name, const Node& node) {
  std::string text = std::string(name) + "(" + print(*node.a, 0);
  if (node.b != nullptr) text += ", " + print(*node.b, 0);
  return text + ")";
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
    case Operator::min: return call("min", node);
    case Operator::max: return call("max", node);
    case Operator::if_power_of_two:
      return print(*node.a, 1) + " if p is a power of two, else " + print(*node.b, 0);
    case Operator::if_many: return print(*node.a, 0);
    case Operator::function: return node.text;
  }
  return {};
}

std::string print(const Node& node, int least) {
  return strength(node) < least ? "(" + bare(node) + ")" : bare(node);
}

// The same with other ranks and units. What is no plain arithmetic keeps its text and is asked with
// other dimensions.
Pointer replaced(const Pointer& node, const Pointer& ranks, const Pointer& units) {
  switch (node->op) {
    case Operator::constant:
    case Operator::receivers: return node;
    case Operator::ranks: return ranks;
    case Operator::units: return units;
    default: break;
  }
  Node copy = *node;
  if (node->a != nullptr) copy.a = replaced(node->a, ranks, units);
  if (node->b != nullptr) copy.b = replaced(node->b, ranks, units);
  switch (node->op) {
    case Operator::longest:
    case Operator::if_power_of_two:
    case Operator::if_many:
    case Operator::function: break;
    default: return std::make_shared<const Node>(std::move(copy));
  }
  const auto of_part = [node, ranks, units](const Dimensions& of) {
    return evaluate(*node, {.p = static_cast<int>(evaluate(*ranks, of)),
                            .m = evaluate(*units, of),
                            .network = of.network});
  };
  return std::make_shared<const Node>(Node{.op = Operator::function,
                                           .a = nullptr,
                                           .b = nullptr,
                                           .text = print(copy, 3),
                                           .function = of_part});
}

}  // namespace

Formula::Formula(double constant) : node_(make(Operator::constant, nullptr, nullptr, constant)) {}
Formula Formula::of(std::string text, std::function<double(const Dimensions&)> function) {
  return Formula(std::make_shared<const Node>(Node{.op = Operator::function,
                                                   .a = nullptr,
                                                   .b = nullptr,
                                                   .text = std::move(text),
                                                   .function = std::move(function)}));
}
Formula Formula::of_ranks(std::string text, double (*function)(int p)) {
  return of(std::move(text), [function](const Dimensions& of) { return function(of.p); });
}
Formula Formula::ranks() { return Formula(make(Operator::ranks)); }
Formula Formula::receivers() { return Formula(make(Operator::receivers)); }
Formula Formula::units() { return Formula(make(Operator::units)); }
Formula Formula::longest() { return Formula(make(Operator::longest)); }

Formula Formula::of_part(const Formula& whole, const Formula& ranks, const Formula& units) {
  return Formula(replaced(whole.node_, ranks.node_, units.node_));
}

double Dimensions::longest_block() const noexcept {
  return longest < 0 ? std::ceil(m / p) : longest;
}

double Formula::operator()(const Dimensions& of) const { return evaluate(*node_, of); }
std::string Formula::text() const { return print(*node_, 0); }

Formula operator+(const Formula& a, const Formula& b) {
  if (is(a.node_, 0)) return b;
  if (is(b.node_, 0)) return a;
  return Formula(make(Operator::add, a.node_, b.node_));
}
Formula operator-(const Formula& a, const Formula& b) {
  if (is(b.node_, 0)) return a;
  return Formula(make(Operator::subtract, a.node_, b.node_));
}
Formula operator*(const Formula& a, const Formula& b) {
  if (is(a.node_, 1)) return b;
  if (is(b.node_, 1)) return a;
  return Formula(make(Operator::multiply, a.node_, b.node_));
}
Formula operator/(const Formula& a, const Formula& b) {
  return Formula(make(Operator::divide, a.node_, b.node_));
}
Formula ceil_log2(const Formula& a) { return Formula(make(Operator::ceil_log2, a.node_)); }
Formula floor_log2(const Formula& a) { return Formula(make(Operator::floor_log2, a.node_)); }
Formula exp2(const Formula& a) { return Formula(make(Operator::exp2, a.node_)); }
Formula floor(const Formula& a) { return Formula(make(Operator::floor, a.node_)); }
Formula ceil(const Formula& a) { return Formula(make(Operator::ceil, a.node_)); }
Formula min(const Formula& a, const Formula& b) {
  return Formula(make(Operator::min, a.node_, b.node_));
}
Formula max(const Formula& a, const Formula& b) {
  return Formula(make(Operator::max, a.node_, b.node_));
}
Formula if_power_of_two(const Formula& then, const Formula& otherwise) {
  return Formula(make(Operator::if_power_of_two, then.node_, otherwise.node_));
}
Formula if_many(const Formula& then) { return Formula(make(Operator::if_many, then.node_)); }

}  // namespace roundelay
