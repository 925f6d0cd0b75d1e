// SPDX-License-Identifier: Apache-2.0
// A communicator of this library with only the calling process in it.
#pragma once

#include <mpi.h>

namespace roundelay::mpi {

// Calls use(comm) for a communicator of one rank on which errors return, for questions to the MPI
// library that need one. One thread at a time. MPI_COMM_NULL if it could not be made.
class Alone {
 public:
  template <typename Use>
  static auto with(const Use& use) {
    const Alone locked;
    return use(comm());
  }
  // Before MPI_Finalize.
  static void free();

 private:
  Alone();
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  ~Alone();
  static MPI_Comm comm();
};

}  // namespace roundelay::mpi
