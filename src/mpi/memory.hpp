// SPDX-License-Identifier: Apache-2.0
// Where the units of a call are in memory, and what a rank does there without any other.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpi/combining_elements.hpp"
#include "mpi/datatype.hpp"
#include "schedule/round.hpp"

namespace roundelay::mpi {

// Where a call's units are. Unit i of a space is one element of `type` at base + i * type.extent;
// for data movement the type is MPI_BYTE.
struct Memory {
  std::array<std::byte*, 3> base{};  // by Space; the address of unit 0
  Datatype type;
  MPI_Op op = MPI_OP_NULL;       // of combine
  CombiningLoop loop = nullptr;  // that does `op` on elements of `type`; null: the MPI library does
  // The part of the output that also lies in the send buffer. Others read it there, so that they do
  // not take away cache lines that the next call writes.
  Slice copied = {};
  std::byte* copy = nullptr;

  [[nodiscard]] std::byte* at(Slice slice) const noexcept {
    return base[static_cast<std::size_t>(slice.space())] + slice.offset() * type.extent;
  }
  // Where to read what is sent.
  [[nodiscard]] std::byte* at_source(Slice slice) const noexcept {
    return copied.contains(slice) ? copy + (slice.offset() - copied.offset()) * type.extent
                                  : at(slice);
  }
};

int copy_with_gaps(void* into, const void* from, std::int64_t count, const Datatype& type);

// Copies elements; writes nothing but their data. Returns an MPI error code.
inline int copy_elements(void* into, const void* from, std::int64_t count, const Datatype& type) {
  if (!type.contiguous) [[unlikely]]
    return copy_with_gaps(into, from, count, type);
  if (count > 0) std::memmove(into, from, static_cast<std::size_t>(count * type.size));
  return MPI_SUCCESS;
}

int combine_by_mpi(void* into, const void* from, std::int64_t count, const Memory& memory);

// into := from op into. Returns an MPI error code.
inline int combine_elements(void* into, const void* from, std::int64_t count,
                            const Memory& memory) {
  if (memory.loop == nullptr) return combine_by_mpi(into, from, count, memory);
  memory.loop(from, into, count);
  return MPI_SUCCESS;
}

// Returns an MPI error code.
inline int do_step(const LocalStep& step, const Memory& memory) {
  if (step.from.empty()) return MPI_SUCCESS;
  if (step.kind == LocalStep::Kind::copy) {
    return copy_elements(memory.at(step.into), memory.at(step.from), step.from.length(),
                         memory.type);
  }
  return combine_elements(memory.at(step.into), memory.at(step.from), step.from.length(), memory);
}

}  // namespace roundelay::mpi
