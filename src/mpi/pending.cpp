// SPDX-License-Identifier: Apache-2.0
#include "mpi/pending.hpp"

#include <sched.h>

#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "mpi/messages.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

// A thread that has the turn may go on with calls that are pending, and use what their
// communicators have.
class Turn {
 public:
  Turn() noexcept {
    while (!try_to_take()) sched_yield();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { give_back(); }

  static bool try_to_take() noexcept { return !taken.test_and_set(std::memory_order_acquire); }
  // For try_to_take().
  static void give_back() noexcept { taken.clear(std::memory_order_release); }

 private:
  static inline constinit std::atomic_flag taken;
};

// Whether it is over; then `error` is set.
bool go_on(Running& running, int& error) noexcept {
  try {
    if (!running.progress()) return false;
    error = running.wait();
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  } catch (...) {
    error = MPI_ERR_INTERN;
  }
  return true;
}

struct PendingCall {
  Communicator& comm;
  KeptArguments arguments;
  std::optional<Running> running;  // until it is over
  std::uint64_t number;            // among those of the communicator
  int tag;                         // of what completes the request
  PendingCall* next = nullptr;

  void complete(int error) const noexcept;
};

// It is sent what its request waits for; an error as more than there is room for. The program's
// error handlers are not for this place: only one that ends the program is called.
void PendingCall::complete(int error) const noexcept {
  static char too_long = 0;
  const bool failed = error != MPI_SUCCESS;
  if (failed) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm.user(), &handler);
    if (handler == MPI_ERRORS_ARE_FATAL) PMPI_Comm_call_errhandler(comm.user(), error);
    if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  }
  MPI_Request sent = MPI_REQUEST_NULL;
  begin_send({&too_long, failed ? 1 : 0}, {comm.rank(), tag, comm.own()}, SendMode::standard, sent);
  if (sent != MPI_REQUEST_NULL) PMPI_Request_free(&sent);
}

// All of this process, in the order in which they were started. But for step() the caller has the
// turn.
class PendingCalls {
 public:
  static void add(PendingCall& call) noexcept {
    *end = &call;
    end = &call.next;
    call.comm.add_pending(1);
    any.store(true, std::memory_order_release);
  }

  // Whether the tags of the communicator's next one are not those of one that is pending.
  static bool may_start(const Communicator& comm) noexcept {
    for (const PendingCall* call = first; call != nullptr; call = call->next) {
      if (&call->comm != &comm) continue;
      return comm.tags().pending() < call->number + Tags::most_pending;
    }
    return true;
  }

  // Goes on with all of them. Returns how many have come to their end.
  static int step() noexcept {
    if (!any.load(std::memory_order_acquire) || !Turn::try_to_take()) return 0;
    int count = 0;
    PendingCall** link = &first;
    while (*link != nullptr) {
      PendingCall& call = **link;
      int error = MPI_SUCCESS;
      if (!go_on(*call.running, error)) {
        link = &call.next;
        continue;
      }
      *link = call.next;
      ++count;
      call.running.reset();
      call.complete(error);
      Communicator& comm = call.comm;
      if (call.arguments.any()) {
        call.next = std::exchange(over, &call);
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

  // What is over, but has to let its arguments go: not in a step, because to free a datatype may
  // call functions of the program.
  static PendingCall* take_over() noexcept { return std::exchange(over, nullptr); }

 private:
  static inline constinit PendingCall* first = nullptr;
  static inline constinit PendingCall** end = &first;  // where the next one is linked
  static inline constinit PendingCall* over = nullptr;
  static inline constinit std::atomic<bool> any{false};
};

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

// Where a message takes less than what completes a request, it is worth a few looks: a call that is
// over when it has started needs no message to complete its request.
bool is_soon_over(const Communicator& comm, Running& running, std::int64_t bytes,
                  int& error) noexcept {
  constexpr std::int64_t few_bytes = 4096;
  constexpr int few_looks = 8;
  const SharedMemory* shared = comm.shared();
  const bool worth_it = bytes <= few_bytes && waiting() == Waiting::spin && shared != nullptr &&
                        shared->reaches_all();
  for (int looks = worth_it ? few_looks : 1; looks > 0; --looks) {
    if (go_on(running, error)) return true;
  }
  return false;
}

// The tag is of the second channel, which has no messages of a rank to itself.
int begin(Communicator& comm, Running& running, KeptArguments& arguments, std::int64_t bytes,
          MPI_Request& request) {
  const std::uint64_t number = comm.tags().pending();
  const int tag = comm.tags().pending_next() + 1;
  int error = MPI_SUCCESS;
  if (is_soon_over(comm, running, bytes, error)) {
    return error != MPI_SUCCESS ? error
                                : begin_receive({}, {MPI_PROC_NULL, tag, comm.own()}, request);
  }
  auto call = std::make_unique<PendingCall>(
      PendingCall{comm, std::move(arguments), std::move(running), number, tag});
  error = begin_receive({}, {comm.rank(), tag, comm.own()}, request);
  if (error == MPI_SUCCESS) PendingCalls::add(*call.release());
  return error;
}

}  // namespace

int start(Communicator& comm, Running running, KeptArguments arguments, std::int64_t bytes,
          MPI_Request& request) {
  if (!hook_into_progress(PendingCalls::step)) return MPI_ERR_NO_MEM;
  PendingCall* over = nullptr;
  int error = MPI_SUCCESS;
  wait_until(comm.own(), [&] {
    if (!PendingCalls::may_start(comm)) return false;
    over = PendingCalls::take_over();
    error = begin(comm, running, arguments, bytes, request);
    return true;
  });
  while (over != nullptr) delete std::exchange(over, over->next);
  return error;
}

bool progress(Communicator& comm, Running& running) {
  if (!comm.any_pending()) return running.progress();
  const Turn turn;
  return running.progress();
}

int finish(Communicator& comm, Running& running) {
  if (!comm.any_pending()) return running.wait();
  wait_until(comm.own(), [&] { return running.progress(); });
  return running.wait();
}

}  // namespace roundelay::mpi
