// SPDX-License-Identifier: Apache-2.0
// Copies of a call's buffers that are in the memory of a GPU, in memory that the processor reaches.
//
// Whether a buffer is there only its rank knows, so that it must not change what the rank sends.
// A rank that meets such a buffer in a call that a schedule runs therefore lets the schedule work
// on a copy. The MPI library copies: by a message of the rank to itself.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi/collectives.hpp"

namespace roundelay::mpi {

// Of one call. Each function returns the buffers that the schedule is to use: those given, or
// copies. They live as long as this does. MPI_IN_PLACE stays what it is. A buffer is where the
// first byte of its data is. Throws std::bad_alloc.
class HostCopies {
 public:
  // `looks`: some rank of the communicator may use memory of a GPU.
  explicit HostCopies(bool looks);

  // What the call reads: so many blocks that lie one after the other.
  [[nodiscard]] Buffer read(const Buffer& block, int blocks = 1) {
    return looks_ ? copied(block, blocks, true, false) : block;
  }
  [[nodiscard]] Buffers read(Buffers buffers) {
    if (looks_) return copied(std::move(buffers), true, false);
    return buffers;
  }
  // What it writes from the first to the last element. `reads`: it is read, too.
  [[nodiscard]] Buffer written(const Buffer& block, bool reads = false, int blocks = 1) {
    return looks_ ? copied(block, blocks, reads, true) : block;
  }
  [[nodiscard]] Buffers written(Buffers buffers, bool reads = false) {
    if (looks_) return copied(std::move(buffers), reads, true);
    return buffers;
  }

  // Of a call that waits, the program's own lasts long enough.
  [[nodiscard]] static Operation lasting(Operation operation, bool /*predefined*/) {
    return operation;
  }

  [[nodiscard]] bool any() const noexcept { return !copies_.empty(); }
  // After the call: copies back what it has written. Returns the first error of MPI.
  int finish();

 private:
  struct Copy {
    std::unique_ptr<std::byte[]> memory;
    Buffer host;
    Buffer device;
    bool written;
  };

  Buffer copied(const Buffer& block, int blocks, bool reads, bool writes);
  Buffers copied(Buffers buffers, bool reads, bool writes);

  bool looks_;
  int error_ = MPI_SUCCESS;
  std::vector<Copy> copies_;
};

}  // namespace roundelay::mpi
