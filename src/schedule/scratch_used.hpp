// SPDX-License-Identifier: Apache-2.0
// How much scratch memory a schedule takes: asked of the schedule itself, so that there is no
// second statement that could be wrong for some length.
#pragma once

#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// The whole scratch space. A schedule is made before anybody knows how much of it the schedule
// takes, so the space has no end.
inline constexpr Slice all_scratch(Space::scratch, 0, Units{1} << 60);

// The part of a slice that begins `count` units after its beginning.
[[nodiscard]] constexpr Slice after(Slice slice, Units count) noexcept {
  return slice.part(count, slice.length() - count);
}

// Runs the schedule to its end without moving anything, and returns where the last scratch slice
// ends that it sends, receives, copies or combines: so many units have to be allocated. Control
// flow does not depend on data, so the same problem gives a schedule that uses the same slices.
[[nodiscard]] Units scratch_used(Schedule schedule);

}  // namespace roundelay
