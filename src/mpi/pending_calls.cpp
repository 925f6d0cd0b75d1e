// SPDX-License-Identifier: Apache-2.0
#include "mpi/pending_calls.hpp"

#include <new>

#include "mpi/messages.hpp"

namespace roundelay::mpi {

bool go_on(Running& running, int& error) noexcept {
  try {
    if (!running.progress()) return false;
    error = running.error();
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  } catch (...) {
    error = MPI_ERR_INTERN;
  }
  return true;
}

namespace {

bool ends_program(MPI_Errhandler handler) noexcept {
#ifdef MPI_ERRORS_ABORT  // from MPI 4.0 on
  if (handler == MPI_ERRORS_ABORT) return true;
#endif
  return handler == MPI_ERRORS_ARE_FATAL;
}

}  // namespace

// It is sent what its request waits for; an error as more than there is room for. The program's
// error handlers are not for this place: only one that ends the program is called.
void PendingCall::complete(int error) const noexcept {
  static char too_long = 0;
  const bool failed = error != MPI_SUCCESS;
  if (failed) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm.user(), &handler);
    if (ends_program(handler)) PMPI_Comm_call_errhandler(comm.user(), error);
    if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  }
  MPI_Request sent = MPI_REQUEST_NULL;
  begin_send({&too_long, failed ? 1 : 0}, its_end(), SendMode::standard, sent);
  if (sent != MPI_REQUEST_NULL) PMPI_Request_free(&sent);
}

void PendingCalls::add(PendingCall& call) noexcept {
  *end = &call;
  end = &call.next;
  call.comm.add_pending(1);
  any.store(true, std::memory_order_release);
}

bool PendingCalls::may_start(const Communicator& comm) noexcept {
  for (const PendingCall* call = first; call != nullptr; call = call->next) {
    if (&call->comm != &comm || call->persistent) continue;
    return comm.tags().pending() < call->number + comm.tags().most_apart();
  }
  return true;
}

bool PendingCalls::may_start(const PendingCall& persistent) noexcept {
  if (persistent.comm.tags().persistent_are_apart()) return true;
  for (const PendingCall* call = first; call != nullptr; call = call->next) {
    if (&call->comm == &persistent.comm && call->tags == persistent.tags) return false;
  }
  return true;
}

int PendingCalls::step() noexcept {
  if (!any.load(std::memory_order_acquire) || !turn.try_lock()) return 0;
  int count = 0;
  PendingCall** link = &first;
  while (*link != nullptr) {
    PendingCall& call = **link;
    int error = MPI_SUCCESS;
    if (!go_on(*call.running, error)) {
      link = &call.next;
      continue;
    }
    *link = std::exchange(call.next, nullptr);
    ++count;
    Communicator& comm = call.comm;
    const bool stays = call.persistent && !call.freed;
    call.active = false;
    if (!stays) call.running.reset();
    call.complete(error);
    if (!stays && (call.persistent || call.arguments.any())) {
      call.next = over.exchange(&call, std::memory_order_relaxed);
    } else if (!stays) {
      delete &call;
    }
    comm.add_pending(-1);  // and nobody looks at it any more
  }
  end = link;
  if (first == nullptr) any.store(false, std::memory_order_release);
  turn.unlock();
  return count;
}

void PendingCalls::destroy(PendingCall* list) noexcept {
  while (list != nullptr) delete std::exchange(list, list->next);
}

}  // namespace roundelay::mpi
