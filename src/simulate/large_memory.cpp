// SPDX-License-Identifier: Apache-2.0
// The linker puts these functions in the place of the system's: a schedule's scratch comes from
// aligned_alloc().
#include "simulate/large_memory.hpp"

#include <mpi.h>

#include <cstddef>
#include <unordered_set>

namespace roundelay::simulate {

namespace {

constexpr std::size_t large = std::size_t{1} << 20;

bool shares = false;

// Never destroyed: memory may be freed by atexit handlers.
std::unordered_set<void*>& shared() {
  static auto* const all = new std::unordered_set<void*>;
  return *all;
}

void* shared_if_large(std::size_t bytes) {
  if (!shares || bytes < large) return nullptr;
  return *shared().insert(SMPI_SHARED_MALLOC(bytes)).first;
}
// It takes no room. And it is freed after SMPI has ended, too, when that cannot be asked any more.
bool stays(void* memory) { return shares && shared().contains(memory); }

}  // namespace

void share_large_memory() noexcept { shares = true; }

}  // namespace roundelay::simulate

// NOLINTBEGIN(bugprone-reserved-identifier): the names that the linker gives.
extern "C" {

void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void __real_free(void* memory);

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* const memory = roundelay::simulate::shared_if_large(bytes);
  return memory != nullptr ? memory : __real_aligned_alloc(alignment, bytes);
}

void __wrap_free(void* memory) {
  if (!roundelay::simulate::stays(memory)) __real_free(memory);
}
}
// NOLINTEND(bugprone-reserved-identifier)
