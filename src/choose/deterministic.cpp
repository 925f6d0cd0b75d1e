// SPDX-License-Identifier: Apache-2.0
#include "choose/deterministic.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "choose/listed.hpp"
#include "choose/model/cost.hpp"
#include "choose/model/priced.hpp"

namespace roundelay::choose {

namespace {

// Of those whose order is fixed the one that is cheapest for short messages among many ranks: it
// must not depend on the call.
const Algorithm& cheapest_in_fixed_order(Collective collective) {
  const Facts facts{.collective = collective, .bytes = 1024, .ranks = 64};
  Priced best;
  for (const Algorithm* algorithm : algorithms_of(collective, Groups::one)) {
    if (algorithm->native() || !algorithm->fixed_order) continue;
    const Choice choice(*algorithm);
    best.take_if_cheaper(choice, cost_of(choice, facts, {}, best.cost.seconds));
  }
  return *best.choice->algorithm;
}

}  // namespace

const Algorithm& deterministic_algorithm(Collective collective) {
  static const std::vector<const Algorithm*> all = [] {
    std::vector<const Algorithm*> of_collectives;
    for (const Collective each : collectives) {
      of_collectives.push_back(reduces(each) ? &cheapest_in_fixed_order(each) : nullptr);
    }
    return of_collectives;
  }();
  return *all[static_cast<std::size_t>(collective)];
}

void require_deterministic(const Choices& forced) {
  for (const Collective collective : collectives) {
    for (const Groups groups : {Groups::one, Groups::two}) {
      const auto& choice = groups == Groups::one ? forced[collective] : forced.between(collective);
      if (choice == nullptr || !reduces(collective) || choice->algorithm->fixed_order) continue;
      const std::string valid = names_of(collective, [&](const Algorithm& algorithm) {
        return groups == Groups::two ? algorithm.native()
                                     : algorithm.fixed_order && algorithm.is_for(groups);
      });
      throw SpellingError("ROUNDELAY_DETERMINISTIC=1 does not allow " +
                          std::string(name_of(collective)) + "=" + choice->text() +
                          ": the order in which it combines data depends on more than the number "
                          "of ranks; choose one of " +
                          valid);
    }
  }
}

}  // namespace roundelay::choose
