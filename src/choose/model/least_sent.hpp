// SPDX-License-Identifier: Apache-2.0
// Which algorithms send least.
//
// Through memory they copy least. This counts first where ranks share cores and need not wait until
// all have come: the next call of some begins while others are in this one, so that no core is
// idle, and the time is what all ranks do together. On two cores, a scan in fewer rounds that sends
// more took 1.1 to 3.0 times as long (docs/explanation/shared-memory.md).
#pragma once

#include <map>

#include "choose/facts.hpp"
#include "choose/machine.hpp"
#include "interpret/crossing.hpp"

namespace roundelay::choose {

class LeastSent {
 public:
  LeastSent(const Facts& facts, const Machine& machine);

  // Whether it counts first for these facts.
  [[nodiscard]] bool counts() const noexcept { return !sent_.empty(); }
  // Of several that send about as few bytes, those with fewest messages. True if that is not known.
  [[nodiscard]] bool is_of(const Algorithm& algorithm) const;

 private:
  std::map<const Algorithm*, interpret::Sent> sent_;
  double units_ = no_limit;
  double messages_ = no_limit;
};

}  // namespace roundelay::choose
