// SPDX-License-Identifier: Apache-2.0
#include "preload/this_machine.hpp"

#include "choose/usual_machine.hpp"
#include "preload/configuration.hpp"

namespace roundelay::preload {

namespace {

#if ROUNDELAY_OPEN_MPI
constexpr choose::Library library = choose::Library::open_mpi;
#elif ROUNDELAY_MPICH || ROUNDELAY_STANDARD_ABI  // the first with the standard ABI is MPICH
constexpr choose::Library library = choose::Library::mpich;
#else  // SMPI's stand-ins choose by the tables of old versions
constexpr choose::Library library = choose::Library::other;
#endif

}  // namespace

Machine measured_machine(const NetworkSpeed& speed) {
  if (!speed.known()) return choose::usual_machine(library, {});
  Machine machine = choose::usual_machine(library, speed.startup_seconds());
  machine.beta = speed.byte_seconds();
  machine.gap = speed.gap_seconds();
  machine.handshake = speed.handshake();
  machine.crowding = speed.crowding();
  machine.short_pipelines = speed.short_pipelines();
  machine.taper = speed.taper_factors();
  machine.gamma = speed.combined_byte_seconds();
  if (speed.near_known()) {
    machine.near_alpha = speed.near_startup_seconds();
    machine.near_beta = speed.near_byte_seconds();
  }
  if (speed.far_known()) {
    machine.far_alpha = speed.far_startup_seconds();
    machine.far_beta = speed.far_byte_seconds();
  }
  return machine;
}

Machine machine_with(const NetworkSpeed& speed) {
  const choose::MachineFile* said = Configuration::instance().machine();
  Machine machine = said != nullptr && !speed.known()
                        ? choose::usual_machine(library, said->startup())
                        : measured_machine(speed);
  if (said != nullptr) said->apply_between_nodes(machine);
  return machine;
}

Machine machine_in_memory() {
  Machine machine = choose::machine_in_memory(library);
  const choose::MachineFile* said = Configuration::instance().machine();
  if (said != nullptr) said->apply_in_memory(machine);
  return machine;
}

}  // namespace roundelay::preload
