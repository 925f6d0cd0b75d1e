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

/* Nobody returns before all have come. */
void start_together(void);
/* What rank 0 has is then everywhere. */
void tell(int* value);
/* Leaves at rank 0 what all ranks have, one rank after the other. */
void collect(const void* own, void* all, int bytes);
