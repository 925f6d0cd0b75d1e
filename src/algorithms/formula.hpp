// SPDX-License-Identifier: Apache-2.0
// Formulas in the numbers of a call: what an algorithm claims of itself, computed and printed from
// one source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "schedule/graph.hpp"
#include "schedule/topology.hpp"

namespace roundelay {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

// What of a network decides how a message is cut, in units of the message.
struct NetworkLengths {
  double startup = 5000;              // take as long as the start-up of a message: alpha / beta
  double gap = 1250;                  // as the time to the next that does not wait for it
  double longest_message = no_limit;  // at most so many in a message of a pipeline

  // The same in units of so many bytes, where these are bytes.
  [[nodiscard]] NetworkLengths in_units_of(std::int64_t bytes) const noexcept {
    const auto unit = static_cast<double>(std::max<std::int64_t>(1, bytes));
    return {startup / unit, gap / unit, longest_message / unit};
  }
  friend bool operator==(const NetworkLengths&, const NetworkLengths&) = default;
};

// A call in numbers.
struct Dimensions {
  int p = 1;            // ranks; on an intercommunicator those of the sending group
  double m = 0;         // units of the whole message
  double longest = -1;  // units of the longest block; negative: as of even blocks, ceil(m / p)
  NetworkLengths network = {};
  int q = 0;                           // ranks of the receiving group; 0: there is one group
  const Topology* topology = nullptr;  // where the ranks are, if anybody knows
  const Graph* graph = nullptr;        // of a neighbourhood collective
  // Where these are of a longer message that stands for the real one, so that it can be cut evenly:
  // the real one, by which an algorithm chooses what is left to it.
  const Dimensions* real = nullptr;

  [[nodiscard]] const Dimensions& chosen_by() const noexcept {
    return real != nullptr ? *real : *this;
  }
  [[nodiscard]] double longest_block() const noexcept;
};

// An expression in p (ranks), m (units of the whole message) and the like, e.g.
// ceil_log2(p) + m * (p - 1) / p. On an intercommunicator p ranks send and q receive.
class Formula {
 public:
  struct Node;

  Formula() : Formula(0.0) {}
  // Numbers are formulas.
  // NOLINTBEGIN(google-explicit-constructor)
  Formula(double constant);
  Formula(int constant) : Formula(static_cast<double>(constant)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] double operator()(const Dimensions& of) const;
  [[nodiscard]] double operator()(int p, double m) const {
    return (*this)(Dimensions{.p = p, .m = m});
  }
  // As a person would write it, e.g. "m (p - 1) / p": without what changes nothing, constants
  // computed. It says the value for more than one rank.
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

  // What no formula says; `text` is how it is written, e.g. "rounds(p)".
  static Formula of(std::string text, std::function<double(const Dimensions&)> function);
  // The same, written as a formula.
  static Formula written_as(const Formula& writing,
                            std::function<double(const Dimensions&)> function);
  // The same for a function of p alone.
  static Formula of_ranks(std::string text, double (*function)(int p));

  // What a formula says of a part of the call, of so many ranks and units. `real`: how many units
  // there are, where the others are only there to make blocks even; see Dimensions::real.
  static Formula of_part(const Formula& whole, const Formula& ranks, const Formula& units,
                         const Formula& real);
  static Formula of_part(const Formula& whole, const Formula& ranks, const Formula& units) {
    return of_part(whole, ranks, units, units);
  }
  // Of the units that so many ranks share, as if each had as many as the one that has most.
  static Formula of_even_part(const Formula& whole, const Formula& ranks, const Formula& units) {
    return of_part(whole, ranks, ranks * ceil(units / ranks), units);
  }

  static Formula ranks();
  static Formula receivers();
  static Formula units();
  static Formula longest();

 private:
  explicit Formula(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

// The variables of every claim.
inline Formula p() { return Formula::ranks(); }
inline Formula q() { return Formula::receivers(); }
inline Formula m() { return Formula::units(); }
inline Formula longest_block() { return Formula::longest(); }

}  // namespace roundelay
