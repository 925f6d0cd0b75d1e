// SPDX-License-Identifier: Apache-2.0
// Calls that the program makes once and starts again and again.
//
// The request of such a call is a receive of nothing from the rank itself, as that of any pending
// call (pending.hpp), but one that MPI can start again. While it is started, the call is one of
// those that are pending. Between two runs its coroutine waits where the next one begins, with all
// that it needs: memory, plan and arguments.
//
// If a run is over when MPI_Start returns, MPI's request is not started: it is quiet. MPI_Wait and
// MPI_Test report it as complete; for functions that return indices call tell() first.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "mpi/collectives.hpp"
#include "mpi/pending_calls.hpp"
#include "mpi/recording.hpp"

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
  // Waits only where Tags::most_apart() calls were made after one that is active. Returns an MPI
  // error code. `may_be_quiet`: whoever completes the request calls tell() or complete_quiet().
  int start(MPI_Request& request, bool may_be_quiet);
  // MPI knows that the request is complete, if the program has not completed it yet.
  void tell(MPI_Request request) noexcept;
  // The program completes its request, if that is quiet. Returns whether it was.
  bool complete_quiet() noexcept { return std::exchange(quiet_, false); }
  // The program frees its request.
  static void free(std::unique_ptr<PersistentCall> call);

 private:
  int start_later(MPI_Request& request, bool may_be_quiet);
  int begin(MPI_Request& request, bool may_be_quiet);

  Recording recording_;
  bool begun_ = false;
  bool quiet_ = false;
};

}  // namespace roundelay::mpi
