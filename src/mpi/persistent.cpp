// SPDX-License-Identifier: Apache-2.0
#include "mpi/persistent.hpp"

#include <mutex>
#include <utility>

#include "mpi/messages.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

PersistentCall::PersistentCall(Communicator& on, const Plan& like)
    : PendingCall(on, on.tags().persistent_next()), plan(like.choice, like.network()) {
  persistent = true;
  plan.recording = &recording_;
  comm.add_persistent(1);
}

PersistentCall::~PersistentCall() {
  running.reset();
  comm.add_persistent(-1);
}

int PersistentCall::make_request(Running its, MPI_Request& request) {
  if (!hook_into_progress(PendingCalls::step)) return MPI_ERR_NO_MEM;
  running.emplace(std::move(its));
  running->repeat();
  if (SelfCommunicator::get() == MPI_COMM_NULL) return MPI_ERR_NO_MEM;
  return make_receive({}, its_end(), request);
}

int PersistentCall::start(MPI_Request& request, bool may_be_quiet) {
  {
    const std::lock_guard has_turn(turn);
    if (active) return MPI_ERR_REQUEST;
    if (PendingCalls::may_start(*this)) [[likely]]
      return begin(request, may_be_quiet);
  }
  return start_later(request, may_be_quiet);
}

int PersistentCall::start_later(MPI_Request& request, bool may_be_quiet) {
  int error = MPI_SUCCESS;
  wait_until(comm.everybody(), [&] {
    if (!PendingCalls::may_start(*this)) return false;
    error = begin(request, may_be_quiet);
    return true;
  });
  return error;
}

int PersistentCall::begin(MPI_Request& request, bool may_be_quiet) {
  if (begun_) {
    running->begin_again();
  } else {
    comm.tags().take_next(tags);
  }
  int error = MPI_SUCCESS;
  bool over = go_on(*running, error);
  // In MPI_Finalize there may be nobody else who goes on.
  for (FailedPolls looks; !over && !in_progress(); over = go_on(*running, error)) {
    if (looks.one_more(comm.everybody())) give_the_core_away();
  }
  if (!begun_) comm.tags().take_none_next();
  begun_ = true;
  quiet_ = over && error == MPI_SUCCESS && may_be_quiet;
  if (quiet_) return MPI_SUCCESS;
  const int started = start_receive(request);
  if (over) {
    complete(error);
  } else {
    active = true;
    PendingCalls::add(*this);
  }
  return started;
}

void PersistentCall::tell(MPI_Request request) noexcept {
  if (std::exchange(quiet_, false) && start_receive(request) == MPI_SUCCESS) complete(MPI_SUCCESS);
}

// Not in the turn: to free a datatype may call functions of the program.
void PersistentCall::free(std::unique_ptr<PersistentCall> call) {
  const auto is_active = [&] {
    const std::lock_guard has_turn(turn);
    call->freed = true;
    return call->active;
  };
  if (is_active()) static_cast<void>(call.release());  // and the step that ends it lets it go
}

}  // namespace roundelay::mpi
