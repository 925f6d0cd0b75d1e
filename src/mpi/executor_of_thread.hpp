// SPDX-License-Identifier: Apache-2.0
// Who has which executor: each thread keeps some for its next calls.
#pragma once

#include <atomic>
#include <cstddef>

#include "mpi/executor.hpp"
#include "schedule/per_thread.hpp"

namespace roundelay::mpi {

// An executor for one call, which no other call has at the same time. It is from the thread that
// begins the call, and is kept by that which ends it. An executor that failed is put aside with all
// its memory until its sends are over.
class ExecutorOfThread {
 public:
  ExecutorOfThread() : ExecutorOfThread(per_thread<Spare>()) {}
  ExecutorOfThread(const ExecutorOfThread&) = delete;
  ExecutorOfThread& operator=(const ExecutorOfThread&) = delete;
  ~ExecutorOfThread() {
    if (executor_->failed_ && !recover()) [[unlikely]]
      return;
    executor_->release();
    auto& spare = per_thread<Spare>();
    executor_->next_ = spare.first;
    spare.first = executor_;
  }

  Executor* operator->() const noexcept { return executor_; }
  Executor& operator*() const noexcept { return *executor_; }

  // Destroys what was put aside, by any thread, and is over now. Returns how many are left.
  static std::size_t sweep() noexcept;

 private:
  struct Spare {
    Spare() = default;
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;
    ~Spare();
    Executor* first = nullptr;
  };
  // Executors whose sends are not over. Not destroyed when the process ends: MPI may read their
  // memory until then.
  static inline constinit std::atomic<Executor*> put_aside{nullptr};

  explicit ExecutorOfThread(Spare& spare) : executor_(spare.first) {
    if (executor_ == nullptr || put_aside.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      executor_ = another(spare);
    spare.first = executor_->next_;
  }
  static Executor* another(const Spare& spare);
  bool recover() noexcept;

  Executor* executor_;
};

}  // namespace roundelay::mpi
