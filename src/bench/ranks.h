/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of this program, and what they say to each other: never by a collective, for these are
 * what is timed. */
#pragma once

#include <mpi.h>
#include <stddef.h>

extern int rank, size;

/* MPI_Init, and a communicator for this program's own messages. */
void begin_ranks(int* argc, char*** argv);
void end_ranks(void);

/* Ends the program on all ranks. */
_Noreturn void fail(const char* what, const char* about);
void* allocate(size_t bytes);

/* Returns when all ranks have called it. */
void start_together(void);
/* Gives the value of rank 0 to all ranks. */
void tell(int* value);
/* Gathers `bytes` bytes of each rank, in the order of the ranks, in `all` of rank 0. */
void collect(const void* own, void* all, int bytes);
