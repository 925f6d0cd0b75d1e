/* SPDX-License-Identifier: Apache-2.0 */
/* What a call sends and receives. */
#pragma once

#include <mpi.h>
#include <stddef.h>

/* `count` numbers, or a block for each rank. */
struct Message {
  int count;
  int block; /* of each, where they are alike; else of a share */
  const struct Distribution* distribution;
  int *counts, *offsets;
  int* places; /* the offsets in bytes */
  MPI_Datatype* types;
  unsigned *in, *out; /* those that have their turn */
  int buffers;        /* of either, which have their turn one after the other */
  unsigned *first_in, *first_out;
};

/* How long the blocks are: regular (the rule), irregular (as i mod 3 for rank i), degenerate (one
 * rank has all), senders (the first ranks have all); or skewed: of two ranks, by the sum k of
 * theirs modulo their number, as 8 / (k + 1), rounded down. */
struct Distribution {
  const char* name;
  int (*share)(int of); /* a rank's, of all ranks' together */
  int of_pairs;         /* or by the sum of two ranks */
};
const struct Distribution* distribution_named(const char* name);
int is_regular(const struct Distribution* distribution);

/* Of the distribution `senders`, and of calls between two groups. */
extern int senders;

/* As many numbers as fit into the bytes, as near as shares of one length come, or `whole`. */
struct Message new_message(const struct Distribution* distribution, size_t bytes, int whole,
                           int buffers);
/* Where the block of a rank begins in what another one sends, one for each rank. */
int offset_at(struct Message m, int source, int of);
void release(struct Message m);
/* With the buffers of a call. */
struct Message in_turn(struct Message m, int call);

/* The number that stands at an index of a rank's input. */
unsigned number(int of, int index);
/* Writes them all, to the buffer that has its turn. */
void write_input(struct Message m);
