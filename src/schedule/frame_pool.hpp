// SPDX-License-Identifier: Apache-2.0
// Memory for the frames of schedules: a few free frames of each size are kept by every thread.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace roundelay {

class FramePool {
 public:
  static void* allocate(std::size_t size) {
    if (Stack* stack = of(size); stack != nullptr && stack->count > 0) [[likely]] {
      return stack->frames[--stack->count];
    }
    return more(size);
  }

  static void release(void* frame, std::size_t size) noexcept {
    if (Stack* stack = of(size); stack != nullptr && stack->count < kept) [[likely]] {
      stack->frames[stack->count++] = frame;
      return;
    }
    ::operator delete(frame);
  }

 private:
  static constexpr std::size_t granule = 128;
  static constexpr std::size_t sizes = 16;
  static constexpr std::size_t kept = 4;

  struct Stack {
    std::array<void*, kept> frames;
    std::size_t count;
  };

  // Of a trivial type, so that reaching it is one instruction; what a thread leaves behind is freed
  // by its Sweeper, which comes to life with the first allocation.
  static inline constinit thread_local std::array<Stack, sizes> stacks{};

  struct Sweeper {
    ~Sweeper() {
      for (Stack& stack : stacks) {
        while (stack.count > 0) ::operator delete(stack.frames[--stack.count]);
      }
    }
  };

  [[gnu::noinline]] static void* more(std::size_t size) {
    [[maybe_unused]] static thread_local const Sweeper sweeper;
    return ::operator new((size + granule - 1) / granule * granule);
  }

  static Stack* of([[maybe_unused]] std::size_t size) noexcept {
#if defined(__SANITIZE_ADDRESS__)
    return nullptr;  // the sanitizer shall see every frame come and go
#else
    const std::size_t index = (size - 1) / granule;
    return index < sizes ? &stacks[index] : nullptr;
#endif
  }
};

}  // namespace roundelay
