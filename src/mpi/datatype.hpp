// SPDX-License-Identifier: Apache-2.0
// What has to be known of an MPI datatype, found once per type.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>

#include "mpi/combining_elements.hpp"

namespace roundelay::mpi {

struct Datatype {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::int64_t size = 0;  // bytes of data in one element
  std::int64_t extent = 0;
  std::int64_t true_lb = 0;
  std::int64_t true_extent = 0;
  // Elements in a row are, byte for byte, what MPI_Pack would make of them.
  bool contiguous = false;
  bool predefined = false;  // one of MPI's own, whose data is where the address of the buffer says
  const CombiningLoops* loops = nullptr;

  // Whether an element reaches into the next one, as a column of a matrix does in a row of columns.
  // So many elements as the program has may lie clear of each other, but not any number of them.
  [[nodiscard]] bool elements_overlap() const noexcept {
    return size > 0 && true_extent > (extent < 0 ? -extent : extent);
  }

  // The bytes that `count` elements span, from lowest() relative to the address of the first.
  [[nodiscard]] std::int64_t span(std::int64_t count) const noexcept {
    if (count == 0) return 0;
    const std::int64_t reach = (count - 1) * extent;
    return (reach < 0 ? -reach : reach) + true_extent;
  }
  [[nodiscard]] std::int64_t lowest(std::int64_t count) const noexcept {
    const std::int64_t reach = count == 0 ? 0 : (count - 1) * extent;
    return (reach < 0 ? reach : 0) + true_lb;
  }
};

// Descriptions of predefined types, by a hash of the handle. They are never forgotten: each slot is
// filled once and read without a lock.
inline std::array<std::atomic<const Datatype*>, 256> predefined_types;
[[nodiscard]] inline std::atomic<const Datatype*>& slot_of(MPI_Datatype handle) noexcept {
  const std::size_t hash = std::hash<MPI_Datatype>()(handle);
  return predefined_types[(hash ^ (hash >> 8U)) % predefined_types.size()];
}
[[nodiscard]] const Datatype& describe_new(MPI_Datatype type);

// Thrown where a type was not committed, or is none: a handle that the program never set is zero.
struct NotCommitted : std::exception {};

// Of any committed type; valid as long as the type is. Throws NotCommitted.
[[nodiscard]] inline const Datatype& describe(MPI_Datatype type) {
  const Datatype* found = slot_of(type).load(std::memory_order_acquire);
  if (found != nullptr && found->handle == type) [[likely]]
    return *found;
  return describe_new(type);
}

[[nodiscard]] inline bool is_committed(MPI_Datatype type) {
  try {
    (void)describe(type);
    return true;
  } catch (const NotCommitted&) {
    return false;
  }
}

// `count` elements at `user` as `count * size` packed bytes, and back. Any count, any type. Return
// MPI error codes.
int pack(std::byte* packed, const void* user, std::int64_t count, const Datatype& type);
int unpack(void* user, const std::byte* packed, std::int64_t count, const Datatype& type);

// Copies elements by messages of this rank to itself, which may reach memory that the processor
// does not. Returns an MPI error code.
int copy_by_message(void* into, const void* from, std::int64_t count, const Datatype& type);

}  // namespace roundelay::mpi
