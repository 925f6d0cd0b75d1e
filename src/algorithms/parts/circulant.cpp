// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/circulant.hpp"

#include <bit>

namespace roundelay {

Skips best_skips(const Dimensions& dimensions) noexcept {
  const Dimensions& of = dimensions.chosen_by();
  const bool longer = std::has_single_bit(static_cast<unsigned>(of.p));
  return longer && of.m / 2 <= of.network.startup ? Skips::halving(of.p) : Skips::unpaired(of.p);
}

Formula rounds_of_best_skips() {
  return Formula::of("rounds_of_skips(p, m)",
                     [](const Dimensions& of) { return 0.0 + best_skips(of).rounds(); });
}

}  // namespace roundelay
