// SPDX-License-Identifier: Apache-2.0
// What decides between algorithms that cost about as much.
#pragma once

#include "choose/chooser.hpp"
#include "choose/model/critical_paths.hpp"

namespace roundelay::choose {

// Of those about as cheap as the cheapest, the one that is best in what the model does not price.
// Between nodes: how far data goes, where ranks with near numbers are near. Through memory: what is
// copied. But none that starts up for much longer: start-ups are what differs most from what the
// model knows.
[[nodiscard]] Verdict break_ties(const Cheapest& found, const Facts& facts, const Machine& machine);

}  // namespace roundelay::choose
