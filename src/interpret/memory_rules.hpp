// SPDX-License-Identifier: Apache-2.0
// What a rank must not do with memory and ports, whatever the data is.
#pragma once

#include <string>
#include <vector>

#include "interpret/call.hpp"

namespace roundelay::interpret {

// E.g. "output[8, 16)".
[[nodiscard]] std::string text(Slice slice);

// The rules of one rank: slices inside their space, the input left alone and what of the output is
// not the rank's to write, nothing in flight touched, ports not exceeded. Throws Broken.
class MemoryRules {
 public:
  MemoryRules() = default;
  MemoryRules(const Call& call, int rank);

  // Returns whether the round has a transfer.
  bool post(int round, const Round& posted);
  // A step after the round's transfers.
  void step(int round, const LocalStep& step) const;
  // This deferred transfer is no longer in flight.
  void land(const Transfer& deferred);

 private:
  struct Use {
    Slice slice;
    bool writes;
    bool deferred;
    int peer;
    int round;
  };

  void require_inside(int round, Slice slice, bool writes) const;
  void require_apart(int round, std::vector<Use>& uses) const;
  [[noreturn]] void throw_overlap(int round, const Use& use, const Use& rival) const;
  void require_untouched(int round, Slice slice, bool writes) const;

  int rank_ = 0;
  int ports_ = 1;
  Units sizes_[3] = {0, 0, 0};
  std::vector<Slice> left_alone_;  // of the output, by offset
  std::vector<Use> in_flight_;     // deferred, from earlier rounds too
  int sends_in_flight_ = 0;
  int receives_in_flight_ = 0;
  std::vector<Use> uses_;  // of the round being posted
};

}  // namespace roundelay::interpret
