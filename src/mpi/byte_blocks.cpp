// SPDX-License-Identifier: Apache-2.0
#include "mpi/byte_blocks.hpp"

#include <algorithm>

namespace roundelay::mpi {

ByteBlocks::ByteBlocks(Call& call, std::span<const Buffer> user) : ByteBlocks(call, user, false) {}

ByteBlocks ByteBlocks::copies(Call& call, std::span<const Buffer> user) {
  return {call, user, true};
}

ByteBlocks::ByteBlocks(Call& call, std::span<const Buffer> user, bool always)
    : call_(call), user_(user), always_(always), numbers_(2 * user.size()) {
  Units* const lengths = numbers_.data();
  Units* const offsets = lengths + user.size();
  std::int64_t packed = 0;
  for (std::size_t i = 0; i < user.size(); ++i) {
    lengths[i] = user[i].bytes();
    total_ += lengths[i];
    if (always || !user[i].type->contiguous) packed += lengths[i];
  }
  any_copies_ = packed > 0;
  std::byte* next = any_copies_ ? call.bytes(packed) : nullptr;
  // Blocks of different buffers are as far apart as the memory wants: offsets may be of any size.
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (std::size_t i = 0; i < user.size(); ++i) {
    if (lengths[i] == 0) continue;
    auto* place = static_cast<std::byte*>(user[i].address);
    if (always || !user[i].type->contiguous) {
      place = next;
      next += lengths[i];
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(place);
    offsets[i] = static_cast<Units>(begin);
    if (begin < lowest) {
      lowest = begin;
      lowest_ = place;
    }
    end = std::max(end, begin + static_cast<std::uintptr_t>(lengths[i]));
  }
  if (end == 0) return;
  span_ = static_cast<std::int64_t>(end - lowest);
  for (std::size_t i = 0; i < user.size(); ++i) {
    if (lengths[i] > 0) offsets[i] -= static_cast<Units>(lowest);
  }
}

Blocks ByteBlocks::in(Space space, std::span<const Units> lengths) {
  call_.set(space, lowest_);
  return Blocks::cut(Slice(space, 0, span_), lengths, offsets());
}

Buffer ByteBlocks::block(int rank) const {
  const auto i = static_cast<std::size_t>(rank);
  return {lowest_ + offsets()[i], lengths()[i], &describe(MPI_BYTE)};
}

int ByteBlocks::pack(int rank) {
  const Buffer& user = user_[static_cast<std::size_t>(rank)];
  if (!always_ && user.type->contiguous) return MPI_SUCCESS;
  return move_data(call_, block(rank), user);
}

int ByteBlocks::pack_all() {
  if (!any_copies_) return MPI_SUCCESS;
  int error = MPI_SUCCESS;
  for (int rank = 0; error == MPI_SUCCESS && rank < static_cast<int>(user_.size()); ++rank) {
    error = pack(rank);
  }
  return error;
}

int ByteBlocks::unpack_all() {
  if (!any_copies_) return MPI_SUCCESS;
  int error = MPI_SUCCESS;
  for (int rank = 0; error == MPI_SUCCESS && rank < static_cast<int>(user_.size()); ++rank) {
    const Buffer& user = user_[static_cast<std::size_t>(rank)];
    if (always_ || !user.type->contiguous) error = move_data(call_, user, block(rank));
  }
  return error;
}

}  // namespace roundelay::mpi
