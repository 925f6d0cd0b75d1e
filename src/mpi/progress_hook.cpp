// SPDX-License-Identifier: Apache-2.0
#include "mpi/progress_hook.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <atomic>
#include <mutex>

namespace roundelay::mpi {

namespace {

// What is called; null: nothing.
std::atomic<Step> stepping{nullptr};

[[maybe_unused]] int take_step() noexcept {
  const Step step = stepping.load(std::memory_order_acquire);
  return step != nullptr && reasons_for_no_step == 0 ? step() : 0;
}

template <typename Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

#if ROUNDELAY_OPEN_MPI

constexpr bool finalize_waits_for_steps = false;

// Of Open MPI's lowest layer: its own non-blocking collectives are driven so.
using Register = int(int (*)());

int called_by_open_mpi() { return take_step(); }

Register* registering() { return find<Register>("opal_progress_register"); }

bool start() {
  Register* const start = registering();
  return start != nullptr && start(called_by_open_mpi) == 0;
}

void stop() {
  Register* const stop = find<Register>("opal_progress_unregister");
  if (stop != nullptr) stop(called_by_open_mpi);
}

bool can_start() { return registering() != nullptr; }

#elif ROUNDELAY_MPICH

// From MPICH 4.3 on. The headers of this build may be older.
using Poll = int(void*);
using Register = int(Poll*, void*, int);
constexpr int in_every_progress = 0x3c000000;  // MPIX_STREAM_NULL
constexpr int pending = 0;                     // MPIX_ASYNC_NOPROGRESS
constexpr int done = 1;                        // MPIX_ASYNC_DONE

std::atomic<bool> polled{false};

int called_by_mpich(void* /*thing*/) {
  if (stepping.load(std::memory_order_acquire) == nullptr) {
    polled.store(false, std::memory_order_release);
    return done;
  }
  take_step();
  return pending;
}

Register* registering() { return find<Register>("PMPIX_Async_start"); }

void let_it_make_progress() {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

bool start() {
  Register* const start = registering();
  if (start == nullptr) return false;
  polled.store(true, std::memory_order_release);
  return start(called_by_mpich, nullptr, in_every_progress) == MPI_SUCCESS;
}

// MPI_Finalize waits for what is polled before it does anything else.
constexpr bool finalize_waits_for_steps = true;

void stop() {
  while (polled.load(std::memory_order_acquire)) let_it_make_progress();
}

// With several threads MPICH 5.0.2 holds a lock while it calls, which it takes again where a step
// calls a function that makes progress.
bool can_start() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level != MPI_THREAD_MULTIPLE && registering() != nullptr;
}

#else

constexpr bool finalize_waits_for_steps = false;
bool start() { return false; }
void stop() {}
bool can_start() { return false; }

#endif

constinit std::mutex hooking;
bool hooked = false;

}  // namespace

bool has_progress_hook() { return can_start(); }

bool hook_into_progress(Step step) {
  if (stepping.load(std::memory_order_acquire) != nullptr) [[likely]]
    return true;
  const std::lock_guard lock(hooking);
  if (!hooked) {
    stepping.store(step, std::memory_order_release);
    hooked = start();
    if (!hooked) stepping.store(nullptr, std::memory_order_release);
  }
  return hooked;
}

bool in_progress() noexcept { return stepping.load(std::memory_order_acquire) != nullptr; }

void leave_progress_before_finalize() noexcept {
  if (finalize_waits_for_steps) leave_progress();
}

void leave_progress() noexcept {
  const std::lock_guard lock(hooking);
  if (!hooked) return;
  stepping.store(nullptr, std::memory_order_release);
  stop();
  hooked = false;
}

}  // namespace roundelay::mpi
