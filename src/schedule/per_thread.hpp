// SPDX-License-Identifier: Apache-2.0
// Objects of which every thread has one, also late in its life.
//
// A thread_local object with a destructor must not be used any more when its thread's destructors
// have run. The main thread runs atexit handlers, static destructors and attribute callbacks after
// that, and they may call collectives. Here only a pointer is thread_local: it has no destructor,
// so it can always be read.
#pragma once

#include <cxxabi.h>

#include <utility>

extern "C" {
// Of the library or program that this code is linked into; the compiler's start-up files define it.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern void* __dso_handle __attribute__((visibility("hidden")));
}

namespace roundelay {

// Calls destroy(object) when the calling thread ends, or at exit() if it is the main thread. Works
// while the thread's destructors run, too. After them (in an atexit handler) nothing is called any
// more.
inline void at_thread_end(void (*destroy)(void*), void* object) noexcept {
  abi::__cxa_thread_atexit(destroy, object, static_cast<void*>(&__dso_handle));
}

template <typename T>
inline constinit thread_local T* object_of_thread = nullptr;

// In a function of its own, so that the way to an object that is there stays short.
template <typename T>
[[gnu::noinline]] T& make_per_thread() {
  object_of_thread<T> = new T();
  at_thread_end([](void* /*unused*/) { delete std::exchange(object_of_thread<T>, nullptr); },
                nullptr);
  return *object_of_thread<T>;
}

// The calling thread's object of type T, made with T() when it is first asked for, and again if it
// is asked for after it was destroyed. There is one per type and thread: give each use a type of
// its own. Throws what T() throws, and std::bad_alloc.
template <typename T>
[[nodiscard]] inline T& per_thread() {
  if (T* object = object_of_thread<T>; object != nullptr) [[likely]]
    return *object;
  return make_per_thread<T>();
}

}  // namespace roundelay
