// SPDX-License-Identifier: Apache-2.0
// The model where all ranks share memory, by runs of the schedules of all ranks.
#pragma once

#include <vector>

#include "choose/candidates.hpp"
#include "choose/chooser.hpp"
#include "interpret/node_links.hpp"

namespace roundelay::choose {

// What calls take, by such runs.
class MemoryRuns {
 public:
  [[nodiscard]] static bool can_run(const Facts& facts);
  MemoryRuns(const Facts& facts, const Machine& machine);
  MemoryRuns(const MemoryRuns&) = delete;
  MemoryRuns& operator=(const MemoryRuns&) = delete;
  ~MemoryRuns() = default;

  // Infinite if it is more than `most`, or too much work to find out.
  [[nodiscard]] double seconds(const Choice& choice, double most) const;
  // What it takes without start-ups.
  [[nodiscard]] double seconds_of_copies(const Choice& choice, double most) const;

 private:
  [[nodiscard]] double seconds(const Choice& choice, const interpret::NodeLinks& by,
                               double most) const;

  Topology one_node_;
  Facts facts_;
  interpret::NodeLinks links_;
  NetworkLengths network_;
};

// The verdict, or an algorithm that exposes blocks: costs count messages, but where ranks share
// memory, a block that many read is copied in once. Runs tell how much that saves. It has to be
// clear, and a matter of copies, not of start-ups.
[[nodiscard]] Verdict with_blocks_exposed(Verdict verdict, const Facts& facts,
                                          const Machine& machine);

// What each of ours takes there that is possible, in no order.
[[nodiscard]] std::vector<Candidate> prices_in_memory(const Facts& facts, const Machine& machine);

}  // namespace roundelay::choose
