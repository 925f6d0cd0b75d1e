// SPDX-License-Identifier: Apache-2.0
// rehearsal: runs schedules on numbers and looks at nothing but the results.
#pragma once

#include "interpret/call.hpp"

namespace roundelay::interpret {

// When the data of a deferred transfer moves; a correct schedule cannot tell.
enum class DeliveryTime : std::uint8_t { as_soon_as_matched, at_the_last_moment };

// Whether all ranks come to their end with the results of the definition and their inputs unharmed.
// Knows nothing of the rules that verify knows, so it can judge them: what goes wrong here must be
// rejected there.
[[nodiscard]] bool rehearse(const Call& call, const Schedules& schedules, DeliveryTime delivery);

}  // namespace roundelay::interpret
