// SPDX-License-Identifier: Apache-2.0
// Which algorithms the model compares, and in which disciplines.
#pragma once

#include "algorithms/catalogue.hpp"
#include "choose/facts.hpp"

namespace roundelay::choose {

// Whether the model compares an algorithm with others where there is one kind of link. Where ranks
// share memory, nothing is gained by fewer start-ups: so not one before which they tell lengths.
[[nodiscard]] bool is_compared(const Algorithm& algorithm, const Facts& facts);

// An algorithm that MPI libraries have, too; null: there is none.
[[nodiscard]] const Algorithm* first_common(Collective collective, Groups groups);

// Whether some block is exposed to several of so many ranks; which does not depend on lengths.
[[nodiscard]] bool exposes(const Choice& choice, int ranks);

// Visits an algorithm in those disciplines in which it is worth running.
template <typename Visit>
void for_each_discipline(Choice choice, const Facts& facts, const Visit& visit) {
  visit(choice);
  if (facts.one_node) return;
  choice.discipline = Discipline::paced;
  visit(choice);
}

}  // namespace roundelay::choose
