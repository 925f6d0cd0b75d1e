// SPDX-License-Identifier: Apache-2.0
#include "mpi/host_copies.hpp"

#include <utility>

#include "mpi/device_memory.hpp"

namespace roundelay::mpi {

HostCopies::HostCopies(bool looks) : looks_(looks && device_runtime_is_loaded()) {}

Buffer HostCopies::copied(const Buffer& block, int blocks, bool reads, bool writes) {
  if (block.in_place() || block.type == nullptr || block.bytes() == 0) return block;
  const Buffer buffer{block.address, block.count * blocks, block.type};
  const std::int64_t lowest = buffer.type->lowest(buffer.count);
  if (!is_device_memory(static_cast<std::byte*>(buffer.address) + lowest)) return block;
  const auto span = static_cast<std::size_t>(buffer.type->span(buffer.count));
  auto memory = std::make_unique<std::byte[]>(span);
  const Buffer host{memory.get() - lowest, buffer.count, buffer.type};
  copies_.push_back({std::move(memory), host, buffer, writes});
  if (reads && error_ == MPI_SUCCESS) {
    error_ = copy_by_message(host.address, buffer.address, buffer.count, *buffer.type);
  }
  return {host.address, block.count, block.type};
}

Buffers HostCopies::copied(Buffers buffers, bool reads, bool writes) {
  for (Buffer& buffer : buffers) buffer = copied(buffer, 1, reads, writes);
  return buffers;
}

int HostCopies::finish() {
  for (const Copy& copy : copies_) {
    if (!copy.written || error_ != MPI_SUCCESS) continue;
    error_ =
        copy_by_message(copy.device.address, copy.host.address, copy.host.count, *copy.host.type);
  }
  return error_;
}

}  // namespace roundelay::mpi
