// SPDX-License-Identifier: Apache-2.0
#include "preload/usual_machine.hpp"

namespace roundelay::preload {

namespace {

// Open MPI gives its core away where its launcher knows that ranks outnumber the cores, MPICH never
// does. Connections buffer 128 KiB at either end as a rule: in the lab, algorithms took as long
// early as paced, or less, with messages up to 256 KiB.
[[maybe_unused]] constexpr double both_ends = 2 * 131072;
#if ROUNDELAY_OPEN_MPI
constexpr Machine usual{.absorbed = both_ends,
                        .native_shares_cores = true,
                        .native_floods = true,
                        .native_leads_when_short = true};
#elif ROUNDELAY_MPICH || ROUNDELAY_STANDARD_ABI  // the first with the standard ABI is MPICH
constexpr Machine usual{
    .absorbed = both_ends, .native_scatters = true, .native_leads_when_short = true};
#else
constexpr Machine usual;  // SMPI's stand-ins choose by the tables of old versions
#endif

}  // namespace

Machine machine_with(const NetworkSpeed& speed) {
  Machine machine = usual;
  if (!speed.known()) return machine;
  machine.alpha = speed.startup_seconds();
  machine.oversubscribed_alpha = machine.alpha;
  machine.beta = speed.byte_seconds();
  machine.gap = speed.gap_seconds();
  machine.handshake = speed.handshake();
  machine.crowding = speed.crowding();
  machine.short_pipelines = speed.short_pipelines();
  if (speed.far_known()) {
    machine.far_alpha = speed.far_startup_seconds();
    machine.far_beta = speed.far_byte_seconds();
  }
  return machine;
}

// As one machine was measured. Prices depend on how these compare with each other: a message costs
// as much as some thousand bytes.
Machine machine_in_memory() {
  Machine machine = usual;
  machine.alpha = 1.5e-7;
  machine.oversubscribed_alpha = 3e-6;
  machine.gap = 5e-8;
  machine.beta = 6e-11;
  return machine;
}

}  // namespace roundelay::preload
