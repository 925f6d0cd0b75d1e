// SPDX-License-Identifier: Apache-2.0
// What was decided for calls of a kind on one communicator, and what came of it.
#pragma once

#include "mpi/collectives.hpp"
#include "mpi/operation.hpp"
#include "preload/record.hpp"

namespace roundelay {

struct Decision {
  Plan plan;
  const Outcome* outcome;  // what reports say of it
  Tally tally;
  Accepted accepted;
  bool length_is_missing;  // as in Verdict
};

}  // namespace roundelay
