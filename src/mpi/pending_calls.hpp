// SPDX-License-Identifier: Apache-2.0
// The calls that the program has started and that go on wherever the MPI library makes progress.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/kept_arguments.hpp"
#include "mpi/messages.hpp"
#include "mpi/running.hpp"
#include "mpi/self_communicator.hpp"
#include "mpi/spin_lock.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

// A thread that has the turn may go on with calls that are pending, and use what their
// communicators have.
inline constinit SpinLock turn;

// Whether it is over; then `error` is set.
bool go_on(Running& running, int& error) noexcept;

struct PendingCall {
  // Throws std::bad_alloc.
  PendingCall(Communicator& on, int its_tags, KeptArguments its_arguments = {})
      : comm(on), arguments(std::move(its_arguments)), tags(its_tags) {}
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  virtual ~PendingCall() = default;

  Communicator& comm;
  KeptArguments arguments;
  std::optional<Running> running;  // until it is over
  std::uint64_t number = 0;        // among those of the communicator that are not persistent
  int tags;                        // of its messages
  bool persistent = false;         // the program may start it again
  bool active = false;             // of a persistent one: it is pending
  bool freed = false;              // of a persistent one: the program does not need it any more
  PendingCall* next = nullptr;

  // What completes its request comes from here: a message of this rank to itself.
  [[nodiscard]] Peer its_end() const noexcept {
    return {0, end_tag_.number(), SelfCommunicator::get()};
  }
  // Its request is complete.
  void complete(int error) const noexcept;

 private:
  SelfTag end_tag_;
};

// All of this process, in the order in which they were started. But for step() the caller has the
// turn.
class PendingCalls {
 public:
  static void add(PendingCall& call) noexcept;
  // Whether the tags of the communicator's next one are not those of one that is pending.
  [[nodiscard]] static bool may_start(const Communicator& comm) noexcept;
  // The same of a persistent one.
  [[nodiscard]] static bool may_start(const PendingCall& persistent) noexcept;
  // Goes on with all of them. Returns how many have come to their end.
  static int step() noexcept;
  // What is over, but has to let its arguments go: not in a step, because to free a datatype may
  // call functions of the program.
  static PendingCall* take_over() noexcept {
    return over.exchange(nullptr, std::memory_order_relaxed);
  }
  // Whether there may be any. For threads without the turn, too.
  [[nodiscard]] static bool any_over() noexcept {
    return over.load(std::memory_order_relaxed) != nullptr;
  }
  static void destroy(PendingCall* list) noexcept;

 private:
  static inline constinit PendingCall* first = nullptr;
  static inline constinit PendingCall** end = &first;               // where the next one is linked
  static inline constinit std::atomic<PendingCall*> over{nullptr};  // changed with the turn only
  static inline constinit std::atomic<bool> any{false};
};

// Until something is so; calls go on meanwhile. `is_so` is called by the thread that has the turn.
void wait_until(MPI_Comm comm, const auto& is_so) {
  for (FailedPolls looks;;) {
    {
      const std::lock_guard has_turn(turn);
      if (is_so()) return;
    }
    PendingCalls::step();
    if (looks.one_more(comm)) give_the_core_away();
  }
}

}  // namespace roundelay::mpi
