// SPDX-License-Identifier: Apache-2.0
#include "mpi/pending.hpp"

#include <sched.h>

#include <atomic>
#include <new>
#include <utility>

#include "mpi/progress_hook.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

// All of this process, in the order in which they were started.
class PendingCalls {
 public:
  // While it lives, its thread has the turn.
  class Turn {
   public:
    Turn() noexcept {
      while (!try_to_take()) sched_yield();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { taken.clear(std::memory_order_release); }

    static bool try_to_take() noexcept { return !taken.test_and_set(std::memory_order_acquire); }
    // For try_to_take().
    static void give_back() noexcept { taken.clear(std::memory_order_release); }

   private:
    static inline constinit std::atomic_flag taken;
  };

  // The caller has the turn.
  static void add(PendingCall& call) noexcept {
    *end = &call;
    end = &call.next_;
    call.comm_.add_pending(1);
    any.store(true, std::memory_order_release);
  }

  // The tags of the communicator's next call are not those of a pending one. The caller has the
  // turn.
  static bool may_start(const Communicator& comm) noexcept {
    for (const PendingCall* call = first; call != nullptr; call = call->next_) {
      if (&call->comm_ != &comm) continue;
      return comm.calls() < call->number_ + Communicator::most_calls_in_progress;
    }
    return true;
  }

  // Returns how many have come to their end.
  static int step() noexcept {
    if (!any.load(std::memory_order_acquire) || !Turn::try_to_take()) return 0;
    PendingCall* over = nullptr;
    PendingCall** link = &first;
    while (*link != nullptr) {
      PendingCall& call = **link;
      if (!call.go_on()) {
        link = &call.next_;
        continue;
      }
      *link = std::exchange(call.next_, over);
      over = &call;
      call.comm_.add_pending(-1);  // and nobody looks at it any more
    }
    end = link;
    if (first == nullptr) any.store(false, std::memory_order_release);
    Turn::give_back();
    int count = 0;
    for (; over != nullptr; ++count) {
      // It may be gone as soon as its request is complete.
      const PendingCall& call = *std::exchange(over, over->next_);
      PMPI_Grequest_complete(call.request_);
    }
    return count;
  }

 private:
  static inline constinit PendingCall* first = nullptr;
  static inline constinit PendingCall** end = &first;  // where the next one is linked
  static inline constinit std::atomic<bool> any{false};
};

namespace {

using Turn = PendingCalls::Turn;

// Until something is so; calls go on meanwhile. `is_so` is called by the thread that has the turn.
void wait_until(MPI_Comm own, const auto& is_so) {
  for (VainLooks looks;;) {
    {
      const Turn turn;
      if (is_so()) return;
    }
    PendingCalls::step();
    if (looks.one_more(own)) give_the_core_away();
  }
}

}  // namespace

// Returns whether it is over.
bool PendingCall::go_on() noexcept {
  try {
    if (!running_->progress()) return false;
    error_ = running_->wait();
  } catch (const std::bad_alloc&) {
    error_ = MPI_ERR_NO_MEM;
  } catch (...) {
    error_ = MPI_ERR_INTERN;
  }
  running_.reset();
  return true;
}

int PendingCall::start(std::unique_ptr<PendingCall> call, Running running, MPI_Request& request) {
  if (!hook_into_progress(PendingCalls::step)) return MPI_ERR_NO_MEM;
  const int error = PMPI_Grequest_start(query, free, cancel, call.get(), &call->request_);
  if (error != MPI_SUCCESS) return error;
  PendingCall& self = *call.release();  // until free()
  MPI_Request its_request = self.request_;
  bool over = false;
  wait_until(self.comm_.own(), [&] {
    if (!PendingCalls::may_start(self.comm_)) return false;
    self.number_ = self.comm_.calls();
    self.running_.emplace(std::move(running));
    over = self.go_on();
    if (!over) PendingCalls::add(self);
    return true;
  });
  if (!over) {
    request = its_request;
    return MPI_SUCCESS;
  }
  const int failed = std::exchange(self.error_, MPI_SUCCESS);
  PMPI_Grequest_complete(its_request);
  if (failed == MPI_SUCCESS) {
    request = its_request;
  } else {
    PMPI_Request_free(&its_request);
  }
  return failed;
}

int PendingCall::query(void* call, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  const int error = static_cast<const PendingCall*>(call)->error_;
  if (error != MPI_SUCCESS) status->MPI_ERROR = error;
  return error;
}

int PendingCall::free(void* call) {
  delete static_cast<PendingCall*>(call);
  return MPI_SUCCESS;
}

// MPI says that nobody may cancel a collective.
int PendingCall::cancel(void* /*call*/, int /*complete*/) { return MPI_SUCCESS; }

bool progress(Communicator& comm, Running& running) {
  if (!comm.any_pending()) return running.progress();
  const Turn turn;
  return running.progress();
}

int finish(Communicator& comm, Running& running) {
  if (!comm.any_pending()) return running.wait();
  wait_until(comm.own(), [&] { return PendingCalls::may_start(comm) && running.progress(); });
  return running.wait();
}

}  // namespace roundelay::mpi
