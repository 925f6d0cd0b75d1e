// SPDX-License-Identifier: Apache-2.0
// A communicator of this library with only the calling process in it.
#pragma once

#include <mpi.h>

namespace roundelay::mpi {

// Errors on it return. It is made at the first use, best in MPI_Init: where several threads make
// communicators at once, Open MPI lets one wait for others. MPI_COMM_NULL if it could not be made.
class SelfCommunicator {
 public:
  static MPI_Comm get();
  // Calls use(comm) for questions to the MPI library that need one. One thread at a time.
  template <typename Use>
  static auto with(const Use& use) {
    const SelfCommunicator locked;
    return use(comm());
  }
  // At the latest when MPI_Finalize frees MPI_COMM_SELF, but for calls that go on after it.
  static void free();

 private:
  SelfCommunicator();
  SelfCommunicator(const SelfCommunicator&) = delete;
  SelfCommunicator& operator=(const SelfCommunicator&) = delete;
  ~SelfCommunicator();
  static MPI_Comm comm();
};

// Of a message of this process to itself: as long as it lives, no other has it.
class SelfTag {
 public:
  SelfTag();  // throws std::bad_alloc
  SelfTag(const SelfTag&) = delete;
  SelfTag& operator=(const SelfTag&) = delete;
  ~SelfTag();
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace roundelay::mpi
