// SPDX-License-Identifier: Apache-2.0
// Case: the numbers of one call of a collective.
#pragma once

#include <cstdint>
#include <memory>

#include "algorithms/catalogue.hpp"

namespace roundelay::interpret {

// How long the blocks are where a collective leaves that open (see irregular()); Traff's three
// cases. Where every rank has a block for every other, think of rank i and j in place of i.
enum class Distribution : std::uint8_t {
  even,
  uneven,     // in proportion to i mod 3
  degenerate  // one rank has all
};

struct Case {
  int p = 1;     // ranks; where there are two groups, senders
  int root = 0;  // where there are two groups, one of the ranks of its own
  Units m = 0;   // the whole message, see Claims
  bool commutative = true;
  bool in_place = false;  // the contribution lies where the result shall be (reduce: at the root)
  Distribution distribution = Distribution::even;
  // Where MPI lets every rank say where its blocks lie (see laid_out()): in another order than the
  // ranks, with gaps, and elsewhere on each rank. Else one after the other.
  bool apart = false;
  Units longest = 0;  // of any lengths: of the longest block, the others share the rest; 0: no such
  int ports = 0;      // sends, and as many receives, that a rank may have in flight; 0: as claimed
  int q = 0;          // receivers; 0: there is one group
  Topology topology = {};  // where the ranks are, if that is to be known
  NetworkLengths network = {};
  std::shared_ptr<const Graph> graph = {};  // of a neighbourhood collective; none: a ring

  [[nodiscard]] int ranks() const noexcept { return p + q; }
  // How many have a result.
  [[nodiscard]] int receivers() const noexcept { return q > 0 ? q : p; }
};

// Whether a rank says with displacements where its blocks lie. Those of a reduce_scatter follow one
// another.
[[nodiscard]] constexpr bool laid_out(Collective collective) noexcept {
  return irregular(collective) && !reduces(collective);
}

// The case must outlive them.
[[nodiscard]] inline Circumstances circumstances_of(const Case& of) {
  return {of.p, of.commutative, &of.topology};
}

}  // namespace roundelay::interpret
