// SPDX-License-Identifier: Apache-2.0
// Formulas in p and m: what an algorithm claims of itself, computed and printed from one source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace roundelay {

// An expression in p (ranks) and m (units of the whole message), e.g. ceil_log2(p) + m * (p - 1) /
// p.
class Formula {
 public:
  struct Node;

  Formula() : Formula(0.0) {}
  // Numbers are formulas.
  // NOLINTBEGIN(google-explicit-constructor)
  Formula(double constant);
  Formula(int constant) : Formula(static_cast<double>(constant)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] double operator()(int p, double m) const;
  // As a person would write it, e.g. "m (p - 1) / p".
  [[nodiscard]] std::string text() const;

  friend Formula operator+(const Formula& a, const Formula& b);
  friend Formula operator-(const Formula& a, const Formula& b);
  friend Formula operator*(const Formula& a, const Formula& b);
  friend Formula operator/(const Formula& a, const Formula& b);
  friend Formula ceil_log2(const Formula& a);
  friend Formula floor_log2(const Formula& a);
  friend Formula exp2(const Formula& a);
  friend Formula floor(const Formula& a);
  friend Formula ceil(const Formula& a);
  friend Formula min(const Formula& a, const Formula& b);
  friend Formula max(const Formula& a, const Formula& b);
  // The first where p is a power of two, the second elsewhere.
  friend Formula if_power_of_two(const Formula& then, const Formula& otherwise);
  // The first where p is greater than 1, else 0.
  friend Formula if_many(const Formula& then);

  // A function of p that no formula says; `name` is how it is written.
  static Formula of_ranks(std::string_view name, double (*function)(int p));

  static Formula ranks();
  static Formula units();

 private:
  explicit Formula(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

// The variables of every claim.
inline Formula p() { return Formula::ranks(); }
inline Formula m() { return Formula::units(); }

}  // namespace roundelay
