// SPDX-License-Identifier: Apache-2.0
#include "choose/model/least_sent.hpp"

#include <algorithm>

#include "choose/model/cost.hpp"
#include "choose/model/margins.hpp"
#include "choose/model/possible.hpp"

namespace roundelay::choose {

LeastSent::LeastSent(const Facts& facts, const Machine& machine) {
  if (!facts.oversubscribed || !in_memory(facts) || waits_for_all(facts.collective)) return;
  for (const Algorithm* algorithm : algorithms_of(facts.collective, Groups::one)) {
    if (!is_compared(*algorithm, facts)) continue;
    if (const auto all = sent_by_all(Choice(*algorithm), facts, machine)) {
      sent_.emplace(algorithm, *all);
      units_ = std::min(units_, about_equal * all->units);
    }
  }
  for (const auto& [algorithm, all] : sent_) {
    if (all.units <= units_) messages_ = std::min(messages_, all.messages);
  }
}

bool LeastSent::is_of(const Algorithm& algorithm) const {
  const auto found = sent_.find(&algorithm);
  return found == sent_.end() ||
         (found->second.units <= units_ && found->second.messages <= messages_);
}

}  // namespace roundelay::choose
