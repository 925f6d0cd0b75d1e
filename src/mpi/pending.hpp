// SPDX-License-Identifier: Apache-2.0
// Calls of the program that are pending: it has started them, and holds requests for them.
//
// A pending call goes on wherever the MPI library makes progress (progress_hook.hpp): in waits and
// tests for whatever request, in blocking receives, and in blocking collectives. So the program
// waits for it as for any request. That is a receive of nothing from the rank itself, which it
// sends itself when the call is over. (Not a generalised request: MPICH 4.0.2 ends the program in
// MPI_Waitall where one of these is not complete.)
//
// A step never waits. One thread at a time takes steps, and a thread that finds another one there
// leaves it to that one. What a communicator of this library has (tags, shared memory, plans, what
// schedules remember) belongs, while calls on it are pending, to whoever has the turn.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/communicator.hpp"
#include "mpi/kept_arguments.hpp"
#include "mpi/running.hpp"

namespace roundelay::mpi {

// Starts a call of `bytes` in all that has not been started, and gives the program a request for
// it. As with other calls on the communicator all ranks start them in the same order. Waits only if
// Tags::most_apart() of them were started since one that is pending. Returns an MPI error code;
// there is no request if it is not MPI_SUCCESS, and no error handler has been called. `arguments`
// are what it needs.
int start(Communicator& comm, Running running, KeptArguments arguments, std::int64_t bytes,
          MPI_Request& request);

// Frees what calls that are over have kept of their arguments. Functions of the program may be
// called: those that delete attributes of datatypes.
void free_kept_arguments() noexcept;

// Another call on a communicator, to its end or without waiting, while calls may be pending there,
// which go on meanwhile. The same as Running's functions.
int finish(Communicator& comm, Running& running);
bool progress(Communicator& comm, Running& running);

}  // namespace roundelay::mpi
