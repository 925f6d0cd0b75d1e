// SPDX-License-Identifier: Apache-2.0
// Blocks of one length that lie one after the other, as bytes that a schedule can move.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/call.hpp"

namespace roundelay::mpi {

// Where the user has them if their type is contiguous, else room for them, packed, in scratch
// memory. The call, in units of bytes, must outlive them.
class EvenBlocks {
 public:
  EvenBlocks(Call& call, const Buffer& first, int ranks, bool always_copied = false)
      : user_{first.address, first.count * ranks, first.type},
        block_(first.bytes()),
        copied_(always_copied || !first.type->contiguous),
        whole_{copied_ ? call.bytes(user_.bytes()) : first.address, user_.bytes(),
               &call.memory.type} {}

  [[nodiscard]] bool copied() const noexcept { return copied_; }
  [[nodiscard]] const Buffer& user() const noexcept { return user_; }
  [[nodiscard]] const Buffer& whole() const noexcept { return whole_; }
  [[nodiscard]] Buffer of(int rank) const noexcept {
    return {static_cast<std::byte*>(whole_.address) + rank * block_, block_, whole_.type};
  }
  [[nodiscard]] std::int64_t total() const noexcept { return whole_.count; }

  // What the user has into the copy, and back. Where there is no copy nothing happens.
  int pack(Call& call) const {
    return copied_ ? move_data(call, whole_, user_) : static_cast<int>(MPI_SUCCESS);
  }
  int unpack(Call& call) const {
    return copied_ ? move_data(call, user_, whole_) : static_cast<int>(MPI_SUCCESS);
  }

 private:
  Buffer user_;
  std::int64_t block_;
  bool copied_;
  Buffer whole_;
};

}  // namespace roundelay::mpi
