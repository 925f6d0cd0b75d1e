// SPDX-License-Identifier: Apache-2.0
// Whether a collective of an intercommunicator may be run otherwise than by the MPI library.
#pragma once

#include <mpi.h>

#include "preload/configuration.hpp"
#include "preload/names.hpp"

namespace roundelay::preload {

// Where nobody has a wish and the model would leave everything to the MPI library, nothing is
// prepared.
class WishesBetween {
 public:
  // Collective over both groups of `inter` for the first time, and after the settings have changed.
  bool may_run(MPI_Comm inter, Collective collective, const Settings& settings);
  // Whether may_run() sends nothing.
  [[nodiscard]] bool known(const Settings& settings) const noexcept { return asked_ == &settings; }

 private:
  void ask(MPI_Comm inter, const Settings& settings);

  const Settings* asked_ = nullptr;
  bool wished_ = false;   // some rank has a wish
  bool distant_ = false;  // they are of one world, but not on one node
};

}  // namespace roundelay::preload
