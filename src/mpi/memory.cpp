// SPDX-License-Identifier: Apache-2.0
#include "mpi/memory.hpp"

#include <algorithm>
#include <limits>

#include "mpi/scratch.hpp"
#include "schedule/per_thread.hpp"

namespace roundelay::mpi {

namespace {

// Elements with gaps on their way from one place to another.
struct Packed {
  Scratch memory;
};

}  // namespace

int copy_with_gaps(void* into, const void* from, std::int64_t count, const Datatype& type) {
  if (count == 0) return MPI_SUCCESS;
  Scratch& packed = per_thread<Packed>().memory;
  std::byte* between = packed.get(count * type.size);
  int error = pack(between, from, count, type);
  if (error == MPI_SUCCESS) error = unpack(into, between, count, type);
  packed.reset();
  return error;
}

int combine_by_mpi(void* into, const void* from, std::int64_t count, const Memory& memory) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  for (std::int64_t done = 0; done < count; done += most) {
    const std::int64_t bytes = done * memory.type.extent;
    const int error = PMPI_Reduce_local(
        static_cast<const std::byte*>(from) + bytes, static_cast<std::byte*>(into) + bytes,
        static_cast<int>(std::min(most, count - done)), memory.type.handle, memory.op);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace roundelay::mpi
