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
  int one_block;  /* all that a receiver gets */
  int times;      /* a port carries the blocks of all the others, so often; 0: the whole message */
  int any_blocks; /* of any lengths, 1: a rank's own one, 2: one for each pair of ranks */
  int whole;      /* the message has no blocks */
};

/* Of calls from now on. `between`: from the first ranks, `senders`, to the others, or none. */
extern MPI_Comm everybody, between;
extern int root;

const struct Collective* named(const char* name, int is_between);
/* Ends the program if what this rank received is wrong. */
void verify(const struct Collective* collective, struct Message m);
