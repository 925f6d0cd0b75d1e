// SPDX-License-Identifier: Apache-2.0
#include "mpi/executor_of_thread.hpp"

#include <mutex>
#include <utility>

#include "mpi/progress_hook.hpp"

namespace roundelay::mpi {

namespace {

// Of ExecutorOfThread::put_aside.
constinit std::mutex putting_aside;

}  // namespace

ExecutorOfThread::Spare::~Spare() {
  while (first != nullptr) delete std::exchange(first, first->next_);
}

Executor* ExecutorOfThread::another(const Spare& spare) {
  sweep();
  return spare.first != nullptr ? spare.first : new Executor();
}

// Whether it can be used again: otherwise it is put aside.
bool ExecutorOfThread::recover() noexcept {
  const NoSteps no_steps;
  if (executor_->transport_.all_is_over()) {
    executor_->failed_ = false;
    return true;
  }
  const std::lock_guard lock(putting_aside);
  executor_->next_ = put_aside.load(std::memory_order_relaxed);
  put_aside.store(executor_, std::memory_order_relaxed);
  return false;
}

std::size_t ExecutorOfThread::sweep() noexcept {
  const NoSteps no_steps;  // a step may end a call, and put its executor aside
  const std::lock_guard lock(putting_aside);
  Executor* left = nullptr;
  std::size_t count = 0;
  for (Executor* one = put_aside.load(std::memory_order_relaxed); one != nullptr;) {
    Executor* next = one->next_;
    if (one->transport_.all_is_over()) {
      delete one;
    } else {
      one->next_ = std::exchange(left, one);
      ++count;
    }
    one = next;
  }
  put_aside.store(left, std::memory_order_relaxed);
  return count;
}

}  // namespace roundelay::mpi
