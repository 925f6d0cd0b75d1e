// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/postal.hpp"

#include <algorithm>
#include <cmath>

namespace roundelay {

namespace {

// A message keeps a rank busy for at least this share of a start-up.
constexpr int most_latency = 8;

int latency_of(const Choice& choice, const Dimensions& dimensions) {
  const Dimensions& of = dimensions.chosen_by();
  if (choice.number(0) > 0) return static_cast<int>(choice.number(0));
  const double busy = std::max(of.m, of.network.startup / most_latency);
  return std::clamp(
      static_cast<int>(std::lround((of.network.startup + of.m) / std::max(1.0, busy))), 1,
      most_latency);
}

}  // namespace

PostalTree::PostalTree(int p, int latency) : p_(p), latency_(latency), reached_{1} {
  while (reached_.back() < p) {
    const int before = size() < latency ? 0 : full(size() - latency);
    reached_.push_back(std::min(p - reached_.back(), before) + reached_.back());
  }
}

PostalTree::Range PostalTree::handed(Range range) const {
  const int count = std::min(full(range.steps - latency_), range.count - 1);
  return {range.first + range.count - count, count, range.steps - latency_};
}

PostalTree::Range PostalTree::kept(Range range) const {
  return {range.first, range.count - handed(range).count, range.steps - 1};
}

PostalTree::Place PostalTree::place(int v) const {
  Place place;
  Range range = whole();
  while (range.count > 1) {
    const Range child = handed(range);
    if (v == range.first) place.children.push_back(child.first);
    if (v == child.first) place.parent = range.first;
    range = v < child.first ? kept(range) : child;
  }
  return place;
}

PostalTree::Costs PostalTree::costs(Range range) const {
  Costs costs;
  int sent = 0;
  for (; range.count > 1; range = kept(range)) {
    const Costs below = this->costs(handed(range));
    ++sent;
    costs.sent = std::max(costs.sent, below.sent);
    costs.messages = std::max(costs.messages, below.messages);
  }
  costs.sent = std::max(costs.sent, sent);
  costs.messages = std::max(costs.messages, sent + (range.first > 0 ? 1 : 0));
  return costs;
}

Parameter latency_parameter() {
  return {
      .name = "latency",
      .summary =
          "how many messages a rank can send before the first one arrives; auto: the model chooses",
      .least = 1,
      .most = 64,
      .standard = automatic_word,
      .automatic = true,
      .tried = {1, 2, 5}};
}

PostalTree postal_tree(const Problem& x) {
  return {x.group.size, latency_of(*x.choice, {.p = x.group.size,
                                               .m = static_cast<double>(x.data.length()),
                                               .network = x.network})};
}

Claims postal_claims(const Choice& choice) {
  const auto of_tree = [&](const char* text, auto function) {
    return Formula::of(text, [choice, function](const Dimensions& of) -> double {
      return function(PostalTree(of.p, latency_of(choice, of)));
    });
  };
  using Tree = const PostalTree&;
  const Formula sent = of_tree("children(p, latency)", [](Tree tree) { return tree.costs().sent; });
  return {
      .rounds = of_tree("messages(p, latency)", [](Tree tree) { return tree.costs().messages; }),
      .volume = sent * m()};
}

}  // namespace roundelay
