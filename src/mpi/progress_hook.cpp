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

int take_step() noexcept {
  const Step step = stepping.load(std::memory_order_acquire);
  return step != nullptr && reasons_for_no_step == 0 ? step() : 0;
}

template <typename Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

#if ROUNDELAY_OPEN_MPI

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

// Before that, MPICH over UCX makes all its progress by one function of UCX, which the library
// below stands in for. Not where several threads may call MPI: MPICH holds a lock meanwhile.
std::atomic<bool> makes_progress_by_ucx{false};
std::atomic<bool> steps_in_ucx{false};

void let_it_make_progress() {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

bool may_step_in_ucx() {
  constexpr int enough = 8;  // for once in UCX, whatever else it looks at
  int provided = MPI_THREAD_MULTIPLE;
  PMPI_Query_thread(&provided);
  for (int i = 0; i < enough && !makes_progress_by_ucx.load(std::memory_order_relaxed); ++i) {
    let_it_make_progress();
  }
  return makes_progress_by_ucx.load(std::memory_order_relaxed) && provided < MPI_THREAD_MULTIPLE;
}

bool start() {
  Register* const start = registering();
  if (start == nullptr) {
    steps_in_ucx.store(may_step_in_ucx(), std::memory_order_release);
    return steps_in_ucx.load(std::memory_order_relaxed);
  }
  polled.store(true, std::memory_order_release);
  return start(called_by_mpich, nullptr, in_every_progress) == MPI_SUCCESS;
}

// MPI_Finalize waits for what is polled.
void stop() {
  steps_in_ucx.store(false, std::memory_order_release);
  while (polled.load(std::memory_order_acquire)) let_it_make_progress();
}

bool can_start() { return registering() != nullptr || may_step_in_ucx(); }

#else

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

void leave_progress() noexcept {
  const std::lock_guard lock(hooking);
  if (!hooked) return;
  stepping.store(nullptr, std::memory_order_release);
  stop();
  hooked = false;
}

}  // namespace roundelay::mpi

#if ROUNDELAY_MPICH
// Of UCX: nothing of it is on the stack any more when a step is taken.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned(void*);
  static auto* const next = [] {
    void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    // Behind a libmpi that was opened for itself it is not the next one.
    if (found == nullptr) {
      found = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
    }
    return reinterpret_cast<Progress*>(found);
  }();
  const unsigned moved = next(worker);
  roundelay::mpi::makes_progress_by_ucx.store(true, std::memory_order_relaxed);
  if (roundelay::mpi::steps_in_ucx.load(std::memory_order_acquire)) roundelay::mpi::take_step();
  return moved;
}
#endif
