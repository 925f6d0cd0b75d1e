// SPDX-License-Identifier: Apache-2.0
#include "algorithms/formula.hpp"

#include <cmath>
#include <utility>

#include "algorithms/formula_tree.hpp"

namespace roundelay {

namespace {

using formula_tree::is;
using formula_tree::make;
using formula_tree::Node;
using formula_tree::Operator;

}  // namespace

Formula::Formula(double constant) : node_(make(Operator::constant, nullptr, nullptr, constant)) {}
Formula Formula::of(std::string text, std::function<double(const Dimensions&)> function) {
  return Formula(std::make_shared<const Node>(Node{.op = Operator::function,
                                                   .a = nullptr,
                                                   .b = nullptr,
                                                   .text = std::move(text),
                                                   .function = std::move(function)}));
}
Formula Formula::written_as(const Formula& writing,
                            std::function<double(const Dimensions&)> function) {
  return Formula(std::make_shared<const Node>(Node{.op = Operator::function,
                                                   .a = writing.node_,
                                                   .b = nullptr,
                                                   .function = std::move(function)}));
}
Formula Formula::of_ranks(std::string text, double (*function)(int p)) {
  return of(std::move(text), [function](const Dimensions& of) { return function(of.p); });
}
Formula Formula::ranks() { return Formula(make(Operator::ranks)); }
Formula Formula::receivers() { return Formula(make(Operator::receivers)); }
Formula Formula::units() { return Formula(make(Operator::units)); }
Formula Formula::longest() { return Formula(make(Operator::longest)); }

Formula Formula::of_part(const Formula& whole, const Formula& ranks, const Formula& units,
                         const Formula& real) {
  return Formula(formula_tree::of_part(whole.node_, {ranks.node_, units.node_, real.node_}));
}

double Dimensions::longest_block() const noexcept {
  return longest < 0 ? std::ceil(m / p) : longest;
}

double Formula::operator()(const Dimensions& of) const {
  return formula_tree::evaluate(*node_, of);
}
std::string Formula::text() const {
  return formula_tree::print(*formula_tree::simplified(node_), 0);
}

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
