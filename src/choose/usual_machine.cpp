// SPDX-License-Identifier: Apache-2.0
#include "choose/usual_machine.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "choose/built_in_files.hpp"
#include "choose/machine_file.hpp"

namespace roundelay::choose {

namespace {

MachineFile built_in(std::string_view name) {
  const auto file = std::ranges::find(built_in_machines(), name, &BuiltInFile::name);
  return MachineFile::parse(std::string(file->text), std::string(file->file));
}

// Read once, and never destroyed: collectives in atexit handlers.
struct BuiltIn {
  MachineFile open_mpi = built_in("open_mpi");
  MachineFile mpich = built_in("mpich");
  MachineFile tcp = built_in("tcp");
  MachineFile shared_memory = built_in("shared_memory");
};
const BuiltIn& files() {
  static const auto* const read = new BuiltIn;
  return *read;
}

Machine machine_of(Library library) {
  Machine machine;
  if (library == Library::open_mpi) files().open_mpi.apply_between_nodes(machine);
  if (library == Library::mpich) files().mpich.apply_between_nodes(machine);
  return machine;
}

// Through the kernel a message takes some 10 us or more; networks that it does not go through take
// 1 to 3 us.
bool goes_through_kernel(double startup) { return startup >= 1e-5; }

}  // namespace

Machine usual_machine(Library library, std::optional<double> startup) {
  Machine machine = machine_of(library);
  if (!startup) return machine;
  machine.alpha = machine.oversubscribed_alpha = *startup;
  if (library != Library::other && goes_through_kernel(*startup)) {
    files().tcp.apply_between_nodes(machine);
  }
  return machine;
}

Machine machine_in_memory(Library library) {
  Machine machine = machine_of(library);
  files().shared_memory.apply_in_memory(machine);
  return machine;
}

}  // namespace roundelay::choose
