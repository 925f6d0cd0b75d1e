// SPDX-License-Identifier: Apache-2.0
// One block for every rank, wherever the user has them, as bytes that a schedule can move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/call.hpp"
#include "schedule/frame_pool.hpp"

namespace roundelay::mpi {

// A block whose type is contiguous is moved where it is; of any other there is a packed copy in
// scratch memory.
class ByteBlocks {
 public:
  // `user` must outlive this.
  ByteBlocks(Call& call, std::span<const Buffer> user);
  // All of them packed one after the other, whether they need it or not.
  static ByteBlocks copies(Call& call, std::span<const Buffer> user);

  // As blocks of a space, to which their memory is given. Refers to this. `lengths`: of their
  // beginnings alone.
  [[nodiscard]] Blocks in(Space space) { return in(space, lengths()); }
  [[nodiscard]] Blocks in(Space space, std::span<const Units> lengths);
  [[nodiscard]] std::span<const Units> lengths() const noexcept {
    return std::span(numbers_).first(user_.size());
  }
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }
  [[nodiscard]] Buffer block(int rank) const;

  // What the user has into the copies, and back. Where there is no copy nothing happens.
  int pack(int rank);
  int pack_all();
  int unpack_all();

 private:
  ByteBlocks(Call& call, std::span<const Buffer> user, bool always);
  // From the lowest byte.
  [[nodiscard]] std::span<const Units> offsets() const noexcept {
    return std::span(numbers_).last(user_.size());
  }

  Call& call_;
  std::span<const Buffer> user_;
  bool always_;
  bool any_copies_ = false;
  std::byte* lowest_ = nullptr;
  std::int64_t span_ = 0;  // from the lowest byte to the last
  std::int64_t total_ = 0;
  std::vector<Units, FromFramePool<Units>> numbers_;  // lengths, then offsets
};

}  // namespace roundelay::mpi
