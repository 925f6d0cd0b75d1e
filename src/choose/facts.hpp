// SPDX-License-Identifier: Apache-2.0
// What is known of a call.
#pragma once

#include <cstdint>

#include "algorithms/catalogue.hpp"

namespace roundelay::choose {

// What every rank of a call is guaranteed to share; nothing else may decide.
struct Facts {
  Collective collective = Collective::barrier;
  // Of the whole message, as `m` in Claims. If a call's ranks do not share it: what they have
  // agreed on that such calls have of late, 0 if nothing.
  std::int64_t bytes = 0;
  int ranks = 1;
  // Bytes of the longest block; 0: blocks are about alike. alltoallv and alltoallw: of the longest
  // of late, as the ranks have agreed.
  std::int64_t longest = 0;
  bool commutative = true;
  bool predefined = true;              // the operation is one of MPI's own
  bool inter = false;                  // on an intercommunicator
  int other_ranks = 0;                 // how many of its ranks are of the other group
  bool one_node = false;               // all ranks share memory
  bool shares_memory = false;          // ranks of a node exchange through memory that they share
  bool oversubscribed = false;         // some node has more ranks than cores
  const Topology* topology = nullptr;  // where the ranks are, if somebody found it out
  int nodes = 0;                       // 0: unknown
  int ranks_per_node = 0;              // 0: not the same on every node, or nobody has counted
  // Of neighbours; null: no schedule can run over it.
  const Graph* graph = nullptr;

  // Whether a rank's block is longer than others'. Where every rank has a block for every other,
  // they count by their mean.
  [[nodiscard]] bool uneven() const noexcept { return longest > 0 && !exchanges(collective); }

  friend bool operator==(const Facts&, const Facts&) = default;
};

// Whether every rank knows the length of the whole message. Between two groups: of blocks of any
// lengths a rank knows only those that it gets from the other group, and of a message to or from a
// root, the other ranks of the root's group know nothing.
[[nodiscard]] bool length_is_shared(const Facts& facts) noexcept;

// What the restrictions of algorithms are about.
[[nodiscard]] Circumstances circumstances_of(const Facts& facts) noexcept;
// Whether all restrictions of the algorithm hold.
[[nodiscard]] bool is_possible(const Choice& choice, const Facts& facts);

}  // namespace roundelay::choose
