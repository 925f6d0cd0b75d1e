// SPDX-License-Identifier: Apache-2.0
// Memory for the frames of coroutines, and for lists that are made for one call: free memory of
// each size is kept by every thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "schedule/per_thread.hpp"

namespace roundelay {

class FramePool {
 public:
  static void* allocate(std::size_t size) {
    if (Stack* stack = of(size); stack != nullptr && stack->first != nullptr) [[likely]] {
      --stack->count;
      return std::exchange(stack->first, stack->first->next);
    }
    return more(size);
  }

  static void release(void* frame, std::size_t size) noexcept {
    if (Stack* stack = of(size); stack != nullptr && stack->count < kept) [[likely]] {
      ++stack->count;
      stack->first = std::construct_at(static_cast<Free*>(frame), stack->first);
      return;
    }
    ::operator delete(frame);
  }

 private:
  static constexpr std::size_t granule = 128;
  static constexpr std::size_t sizes = 32;
  static constexpr std::size_t kept = 64;

  // The beginning of a free frame.
  struct Free {
    Free* next;
  };
  struct Stack {
    Free* first;
    std::size_t count;
  };

  struct Stacks {
    std::array<Stack, sizes> of_size;
    bool freed_at_end;
  };

  // Of a trivial type, so that it is reached by one instruction, and works until the process ends.
  static inline constinit thread_local Stacks stacks{};

  [[gnu::noinline]] static void* more(std::size_t size) {
    if (!std::exchange(stacks.freed_at_end, true)) {
      at_thread_end([](void* /*unused*/) { free_all(); }, nullptr);
    }
    return ::operator new((size + granule - 1) / granule * granule);
  }

  static void free_all() noexcept {
    for (Stack& stack : stacks.of_size) {
      while (stack.first != nullptr) {
        ::operator delete(std::exchange(stack.first, stack.first->next));
      }
      stack.count = 0;
    }
    stacks.freed_at_end = false;
  }

  static Stack* of([[maybe_unused]] std::size_t size) noexcept {
#if defined(__SANITIZE_ADDRESS__)
    return nullptr;  // the sanitizer shall see every frame come and go
#else
    const std::size_t index = (size - 1) / granule;
    return index < sizes ? &stacks.of_size[index] : nullptr;
#endif
  }
};

// For containers that are made in each call.
template <typename T>
struct FromFramePool {
  using value_type = T;

  FromFramePool() noexcept = default;
  template <typename Other>
  explicit FromFramePool(const FromFramePool<Other>& /*other*/) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(FramePool::allocate(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept {
    FramePool::release(memory, count * sizeof(T));
  }
  friend bool operator==(const FromFramePool& /*a*/, const FromFramePool& /*b*/) { return true; }
};

}  // namespace roundelay
