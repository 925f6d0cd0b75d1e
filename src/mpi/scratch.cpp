// SPDX-License-Identifier: Apache-2.0
#include "mpi/scratch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace roundelay::mpi {

namespace {

constexpr std::int64_t alignment = 64;
constexpr std::int64_t smallest_piece = std::int64_t{64} << 10;
constexpr std::int64_t kept_between_calls = std::int64_t{64} << 20;

std::atomic<std::int64_t> most_ever{0};

// For AddressSanitizer: what of a piece belongs to nobody now, and what somebody got.
void forbid([[maybe_unused]] const std::byte* memory, [[maybe_unused]] std::int64_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(memory, static_cast<std::size_t>(bytes));
#endif
}
void allow([[maybe_unused]] const std::byte* memory, [[maybe_unused]] std::int64_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(memory, static_cast<std::size_t>(bytes));
#endif
}

}  // namespace

void Scratch::Free::operator()(std::byte* memory) const noexcept { std::free(memory); }

std::byte* Scratch::get(std::int64_t bytes) {
  const std::int64_t size = (bytes + alignment - 1) / alignment * alignment;
  if (newest_ == nullptr || newest_->size - newest_->used < size) {
    auto piece = std::make_unique<Piece>();
    piece->size = std::max(size, smallest_piece);
    piece->memory.reset(static_cast<std::byte*>(std::aligned_alloc(
        static_cast<std::size_t>(alignment), static_cast<std::size_t>(piece->size))));
    if (piece->memory == nullptr) throw std::bad_alloc();
    forbid(piece->memory.get(), piece->size);
    piece->previous = std::move(newest_);
    newest_ = std::move(piece);
  }
  std::byte* memory = newest_->memory.get() + newest_->used;
  allow(memory, bytes);
  newest_->used += size;
  in_use_ += size;
  std::int64_t most = most_ever.load(std::memory_order_relaxed);
  while (in_use_ > most &&
         !most_ever.compare_exchange_weak(most, in_use_, std::memory_order_relaxed)) {
  }
  return memory;
}

void Scratch::reset() noexcept {
  if (newest_ == nullptr) return;
  // Several pieces become one that would have been enough, unless that is too much to keep.
  const bool several = newest_->previous != nullptr;
  if (in_use_ > kept_between_calls || several) {
    const std::int64_t enough = in_use_;
    newest_.reset();
    in_use_ = 0;
    if (enough <= kept_between_calls) {
      std::unique_ptr<Piece> piece(new (std::nothrow) Piece);
      if (piece == nullptr) return;
      piece->memory.reset(static_cast<std::byte*>(std::aligned_alloc(
          static_cast<std::size_t>(alignment), static_cast<std::size_t>(enough))));
      piece->size = piece->memory != nullptr ? enough : 0;
      forbid(piece->memory.get(), piece->size);
      newest_ = std::move(piece);
    }
    return;
  }
  forbid(newest_->memory.get(), newest_->used);
  newest_->used = 0;
  in_use_ = 0;
}

std::int64_t Scratch::high_water() noexcept { return most_ever.load(std::memory_order_relaxed); }

}  // namespace roundelay::mpi
