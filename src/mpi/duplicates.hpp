// SPDX-License-Identifier: Apache-2.0
// Duplicates of communicators that the program has begun to make by MPI_Comm_idup.
//
// Open MPI agrees on the number of a duplicate by non-blocking collectives on the communicator, one
// after the other, each as soon as a rank knows that the one before is over. If the ranks start
// others there meanwhile, such as those that make another communicator, they do so in different
// orders: then the numbers differ, and messages do not find their receives. MPICH keeps them apart.
//
// And while a rank waits for the number of one communicator, it agrees on no number of one that was
// made of a later one. Where some ranks have begun a duplicate that others begin later, nobody may
// make any other communicator meanwhile.
#pragma once

#include <mpi.h>

namespace roundelay::mpi {

// A duplicate of `comm` that is there when the request is complete.
void note_duplicate(MPI_Comm comm, MPI_Request request);

// Until all that were begun are there. All ranks of the communicator have to come here between the
// same calls on it.
void wait_for_duplicates(MPI_Comm comm);

// Whether this process has begun duplicates of other communicators that are not there yet.
bool others_are_duplicated(MPI_Comm comm);

}  // namespace roundelay::mpi
