// SPDX-License-Identifier: Apache-2.0
// How many calls of a kind are made before it is worth looking for a faster algorithm. No clock is
// asked: ranks that know the same say the same.
#pragma once

#include <cstdint>

#include "choose/facts.hpp"
#include "choose/machine.hpp"

namespace roundelay::choose {

// Calls of these facts, of which the first guess is native or not. A search for what may be faster
// takes up to `search` seconds.
[[nodiscard]] std::int64_t calls_before_learning(const Facts& call, const Machine& machine,
                                                 bool is_native, double search);

}  // namespace roundelay::choose
