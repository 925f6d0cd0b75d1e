// SPDX-License-Identifier: Apache-2.0
// Duplicates of communicators that the program has begun to make by MPI_Comm_idup.
//
// Open MPI agrees on the number of a duplicate by non-blocking collectives on the communicator, one
// after the other, each as soon as a rank knows that the one before is over. If the ranks start
// others there meanwhile, such as those that make another communicator, they do so in different
// orders: then the numbers differ, and messages do not find their receives. MPICH keeps them apart.
#pragma once

#include <mpi.h>

namespace roundelay::mpi {

// A duplicate of `comm` that is there when the request is complete.
void note_duplicate(MPI_Comm comm, MPI_Request request);

// Until all that were begun are there. All ranks of the communicator have to come here between the
// same calls on it.
void wait_for_duplicates(MPI_Comm comm);

}  // namespace roundelay::mpi
