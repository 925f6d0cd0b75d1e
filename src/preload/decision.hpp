// SPDX-License-Identifier: Apache-2.0
// What was decided for calls of a kind on one communicator, and what came of it.
#pragma once

#include "preload/names.hpp"
#include "preload/record.hpp"

namespace roundelay::preload {

struct Decision {
  Plan plan;
  const Outcome* outcome;  // what reports say of it
  Tally tally;
  Accepted accepted;
  bool length_is_missing;  // as in Verdict
};

}  // namespace roundelay::preload
