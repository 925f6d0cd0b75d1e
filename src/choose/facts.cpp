// SPDX-License-Identifier: Apache-2.0
#include "choose/facts.hpp"

namespace roundelay::choose {

bool length_is_shared(const Facts& facts) noexcept {
  if (!roundelay::length_is_shared(facts.collective)) return false;
  return !facts.inter || (facts.collective != Collective::allgatherv && !rooted(facts.collective));
}

Circumstances circumstances_of(const Facts& facts) noexcept {
  return {facts.ranks, facts.commutative, facts.topology};
}

bool is_possible(const Choice& choice, const Facts& facts) {
  return violated(choice, circumstances_of(facts)) == nullptr;
}

}  // namespace roundelay::choose
