// SPDX-License-Identifier: Apache-2.0
// Trees for short messages, of which a rank can send several while the first is under way.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// The postal model (Bar-Noy, Kipnis 1992): who sends is free for the next message after one step,
// and the message arrives `latency` steps after it was sent. Whoever has the message sends it on in
// every step. So N(t) ranks are reached in t steps: N(t) = 1 for t < latency, then
// N(t) = N(t - 1) + N(t - latency). With a latency of 1 that is the binomial tree.
//
// Rank 0 is the root, and the ranks below a rank are consecutive: what a rank hands on is always
// the end of what it has.
//
//   p = 6, latency 2, N = 1 1 2 3 5 8:   0 - 3 4 5 (3 steps)    3 - 5
//                                        0 - 2                  3 - 4
//                                        0 - 1
class PostalTree {
 public:
  PostalTree(int p, int latency);

  struct Place {
    int parent = -1;            // the root has none
    std::vector<int> children;  // in the order in which they are sent to
  };
  [[nodiscard]] Place place(int v) const;

  struct Costs {
    int sent = 0;      // of the rank that sends most
    int messages = 0;  // sent and received, of the rank that has most
  };
  [[nodiscard]] Costs costs() const { return costs(whole()); }

 private:
  // Consecutive ranks that are to be reached in so many steps, by the first of them.
  struct Range {
    int first;
    int count;
    int steps;
  };
  [[nodiscard]] int size() const noexcept { return static_cast<int>(reached_.size()); }
  [[nodiscard]] Range whole() const noexcept { return {0, p_, size() - 1}; }
  [[nodiscard]] int full(int steps) const { return reached_[static_cast<std::size_t>(steps)]; }
  // What is handed on first, and what then is left.
  [[nodiscard]] Range handed(Range range) const;
  [[nodiscard]] Range kept(Range range) const;
  [[nodiscard]] Costs costs(Range range) const;

  int p_;
  int latency_;
  std::vector<int> reached_;  // N(t), but no more than p
};

// The parameter `latency`, the first of its algorithms. Left to them, it is how many messages take
// as long as one is under way.
[[nodiscard]] Parameter latency_parameter();
[[nodiscard]] PostalTree postal_tree(const Problem& x);
// The claims of a tree up or down which a message of m units goes.
[[nodiscard]] Claims postal_claims(const Choice& choice);

}  // namespace roundelay
