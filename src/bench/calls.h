/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives that can be timed, and what their results have to be. */
#pragma once

#include <mpi.h>

#include "message.h"

enum Whose { everyone, root_only, others, receivers };

struct Collective {
  const char* name;
  void (*call)(struct Message);
  unsigned (*expected)(struct Message m, int index);
  enum Whose receivers;
  int one_block;  /* a receiver gets only one block */
  int times;      /* how often a port carries the blocks of all others; 0: the whole message once */
  int any_blocks; /* blocks may differ in length. 1: one for each rank, 2: for each pair of ranks */
  int whole;      /* the message has no blocks */
};

/* What the following calls use. `between` joins the first `senders` ranks and the others; it may be
 * MPI_COMM_NULL. */
extern MPI_Comm everybody, between;
extern int root;

/* The collective of this name, within one group or between two. Ends the program if there is none.
 */
const struct Collective* collective_named(const char* name, int is_between);
/* Ends the program if what this rank received is wrong. */
void verify(const struct Collective* collective, struct Message m);
