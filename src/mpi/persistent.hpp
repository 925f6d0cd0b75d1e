// SPDX-License-Identifier: Apache-2.0
// Calls that the program makes once and starts again and again.
//
// The request of such a call is a receive of nothing from the rank itself, as that of any pending
// call (pending.hpp), but one that MPI can start again. While it is started, the call is one of
// those that are pending. Between two runs its coroutine waits where the next one begins, with all
// that it needs: memory, plan and arguments.
#pragma once

#include <mpi.h>

#include <memory>

#include "mpi/collectives.hpp"
#include "mpi/pending_calls.hpp"

namespace roundelay::mpi {

class PersistentCall : public PendingCall {
 public:
  // On an intracommunicator, whose ranks make those that they have in common in the same order. It
  // keeps the communicator. `like` has the choice.
  PersistentCall(Communicator& on, const Plan& like);
  ~PersistentCall() override;

  Plan plan;

  // What it runs, which has not been started, and what the program gets for it: a request that is
  // not active. Returns an MPI error code, and calls no error handler.
  int make_request(Running running, MPI_Request& request);

  // The program starts its request. All ranks start those of a communicator in the same order.
  // Waits only where Tags::most_persistent calls were made after one that is active. Returns an MPI
  // error code.
  int start(MPI_Request& request);
  // The program frees its request.
  static void free(std::unique_ptr<PersistentCall> call);

 private:
  int begin(MPI_Request& request);

  bool begun_ = false;
};

}  // namespace roundelay::mpi
