// SPDX-License-Identifier: Apache-2.0
// A communicator of this library with only the calling process in it.
#pragma once

#include <mpi.h>

namespace roundelay::mpi {

// Calls use(comm) for a communicator of one rank on which errors return, for questions to the MPI
// library that need one. One thread at a time. MPI_COMM_NULL if it could not be made.
class SelfCommunicator {
 public:
  template <typename Use>
  static auto with(const Use& use) {
    const SelfCommunicator locked;
    return use(comm());
  }
  // Before MPI_Finalize.
  static void free();

 private:
  SelfCommunicator();
  SelfCommunicator(const SelfCommunicator&) = delete;
  SelfCommunicator& operator=(const SelfCommunicator&) = delete;
  ~SelfCommunicator();
  static MPI_Comm comm();
};

}  // namespace roundelay::mpi
