/* SPDX-License-Identifier: Apache-2.0 */
/* Times collectives in one job, several settings in turn, and checks every result.
 *
 *   collectives [-k REPETITIONS] [-n CALLS] [-r BITS] [-g SENDERS] [-s SETTING].. \
 *     COLLECTIVE[/DISTRIBUTION]:BYTES..
 *
 * BYTES (8, 64K, 1M) are the whole message: the vector, or all blocks of a rank together; of a
 * barrier 0.
 * DISTRIBUTION says how long the blocks of allgatherv, gatherv, scatterv and reduce_scatter are:
 * regular (the rule), irregular (as i mod 3 for rank i), degenerate (one rank has all), senders
 * (the first SENDERS ranks have all). With -g allgather/between and allreduce/between go over an
 * intercommunicator, from the first SENDERS ranks to the others: allgather in this direction only,
 * allreduce in both. A SETTING is "native", "chosen" (what Roundelay takes by itself) or a text as
 * roundelay_force() takes it; without one, native. All but native need Roundelay to be preloaded.
 * In every repetition each setting has its turn, in another order each time. Each of
 * COLLECTIVE:BYTES has a communicator of its own for each setting, for Roundelay learns there how
 * long the calls are, and which algorithm is fastest.
 *
 * A repetition's time is that of the slowest rank, of one call or of CALLS in a row, divided by
 * their number; ranks start together by messages of this
 * program, not by a collective. Rank 0 prints JSON: seconds, and their median as a ratio to the
 * least time in which a port of BITS per second, one in each direction, can carry what it has to.
 * With BITS also the bytes that a call sent or received through the busiest port (the network
 * device of a rank alone on its node), headers included, in the mean.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_settings = 32, warm_up = 2, name_size = 128 };

static int rank, size;
static MPI_Comm own;                     /* for this program's own messages */
static MPI_Comm everybody;               /* of the setting that has its turn */
static MPI_Comm between = MPI_COMM_NULL; /* from the first ranks to the others */
static int senders;

static void fail(const char* what, const char* about) {
  fprintf(stderr, "collectives: %s%s\n", what, about);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) fail("no memory", "");
  return memory;
}

/* Dissemination: in each round twice as many have heard of a rank. */
static void start_together(void) {
  for (int distance = 1; distance < size; distance *= 2) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + distance) % size, 0, NULL, 0, MPI_BYTE,
                 (rank - distance + size) % size, 0, own, MPI_STATUS_IGNORE);
  }
}

/* Leaves at rank 0 the largest of all ranks' values, one by one. */
static void maxima(double* values, int count) {
  if (rank != 0) {
    MPI_Send(values, count, MPI_DOUBLE, 0, 0, own);
    return;
  }
  double* others = allocate((size_t)count * sizeof *others);
  for (int source = 1; source < size; ++source) {
    MPI_Recv(others, count, MPI_DOUBLE, source, 0, own, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) {
      if (others[i] > values[i]) values[i] = others[i];
    }
  }
  free(others);
}

/* What is sent and received: `count` numbers, or a block for each rank. */
struct Message {
  int count;
  int block; /* of each, where they are alike */
  int *counts, *offsets;
  int* places; /* the offsets in bytes */
  MPI_Datatype* types;
  unsigned *in, *out;
};

static void bcast(struct Message m) {
  MPI_Bcast(rank == 0 ? m.in : m.out, m.count, MPI_UNSIGNED, 0, everybody);
}
static void reduce(struct Message m) {
  MPI_Reduce(m.in, m.out, m.count, MPI_UNSIGNED, MPI_SUM, 0, everybody);
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
  MPI_Gather(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, 0, everybody);
}
static void scatter(struct Message m) {
  MPI_Scatter(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, 0, everybody);
}
static void alltoall(struct Message m) {
  MPI_Alltoall(m.in, m.block, MPI_UNSIGNED, m.out, m.block, MPI_UNSIGNED, everybody);
}
static void gatherv(struct Message m) {
  MPI_Gatherv(m.in, m.counts[rank], MPI_UNSIGNED, m.out, m.counts, m.offsets, MPI_UNSIGNED, 0,
              everybody);
}
static void scatterv(struct Message m) {
  MPI_Scatterv(m.in, m.counts, m.offsets, MPI_UNSIGNED, m.out, m.counts[rank], MPI_UNSIGNED, 0,
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

/* The number that stands at an index of a rank's input. */
static unsigned number(int of, int index) {
  return (unsigned)of * 2654435761U + (unsigned)index * 40503U;
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
  return number(0, index);
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
  return number(0, m.offsets[rank] + index);
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
  return number(index / m.block, m.offsets[rank] + index % m.block);
}

enum Whose { everyone, root, others, receivers };

static const struct Collective {
  const char* name;
  void (*call)(struct Message);
  unsigned (*expected)(struct Message m, int index);
  enum Whose receivers;
  int one_block;  /* all that a receiver gets */
  int times;      /* a port carries the blocks of all the others, so often; 0: the whole message */
  int any_blocks; /* of any lengths */
} betweens[] =
    {
        {"allgather", allgather_between, gathered, receivers, 0, 0, 0},
        {"allreduce", allreduce_between, reduced_there, everyone, 0, 0, 0},
    },
  collectives[] = {
      {"bcast", bcast, roots, others, 0, 0, 0},
      {"reduce", reduce, reduced, root, 0, 0, 0},
      {"allreduce", allreduce, reduced, everyone, 0, 2, 0},
      {"reduce_scatter_block", reduce_scatter_block, reduced_block, everyone, 1, 1, 0},
      {"reduce_scatter", reduce_scatter, reduced_block, everyone, 1, 1, 1},
      {"scan", scan, summed_to_here, everyone, 0, 0, 0},
      {"exscan", exscan, summed_before, others, 0, 0, 0},
      {"allgather", allgather, gathered, everyone, 0, 1, 0},
      {"allgatherv", allgatherv, gathered, everyone, 0, 1, 1},
      {"gather", gather, gathered, root, 0, 1, 0},
      {"gatherv", gatherv, gathered, root, 0, 1, 1},
      {"scatter", scatter, scattered, everyone, 1, 1, 0},
      {"scatterv", scatterv, scattered, everyone, 1, 1, 1},
      {"alltoall", alltoall, exchanged, everyone, 0, 1, 0},
      {"alltoallv", alltoallv, exchanged, everyone, 0, 1, 0},
      {"alltoallw", alltoallw, exchanged, everyone, 0, 1, 0},
      {"barrier", barrier, roots, everyone, 0, 0, 0},
  };

static const struct Collective* found(const struct Collective* first, size_t count,
                                      const char* name) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(first[i].name, name) == 0) return &first[i];
  }
  fail("there is no collective ", name);
  return NULL;
}
static const struct Collective* named(const char* name, int is_between) {
  if (!is_between) return found(collectives, sizeof collectives / sizeof *collectives, name);
  if (between == MPI_COMM_NULL) fail("needs -g: ", name);
  return found(betweens, sizeof betweens / sizeof *betweens, name);
}

static void verify(const struct Collective* collective, struct Message m) {
  if (collective->receivers == root && rank != 0) return;
  if (collective->receivers == others && rank == 0) return;
  if (collective->receivers == receivers && rank < senders) return;
  const int count = collective->one_block ? m.counts[rank] : m.count;
  for (int i = 0; i < count; ++i) {
    if (m.out[i] != collective->expected(m, i)) fail("wrong result of ", collective->name);
  }
}

static void set(const char* setting, const char* collective) {
  int (*force)(const char*) = NULL;
  *(void**)&force = dlsym(RTLD_DEFAULT, "roundelay_force");
  const int native = strcmp(setting, "native") == 0;
  if (force == NULL) {
    if (!native) fail("Roundelay is not preloaded, which is needed for ", setting);
    return;
  }
  char text[name_size + sizeof "=native"];
  snprintf(text, sizeof text, "%s=native", collective);
  /* What Roundelay does not know is native in any case. */
  if (native && force(text) != 0) force("");
  if (!native && force(strcmp(setting, "chosen") == 0 ? "" : setting) != 0) {
    fail("Roundelay refuses ", setting);
  }
}

/* Empty if Roundelay had nothing to do with it. */
static void what_ran(char* text, const char* collective) {
  size_t (*last)(char*, size_t) = NULL;
  *(void**)&last = dlsym(RTLD_DEFAULT, "roundelay_last");
  text[0] = '\0';
  if (last != NULL) last(text, name_size);
  const size_t length = strlen(collective);
  if (strncmp(text, collective, length) != 0 || text[length] != '.') text[0] = '\0';
}

/* Bytes that this node has sent and received so far. */
struct Port {
  double sent, received;
};

static struct Port port(void) {
  struct Port all = {0, 0};
  char line[512];
  FILE* devices = fopen("/proc/net/dev", "r");
  if (devices == NULL) fail("cannot read ", "/proc/net/dev");
  while (fgets(line, sizeof line, devices) != NULL) {
    char name[64];
    double received = 0, sent = 0;
    if (sscanf(line, " %63[^:]: %lf %*f %*f %*f %*f %*f %*f %*f %lf", name, &received, &sent) ==
            3 &&
        strcmp(name, "lo") != 0) {
      all.sent += sent;
      all.received += received;
    }
  }
  fclose(devices);
  return all;
}

/* Settings in an order of their own, the same on all ranks, for each repetition: none is always
 * measured after the same other one. */
static void shuffle(int* order, int count, unsigned* state) {
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int i = count - 1; i > 0; --i) {
    *state = *state * 1664525U + 1013904223U;
    const int other = (int)((*state >> 16) % (unsigned)(i + 1));
    const int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

/* Until what the call before has left behind is gone: acknowledgements under way, and the debt of a
 * shaper that lets short bursts pass. */
static void rest(void) {
  const struct timespec pause = {0, 5000000};
  nanosleep(&pause, NULL);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* After a change Roundelay's ranks compare their settings and decide anew in the next call, and a
 * call of long messages that all leave at once makes TCP slow for the next one. Neither is to be
 * timed. */
static void settle(const struct Collective* collective, struct Message m, int is_between) {
  MPI_Barrier(is_between ? between : everybody);
  collective->call(m);
}

/* Adds to `carried` what the call sent and received. */
static double once(const struct Collective* collective, struct Message m, int calls,
                   struct Port* carried) {
  memset(m.out, 0, (size_t)m.count * sizeof *m.out);
  start_together();
  rest();
  const struct Port before = port();
  start_together(); /* nobody's counters see the call of another before */
  const double begun = MPI_Wtime();
  for (int i = 0; i < calls; ++i) collective->call(m);
  const double seconds = (MPI_Wtime() - begun) / calls;
  start_together();
  const struct Port after = port();
  carried->sent += (after.sent - before.sent) / calls;
  carried->received += (after.received - before.received) / calls;
  verify(collective, m);
  return seconds;
}

static size_t read_bytes(const char* text) {
  char* end = NULL;
  size_t bytes = strtoull(text, &end, 10);
  if (*end == 'K') bytes <<= 10, ++end;
  if (*end == 'M') bytes <<= 20, ++end;
  if (end == text || *end != '\0') fail("not a number of bytes like 64K or 1M: ", text);
  return bytes;
}

static void print_result(const struct Collective* collective, const char* distribution,
                         struct Message m, const char* setting, const char* ran, double* seconds,
                         int repetitions, double rate, double busiest) {
  const double bytes = (double)m.count * sizeof *m.in;
  double carried = bytes;
  if (collective->times > 0) {
    int least = m.counts[0];
    for (int i = 1; i < size; ++i) {
      if (m.counts[i] < least) least = m.counts[i];
    }
    carried = (bytes - (double)least * sizeof *m.in) * collective->times;
  }
  printf("{\"collective\": \"%s\", \"distribution\": \"%s\", \"bytes\": %.0f, ", collective->name,
         distribution, bytes);
  printf("\"setting\": \"%s\", \"ran\": \"%s\", ", setting, ran);
  printf("\"seconds\": [");
  for (int i = 0; i < repetitions; ++i) printf("%s%.9f", i > 0 ? ", " : "", seconds[i]);
  qsort(seconds, (size_t)repetitions, sizeof *seconds, ascending);
  const double median = seconds[repetitions / 2];
  printf("], \"median\": %.9f", median);
  if (rate > 0 && carried > 0) {
    printf(", \"ratio\": %.3f, \"busiest\": %.0f", median / (carried * 8 / rate), busiest);
  }
  printf("}");
}

static int regular(int of) {
  (void)of;
  return 1;
}
static int irregular(int of) { return of % 3; }
static int degenerate(int of) { return of == 0; }
static int sending(int of) { return of < senders; }

static const struct Distribution {
  const char* name;
  int (*share)(int of); /* a rank's, of all ranks' together */
} distributions[] = {{"regular", regular},
                     {"irregular", irregular},
                     {"degenerate", degenerate},
                     {"senders", sending}};

static const struct Distribution* distribution_named(const char* name) {
  for (size_t i = 0; i < sizeof distributions / sizeof *distributions; ++i) {
    if (strcmp(distributions[i].name, name) == 0) return &distributions[i];
  }
  fail("there is no distribution ", name);
  return NULL;
}

/* As many numbers as fit into the bytes, as near as shares of one length come. */
static struct Message message(const struct Distribution* distribution, size_t bytes) {
  int shares = 0;
  for (int i = 0; i < size; ++i) shares += distribution->share(i);
  struct Message m = {.counts = allocate((size_t)size * sizeof *m.counts),
                      .offsets = allocate((size_t)size * sizeof *m.offsets),
                      .places = allocate((size_t)size * sizeof *m.places),
                      .types = allocate((size_t)size * sizeof *m.types)};
  m.block = shares == 0 ? 0 : (int)(bytes / sizeof *m.in / (size_t)shares);
  if (m.block == 0 && bytes > 0) fail("less than a number for each share: ", distribution->name);
  for (int i = 0; i < size; ++i) {
    m.types[i] = MPI_UNSIGNED;
    m.offsets[i] = m.count;
    m.places[i] = m.count * (int)sizeof *m.in;
    m.counts[i] = distribution->share(i) * m.block;
    m.count += m.counts[i];
  }
  m.in = allocate((size_t)m.count * sizeof *m.in);
  m.out = allocate((size_t)m.count * sizeof *m.out);
  for (int i = 0; i < m.count; ++i) m.in[i] = number(rank, i);
  return m;
}

static void release(struct Message m) {
  free(m.counts);
  free(m.offsets);
  free(m.places);
  free(m.types);
  free(m.in);
  free(m.out);
}

static void measure(const char* what, char** settings, int count, int repetitions, int calls,
                    double rate, int first) {
  char name[name_size] = "", distribution_name[name_size] = "regular";
  const char* colon = strchr(what, ':');
  const char* slash = strchr(what, '/');
  if (colon == NULL) fail("not like bcast:1M: ", what);
  const char* end = slash != NULL && slash < colon ? slash : colon;
  snprintf(name, sizeof name, "%.*s", (int)(end - what), what);
  if (end == slash)
    snprintf(distribution_name, sizeof distribution_name, "%.*s", (int)(colon - slash - 1),
             slash + 1);
  const int is_between = strcmp(distribution_name, "between") == 0;
  const struct Collective* collective = named(name, is_between);
  const char* cut = !is_between                                  ? distribution_name
                    : strcmp(collective->name, "allgather") == 0 ? "senders"
                                                                 : "regular";
  const struct Distribution* distribution = distribution_named(cut);
  if (!is_between && distribution->share != regular && !collective->any_blocks) {
    fail("all blocks are alike in ", name);
  }
  const size_t bytes = read_bytes(colon + 1);
  if ((bytes == 0) != (collective->call == barrier)) fail("not a length of a message: ", what);
  struct Message m = message(distribution, bytes);
  MPI_Comm comms[most_settings];
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);

  double* seconds = allocate((size_t)count * (size_t)repetitions * sizeof *seconds);
  struct Port carried[most_settings] = {{0, 0}};
  char ran[most_settings][name_size];
  unsigned random_state = 1;
  for (int i = -warm_up; i < repetitions; ++i) {
    int order[most_settings];
    shuffle(order, count, &random_state);
    for (int turn = 0; turn < count; ++turn) {
      const int which = order[turn];
      everybody = comms[which];
      set(settings[which], name);
      settle(collective, m, is_between);
      const double taken = once(collective, m, calls, &carried[which]);
      if (i >= 0) seconds[which * repetitions + i] = taken;
      what_ran(ran[which], name);
    }
  }
  maxima(seconds, count * repetitions);
  double busiest[most_settings];
  for (int i = 0; i < count; ++i) {
    const double most =
        carried[i].sent > carried[i].received ? carried[i].sent : carried[i].received;
    busiest[i] = most / (repetitions + warm_up);
  }
  maxima(busiest, count);
  for (int i = 0; rank == 0 && i < count; ++i) {
    printf(first && i == 0 ? "" : ",\n");
    print_result(collective, distribution_name, m, settings[i], ran[i], seconds + i * repetitions,
                 repetitions, rate, busiest[i]);
  }
  fflush(stdout);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
  free(seconds);
  release(m);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  char* settings[most_settings] = {"native"};
  int count = 0, repetitions = 9, calls = 1, next = 1;
  double rate = 0;
  for (; next + 1 < argc && argv[next][0] == '-'; next += 2) {
    char* value = argv[next + 1];
    switch (argv[next][1]) {
      case 'k': repetitions = atoi(value); break;
      case 'n': calls = atoi(value); break;
      case 'r': rate = strtod(value, NULL); break;
      case 'g': senders = atoi(value); break;
      case 's':
        if (count == most_settings) fail("too many settings: ", value);
        settings[count++] = value;
        break;
      default: fail("no such option: ", argv[next]);
    }
  }
  if (next == argc || repetitions < 1 || calls < 1)
    fail("usage: [-k N] [-n CALLS] [-r BITS] [-g SENDERS] [-s SETTING].. bcast:1M ..", "");
  if (senders > 0) {
    if (senders >= size) fail("no ranks are left for the other group", "");
    MPI_Comm group;
    MPI_Comm_split(MPI_COMM_WORLD, rank < senders, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank < senders ? senders : 0, 5, &between);
    MPI_Comm_free(&group);
  }
  if (rank == 0) printf("{\"ranks\": %d, \"rate\": %.0f, \"results\": [\n", size, rate);
  for (int i = next; i < argc; ++i) {
    measure(argv[i], settings, count > 0 ? count : 1, repetitions, calls, rate, i == next);
  }
  if (rank == 0) printf("\n]}\n");
  if (between != MPI_COMM_NULL) MPI_Comm_free(&between);
  MPI_Comm_free(&own);
  MPI_Finalize();
  return 0;
}
