// SPDX-License-Identifier: Apache-2.0
// The model on intercommunicators.
#pragma once

#include "choose/chooser.hpp"

namespace roundelay::choose {

// Whether the model ever takes another algorithm than the MPI library's between two groups.
[[nodiscard]] bool model_knows_between(Collective collective);

[[nodiscard]] Verdict between_groups(const Facts& facts, const Machine& machine);

}  // namespace roundelay::choose
