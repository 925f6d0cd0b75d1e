// SPDX-License-Identifier: Apache-2.0
// The linker puts the functions at the end in the place of the system's and SMPI's.
#include "simulate/shared_pages.hpp"

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <map>

namespace roundelay::simulate {

namespace {

constexpr std::size_t large = std::size_t{1} << 20;

bool shares_large = false;
bool shares(std::size_t bytes) { return shares_large && bytes >= large; }

// Where each piece begins, and its bytes. Never destroyed: memory may be freed by atexit handlers.
using Pieces = std::map<const std::byte*, std::size_t, std::greater<>>;
Pieces& pieces() {
  static auto* const all = new Pieces;
  return *all;
}

bool is_shared(const void* memory) {
  const auto* const byte = static_cast<const std::byte*>(memory);
  const auto piece = pieces().lower_bound(byte);  // the last one that begins there or before
  return piece != pieces().end() && byte < piece->first + piece->second;
}

}  // namespace

void* allocate_shared(std::size_t bytes) {
  void* const memory = SMPI_SHARED_MALLOC(bytes);
  pieces().emplace(static_cast<const std::byte*>(memory), bytes);
  return memory;
}

void free_shared(void* memory) {
  pieces().erase(static_cast<const std::byte*>(memory));
  SMPI_SHARED_FREE(memory);
}

void share_large_memory() noexcept { shares_large = true; }

}  // namespace roundelay::simulate

using roundelay::simulate::allocate_shared;
using roundelay::simulate::is_shared;
using roundelay::simulate::shares;

// NOLINTBEGIN(bugprone-reserved-identifier): the names that the linker gives.
extern "C" {

void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void __real_free(void* memory);
void* __real_memcpy(void* into, const void* from, std::size_t bytes);
void* __real_memmove(void* into, const void* from, std::size_t bytes);
int __real_PMPI_Reduce_local(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op);

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return shares(bytes) ? allocate_shared(bytes) : __real_aligned_alloc(alignment, bytes);
}

// What is shared takes no room, and SMPI may have ended before it is freed. So it stays.
void __wrap_free(void* memory) {
  if (!is_shared(memory)) __real_free(memory);
}

void* __wrap_memcpy(void* into, const void* from, std::size_t bytes) {
  return is_shared(into) ? into : __real_memcpy(into, from, bytes);
}

void* __wrap_memmove(void* into, const void* from, std::size_t bytes) {
  return is_shared(into) ? into : __real_memmove(into, from, bytes);
}

int __wrap_PMPI_Reduce_local(const void* from, void* into, int count, MPI_Datatype type,
                             MPI_Op op) {
  return is_shared(into) ? MPI_SUCCESS : __real_PMPI_Reduce_local(from, into, count, type, op);
}
}
// NOLINTEND(bugprone-reserved-identifier)
