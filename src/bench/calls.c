/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

#include <string.h>

#include "ranks.h"

MPI_Comm everybody = MPI_COMM_NULL;
MPI_Comm between = MPI_COMM_NULL;
int root;

static void bcast(struct Message m) {
  MPI_Bcast(rank == root ? m.in : m.out, m.count, MPI_UNSIGNED, root, everybody);
}
static void reduce(struct Message m) {
  MPI_Reduce(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, root, everybody);
}
static void allreduce(struct Message m) {
  MPI_Allreduce(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, everybody);
}
static void reduce_scatter_block(struct Message m) {
  MPI_Reduce_scatter_block(m.in, m.out, m.block, MPI_UNSIGNED, MPI_SUM, everybody);
}
static void allgather(struct Message m) {
  MPI_Allgather(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, everybody);
}
static void allgatherv(struct Message m) {
  MPI_Allgatherv(m.in, m.counts[rank], MPI_UNSIGNED, m.out, m.counts, m.offsets, MPI_UNSIGNED,
                 everybody);
}
static void reduce_scatter(struct Message m) {
  MPI_Reduce_scatter(m.in, m.out, m.counts, MPI_UNSIGNED, MPI_SUM, everybody);
}
static void gather(struct Message m) {
  MPI_Gather(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, root, everybody);
}
static void scatter(struct Message m) {
  MPI_Scatter(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, root, everybody);
}
static void alltoall(struct Message m) {
  MPI_Alltoall(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, everybody);
}
static void gatherv(struct Message m) {
  MPI_Gatherv(m.in, m.counts[rank], MPI_UNSIGNED, m.out, m.counts, m.offsets, MPI_UNSIGNED, root,
              everybody);
}
static void scatterv(struct Message m) {
  MPI_Scatterv(m.in, m.counts, m.offsets, MPI_UNSIGNED, m.out, m.counts[rank], MPI_UNSIGNED, root,
               everybody);
}
static void alltoallv(struct Message m) {
  MPI_Alltoallv(m.in, m.counts, m.offsets, MPI_UNSIGNED, m.out, m.counts, m.offsets, MPI_UNSIGNED,
                everybody);
}
static void alltoallw(struct Message m) {
  MPI_Alltoallw(m.in, m.counts, m.places, m.types, m.out, m.counts, m.places, m.types, everybody);
}
static void scan(struct Message m) {
  MPI_Scan(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, everybody);
}
static void exscan(struct Message m) {
  MPI_Exscan(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, everybody);
}
static void barrier(struct Message m) {
  (void)m;
  MPI_Barrier(everybody);
}

static void allgather_between(struct Message m) {
  const int sends = rank < senders;
  MPI_Allgather(m.in, sends ? m.block : 0, MPI_UNSIGNED, m.out, sends ? 0 : m.block, MPI_UNSIGNED,
                between);
}
static void allreduce_between(struct Message m) {
  MPI_Allreduce(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, between);
}

/* Of the ranks first .. end - 1. */
static unsigned sum_of(int first, int end, int index) {
  unsigned all = 0;
  for (int source = first; source < end; ++source) all += number(source, index);
  return all;
}
static unsigned sum(int index) { return sum_of(0, size, index); }

static unsigned roots(struct Message m, int index) {
  (void)m;
  return number(root, index);
}
static unsigned reduced(struct Message m, int index) {
  (void)m;
  return sum(index);
}
static unsigned reduced_block(struct Message m, int index) { return sum(m.offsets[rank] + index); }
static unsigned gathered(struct Message m, int index) {
  int owner = size - 1;
  while (m.offsets[owner] > index) --owner;
  return number(owner, index - m.offsets[owner]);
}
static unsigned scattered(struct Message m, int index) {
  return number(root, m.offsets[rank] + index);
}
static unsigned reduced_there(struct Message m, int index) {
  (void)m;
  return rank < senders ? sum_of(senders, size, index) : sum_of(0, senders, index);
}
static unsigned summed_to_here(struct Message m, int index) {
  (void)m;
  return sum_of(0, rank + 1, index);
}
static unsigned summed_before(struct Message m, int index) {
  (void)m;
  return sum_of(0, rank, index);
}
static unsigned exchanged(struct Message m, int index) {
  if (is_regular(m.distribution)) {
    return number(index / m.block, m.offsets[rank] + index % m.block);
  }
  int source = size - 1;
  while (m.offsets[source] > index) --source;
  return number(source, offset_at(m, source, rank) + index - m.offsets[source]);
}

static const struct Collective betweens[] =
    {
        {"allgather", allgather_between, gathered, receivers, 0, 0, 0, 0},
        {"allreduce", allreduce_between, reduced_there, everyone, 0, 0, 0, 1},
    },
                               collectives[] = {
                                   {"bcast", bcast, roots, others, 0, 0, 0, 1},
                                   {"reduce", reduce, reduced, root_only, 0, 0, 0, 1},
                                   {"allreduce", allreduce, reduced, everyone, 0, 2, 0, 1},
                                   {"reduce_scatter_block", reduce_scatter_block, reduced_block,
                                    everyone, 1, 1, 0, 0},
                                   {"reduce_scatter", reduce_scatter, reduced_block, everyone, 1, 1,
                                    1, 0},
                                   {"scan", scan, summed_to_here, everyone, 0, 0, 0, 1},
                                   {"exscan", exscan, summed_before, others, 0, 0, 0, 1},
                                   {"allgather", allgather, gathered, everyone, 0, 1, 0, 0},
                                   {"allgatherv", allgatherv, gathered, everyone, 0, 1, 1, 0},
                                   {"gather", gather, gathered, root_only, 0, 1, 0, 0},
                                   {"gatherv", gatherv, gathered, root_only, 0, 1, 1, 0},
                                   {"scatter", scatter, scattered, everyone, 1, 1, 0, 0},
                                   {"scatterv", scatterv, scattered, everyone, 1, 1, 1, 0},
                                   {"alltoall", alltoall, exchanged, everyone, 0, 1, 0, 0},
                                   {"alltoallv", alltoallv, exchanged, everyone, 0, 1, 2, 0},
                                   {"alltoallw", alltoallw, exchanged, everyone, 0, 1, 2, 0},
                                   {"barrier", barrier, roots, everyone, 0, 0, 0, 0},
                               };

static const struct Collective* found(const struct Collective* first, size_t count,
                                      const char* name) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(first[i].name, name) == 0) return &first[i];
  }
  fail("there is no collective ", name);
  return NULL;
}
const struct Collective* collective_named(const char* name, int is_between) {
  if (!is_between) return found(collectives, sizeof collectives / sizeof *collectives, name);
  if (between == MPI_COMM_NULL) fail("needs -g: ", name);
  return found(betweens, sizeof betweens / sizeof *betweens, name);
}

void verify(const struct Collective* collective, struct Message m) {
  /* Of bcast the root has what it sends, of exscan rank 0 gets nothing. */
  const int first = collective->call == bcast ? root : 0;
  if (collective->receivers == root_only && rank != root) return;
  if (collective->receivers == others && rank == first) return;
  if (collective->receivers == receivers && rank < senders) return;
  const int count = collective->one_block ? m.counts[rank] : m.count;
  for (int i = 0; i < count; ++i) {
    if (m.out[i] != collective->expected(m, i)) fail("wrong result of ", collective->name);
  }
}
