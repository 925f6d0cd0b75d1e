// SPDX-License-Identifier: Apache-2.0
#include "choose/usual_machine.hpp"

namespace roundelay::choose {

namespace {

// Both libraries over TCP, 100 Mbit/s (docs/results/measured.md). Pipelines took 1.2 to 1.5 times
// as long where ranks were not kept in step, with the blocks that are chosen; with longer ones up
// to 2.7. Connections buffer 128 KiB at either end as a rule: algorithms took as long early as
// paced, or less, with messages up to 256 KiB. Pairs that exchanged messages of 32 KiB or more
// took 2.0 times as long. The same data sent by two or four ranks of a node took 0.98 to 1.13 times
// as long as by one.
Machine over_tcp() {
  return {.drift = 1.6, .absorbed = 2 * 131072, .pairing = 2, .crossing = 32768, .sharing = 1.1};
}

}  // namespace

// Open MPI gives its core away where its launcher knows that ranks outnumber the cores, MPICH never
// does.
Machine usual_machine(Library library) {
  Machine machine = library == Library::other ? Machine{} : over_tcp();
  machine.native_shares_cores = machine.native_floods = library == Library::open_mpi;
  machine.native_scatters = library == Library::mpich;
  machine.native_leads_when_short = library != Library::other;
  return machine;
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
