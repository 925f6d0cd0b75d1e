// SPDX-License-Identifier: Apache-2.0
#include "choose/usual_machine.hpp"

namespace roundelay::choose {

// Open MPI gives its core away where its launcher knows that ranks outnumber the cores, MPICH never
// does. Connections buffer 128 KiB at either end as a rule: in the lab, algorithms took as long
// early as paced, or less, with messages up to 256 KiB.
Machine usual_machine(Library library) {
  constexpr double both_ends = 2 * 131072;
  switch (library) {
    case Library::open_mpi:
      return {.absorbed = both_ends,
              .native_shares_cores = true,
              .native_floods = true,
              .native_leads_when_short = true};
    case Library::mpich:
      return {.absorbed = both_ends, .native_scatters = true, .native_leads_when_short = true};
    default: return {};
  }
}

// As one machine was measured. Prices depend on how these compare with each other: a message costs
// as much as some thousand bytes.
Machine machine_in_memory(Library library) {
  Machine machine = usual_machine(library);
  machine.alpha = 1.5e-7;
  machine.oversubscribed_alpha = 3e-6;
  machine.gap = 5e-8;
  machine.beta = 6e-11;
  return machine;
}

}  // namespace roundelay::choose
