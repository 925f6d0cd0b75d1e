// SPDX-License-Identifier: Apache-2.0
// How much a run may be that helps to choose during a call.
#pragma once

namespace roundelay::interpret {

// It is given up once what it prices takes longer than `seconds`. Its work is counted in transfers:
// a clock would give each rank another answer.
struct Patience {
  double seconds;
  int transfers;  // what is left of them
  // What was not run for want of transfers is taken to go on as what was.
  bool extrapolates = false;
};

}  // namespace roundelay::interpret
