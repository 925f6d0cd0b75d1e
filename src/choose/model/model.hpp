// SPDX-License-Identifier: Apache-2.0
// What the model takes: a first guess, by what it expects of each algorithm.
#pragma once

#include "choose/chooser.hpp"

namespace roundelay::choose {

// Native where it leads, else the cheapest: see choose(). Remembered.
[[nodiscard]] Verdict by_model(const Facts& facts, const Machine& machine);

// Why the model leaves every call on a communicator of this shape to the MPI library; null where it
// may choose something else. On a node ours are quicker through memory, and where more ranks than
// cores wait for a library that keeps its cores also by messages
// (docs/explanation/shared-memory.md).
[[nodiscard]] const char* leaves_all_native(const Facts& shape, const Machine& machine);

}  // namespace roundelay::choose
