/* SPDX-License-Identifier: Apache-2.0 */
/* What a call sends and receives. */
#pragma once

#include <mpi.h>
#include <stddef.h>

/* A vector of `count` numbers, or a block of numbers for each rank. Counts and offsets are in
 * numbers, `places` in bytes. */
struct Message {
  int count;
  int block; /* the length of each block; if they differ, the length of one share */
  const struct Distribution* distribution;
  int *counts, *offsets;
  int* places; /* the offsets, in bytes */
  MPI_Datatype* types;
  unsigned *in, *out; /* the buffers that the next call uses */
  int buffers;        /* how many there are of each, which calls use in turn */
  unsigned *first_in, *first_out;
};

/* How many shares long each block is.
 *
 *   regular     1 share for each rank
 *   irregular   i mod 3 for rank i
 *   degenerate  one rank has all
 *   senders     the first ranks have all
 *   skewed      8 / (k + 1), rounded down, from rank i to rank j, with k = (i + j) mod p */
struct Distribution {
  const char* name;
  int (*share)(int of); /* the shares of a rank */
  int of_pairs;         /* or of (i + j) mod p, for the block from rank i to rank j */
};
const struct Distribution* distribution_named(const char* name);
int is_regular(const struct Distribution* distribution);

/* The number of ranks that send: in the distribution `senders`, and in calls between two groups. */
extern int senders;

/* A message whose length comes as near to `bytes` as blocks of whole shares do, but not above it.
 * `whole`: it is a vector of all numbers that fit into `bytes`. */
struct Message new_message(const struct Distribution* distribution, size_t bytes, int whole,
                           int buffers);
/* Where the block of a rank begins in what another one sends, one for each rank. */
int offset_at(struct Message m, int source, int of);
void release(struct Message m);
/* The same message with the buffers that are in use in this call. */
struct Message in_turn(struct Message m, int call);

/* The number that stands at an index of a rank's input. */
unsigned number(int of, int index);
/* Writes all numbers of the rank's input into `in`. */
void write_input(struct Message m);
