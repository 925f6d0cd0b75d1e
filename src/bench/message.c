/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "ranks.h"

int senders;

unsigned number(int of, int index) { return (unsigned)of * 2654435761U + (unsigned)index * 40503U; }

static int regular(int of) {
  (void)of;
  return 1;
}
static int irregular(int of) { return of % 3; }
static int degenerate(int of) { return of == 0; }
static int sending(int of) { return of < senders; }
static int skewed(int of) { return 8 / (of + 1); }

static const struct Distribution distributions[] = {{"regular", regular, 0},
                                                    {"irregular", irregular, 0},
                                                    {"degenerate", degenerate, 0},
                                                    {"senders", sending, 0},
                                                    {"skewed", skewed, 1}};

const struct Distribution* distribution_named(const char* name) {
  for (size_t i = 0; i < sizeof distributions / sizeof *distributions; ++i) {
    if (strcmp(distributions[i].name, name) == 0) return &distributions[i];
  }
  fail("there is no distribution ", name);
  return NULL;
}

int is_regular(const struct Distribution* distribution) { return distribution->share == regular; }

/* Of the blocks that a rank sends, that for another. */
static int share_of(const struct Distribution* distribution, int source, int of) {
  return distribution->share(distribution->of_pairs ? (source + of) % size : of);
}

int offset_at(struct Message m, int source, int of) {
  int offset = 0;
  for (int i = 0; i < of; ++i) offset += share_of(m.distribution, source, i) * m.block;
  return offset;
}

struct Message in_turn(struct Message m, int call) {
  const size_t place = (size_t)(call % m.buffers) * (size_t)m.count;
  m.in = m.first_in + place;
  m.out = m.first_out + place;
  return m;
}

struct Message new_message(const struct Distribution* distribution, size_t bytes, int whole,
                           int buffers) {
  int shares = 0;
  for (int i = 0; i < size; ++i) shares += share_of(distribution, rank, i);
  struct Message m = {.distribution = distribution,
                      .counts = allocate((size_t)size * sizeof *m.counts),
                      .offsets = allocate((size_t)size * sizeof *m.offsets),
                      .places = allocate((size_t)size * sizeof *m.places),
                      .types = allocate((size_t)size * sizeof *m.types)};
  m.block = shares == 0 ? 0 : (int)(bytes / sizeof *m.in / (size_t)shares);
  if (m.block == 0 && bytes > 0 && !whole)
    fail("less than a number for each share: ", distribution->name);
  for (int i = 0; i < size; ++i) {
    m.types[i] = MPI_UNSIGNED;
    m.offsets[i] = m.count;
    m.places[i] = (int)((size_t)m.count * sizeof *m.in);
    m.counts[i] = share_of(distribution, rank, i) * m.block;
    m.count += m.counts[i];
  }
  if (whole) m.count = (int)(bytes / sizeof *m.in);
  m.buffers = buffers;
  const size_t bytes_of_all = (size_t)buffers * (size_t)m.count * sizeof *m.in;
  m.in = m.first_in = allocate(bytes_of_all);
  m.out = m.first_out = allocate(bytes_of_all);
  for (int call = 0; call < buffers; ++call) write_input(in_turn(m, call));
  return m;
}

void write_input(struct Message m) {
  for (int i = 0; i < m.count; ++i) m.in[i] = number(rank, i);
}

void release(struct Message m) {
  free(m.counts);
  free(m.offsets);
  free(m.places);
  free(m.types);
  free(m.first_in);
  free(m.first_out);
}
