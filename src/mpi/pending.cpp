// SPDX-License-Identifier: Apache-2.0
#include "mpi/pending.hpp"

#include <sched.h>

#include <atomic>
#include <new>
#include <utility>

#include "mpi/messages.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/shared_memory.hpp"
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
    int count = 0;
    PendingCall** link = &first;
    while (*link != nullptr) {
      PendingCall& call = **link;
      if (!call.go_on()) {
        link = &call.next_;
        continue;
      }
      *link = call.next_;
      ++count;
      call.complete();
      Communicator& comm = call.comm_;
      if (call.arguments.any()) {
        call.next_ = std::exchange(over, &call);
      } else {
        delete &call;
      }
      comm.add_pending(-1);  // and nobody looks at it any more
    }
    end = link;
    if (first == nullptr) any.store(false, std::memory_order_release);
    Turn::give_back();
    return count;
  }

  // Not in a step: to free a datatype may call functions of the program. The caller has the turn.
  static PendingCall* take_over() noexcept { return std::exchange(over, nullptr); }
  static void bury(PendingCall* calls) noexcept {
    while (calls != nullptr) delete std::exchange(calls, calls->next_);
  }

 private:
  static inline constinit PendingCall* first = nullptr;
  static inline constinit PendingCall** end = &first;  // where the next one is linked
  static inline constinit PendingCall* over = nullptr;  // whose arguments have to be let go
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

// It is sent what its request waits for; an error as more than there is room for. The program's
// error handlers are not for this place: only one that ends the program is called.
void PendingCall::complete() noexcept {
  static char too_long = 0;
  const bool failed = error_ != MPI_SUCCESS;
  if (failed) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm_.user(), &handler);
    if (handler == MPI_ERRORS_ARE_FATAL) PMPI_Comm_call_errhandler(comm_.user(), error_);
    if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  }
  MPI_Request sent = MPI_REQUEST_NULL;
  begin_send({&too_long, failed ? 1 : 0}, {comm_.rank(), tag_, comm_.own()}, SendMode::standard,
             sent);
  if (sent != MPI_REQUEST_NULL) PMPI_Request_free(&sent);
}

// Where a message takes less than what completes a request, it is worth a few looks: a call that is
// over when it has started needs no message to complete its request.
bool PendingCall::is_soon_over(std::int64_t bytes) noexcept {
  constexpr std::int64_t few_bytes = 4096;
  constexpr int few_looks = 8;
  const SharedMemory* shared = comm_.shared();
  const bool worth_it = bytes <= few_bytes && waiting() == Waiting::spin && shared != nullptr &&
                        shared->reaches_all();
  for (int looks = worth_it ? few_looks : 1; looks > 0; --looks) {
    if (go_on()) return true;
  }
  return false;
}

int PendingCall::start(std::unique_ptr<PendingCall> call, Running running, std::int64_t bytes,
                       MPI_Request& request) {
  if (!hook_into_progress(PendingCalls::step)) return MPI_ERR_NO_MEM;
  Communicator& comm = call->comm_;
  MPI_Request received = MPI_REQUEST_NULL;
  PendingCall* gone = nullptr;
  int error = MPI_SUCCESS;
  wait_until(comm.own(), [&] {
    if (!PendingCalls::may_start(comm)) return false;
    gone = PendingCalls::take_over();
    call->number_ = comm.calls();
    call->tag_ = comm.next_tags() + 1;  // of the second channel, which has no messages to oneself
    call->running_.emplace(std::move(running));
    const bool over = call->is_soon_over(bytes);
    error = call->error_;
    if (error != MPI_SUCCESS) return true;
    error = begin_receive({}, {over ? MPI_PROC_NULL : comm.rank(), call->tag_, comm.own()}, received);
    if (error != MPI_SUCCESS) {
      call->running_.reset();
    } else if (!over) {
      PendingCalls::add(*call.release());
    }
    return true;
  });
  PendingCalls::bury(gone);
  if (error == MPI_SUCCESS) request = received;
  return error;
}

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
