// SPDX-License-Identifier: Apache-2.0
// A lock for what takes a few instructions, where a mutex would take more than all of it.
#pragma once

#include <sched.h>

#include <atomic>

namespace roundelay::mpi {

// It never waits in the kernel: a thread that has to wait gives its core away.
class SpinLock {
 public:
  bool try_lock() noexcept { return !taken_.test_and_set(std::memory_order_acquire); }
  void lock() noexcept {
    while (!try_lock()) sched_yield();
  }
  void unlock() noexcept { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

}  // namespace roundelay::mpi
