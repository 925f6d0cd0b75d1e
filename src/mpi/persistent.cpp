// SPDX-License-Identifier: Apache-2.0
#include "mpi/persistent.hpp"

#include <utility>

#include "mpi/messages.hpp"
#include "mpi/progress_hook.hpp"

namespace roundelay::mpi {

// The tag is of the second channel, which has no messages of a rank to itself.
PersistentCall::PersistentCall(Communicator& on, const Plan& like)
    : PendingCall(on, on.tags().persistent_next() + 1), plan(like.choice, like.network()) {
  persistent = true;
  plan.of_one_call = true;
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
  return make_receive({}, {comm.rank(), tag, comm.own()}, request);
}

int PersistentCall::start(MPI_Request& request) {
  int error = MPI_SUCCESS;
  wait_until(comm.own(), [&] {
    if (!PendingCalls::may_start(*this)) return false;
    error = begin(request);
    return true;
  });
  return error;
}

int PersistentCall::begin(MPI_Request& request) {
  int error = start_receive(request);
  if (error != MPI_SUCCESS) return error;
  if (begun_) {
    running->begin_again();
  } else {
    comm.tags().take_next(tag - 1);
  }
  const bool over = go_on(*running, error);
  if (!std::exchange(begun_, true)) comm.tags().take_none_next();
  if (over) {
    complete(error);
  } else {
    active = true;
    PendingCalls::add(*this);
  }
  return MPI_SUCCESS;
}

// Not in the turn: to free a datatype may call functions of the program.
void PersistentCall::free(std::unique_ptr<PersistentCall> call) {
  const auto is_active = [&] {
    const Turn turn;
    call->freed = true;
    return call->active;
  };
  if (is_active()) static_cast<void>(call.release());  // and the step that ends it lets it go
}

}  // namespace roundelay::mpi
