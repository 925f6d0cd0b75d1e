/* SPDX-License-Identifier: Apache-2.0 */
/* Times collectives in one job, several settings in turn, and checks every result.
 *
 *   collectives [OPTION].. [-s SETTING].. COLLECTIVE[/DISTRIBUTION]:BYTES.. ..
 *
 *   -k N       the largest number of repetitions (default 9)
 *   -t SECONDS the longest time for the repetitions of one COLLECTIVE:BYTES; at least 3 are made
 *   -e SHARE   stop if the confidence interval of each median is no wider than this share of it
 *   -n CALLS   calls in a row, whose mean time is a repetition (default 1)
 *   -w N       repetitions before, which are not counted (default 2); with -t also those of a
 *              fifth of that time, in which Roundelay learns what is fastest
 *   -b N       buffers that the calls use in turn (default 1)
 *   -R         each repetition has another root
 *   -a         print the time of every rank
 *   -r BITS    bits that a port carries in a second, see below
 *   -g SENDERS ranks that send in calls between two groups, and in the distribution `senders`
 *
 * BYTES (8, 64K, 1M) are the whole message: the vector, or all blocks of a rank together; of a
 * barrier 0. DISTRIBUTION (see message.h) says how long the blocks of allgatherv, gatherv, scatterv
 * and reduce_scatter are; `skewed` is for those of alltoallv and alltoallw. With -g
 * allgather/between and allreduce/between go over an intercommunicator, from the first SENDERS
 * ranks to the others: allgather in this direction only, allreduce in both. A SETTING is "native",
 * "chosen" (what Roundelay takes by itself) or a text as roundelay_force() takes it; without one,
 * native. All but native need Roundelay to be preloaded. Settings are for what follows them, up to
 * the next ones. In every repetition each setting has its turn, in another order each time. Each of
 * COLLECTIVE:BYTES has a communicator of its own for each setting, for Roundelay learns there how
 * long the calls are, and which algorithm is fastest.
 *
 * A repetition's time is that of the slowest rank, of one call or of CALLS in a row, divided by
 * their number; ranks start together by messages of this program, not by a collective. Rank 0
 * prints JSON: seconds, which rank was the slowest, and the median, with -r also as a ratio to the
 * least time in which a port of BITS per second, one in each direction, can carry what it has to,
 * and the bytes that a call sent or received through the busiest port (the network device of a rank
 * alone on its node), headers included, in the mean.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "message.h"
#include "ranks.h"

enum { most_settings = 64, name_size = 128, least_repetitions = 3, looks_after = 5 };

static struct Options {
  int repetitions, calls, warm_up, buffers, rotates, prints_all;
  double seconds, precision, rate;
} options = {.repetitions = 9, .calls = 1, .warm_up = 2, .buffers = 1};

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

/* Roundelay sets up what it needs for a communicator of many calls, which are measured here: by
 * itself it does so after some calls. */
static void set_up(MPI_Comm comm) {
  set("barrier=dissemination", "barrier");
  MPI_Barrier(comm);
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

/* Adds to `carried` what the call sent and received. The input is written before, as by a program
 * that computes it: otherwise it stays in the caches of those that read it. */
static double once(const struct Collective* collective, struct Message m, struct Port* carried) {
  const int buffers = m.buffers < options.calls ? m.buffers : options.calls;
  for (int i = 0; i < buffers; ++i) {
    write_input(in_turn(m, i));
    memset(in_turn(m, i).out, 0, (size_t)m.count * sizeof *m.out);
  }
  struct Port before = {0, 0};
  if (options.rate > 0) {
    start_together();
    rest();
    before = port();
  }
  start_together(); /* nobody's counters see the call of another before */
  const double begun = MPI_Wtime();
  for (int i = 0; i < options.calls; ++i) collective->call(in_turn(m, i));
  const double seconds = (MPI_Wtime() - begun) / options.calls;
  start_together();
  if (options.rate > 0) {
    const struct Port after = port();
    carried->sent += (after.sent - before.sent) / options.calls;
    carried->received += (after.received - before.received) / options.calls;
  }
  for (int i = 0; i < buffers; ++i) verify(collective, in_turn(m, i));
  return seconds;
}

/* Whether the confidence interval of 95 percent of the median, by ranks, is narrow enough. */
static int is_known(const double* seconds, int repetitions) {
  double* sorted = allocate((size_t)repetitions * sizeof *sorted);
  memcpy(sorted, seconds, (size_t)repetitions * sizeof *sorted);
  qsort(sorted, (size_t)repetitions, sizeof *sorted, ascending);
  const double half = 1.96 * sqrt(repetitions) / 2;
  const int lower = (int)floor(repetitions / 2.0 - half);
  const int upper = (int)ceil(repetitions / 2.0 + half);
  const int known = lower >= 0 && upper < repetitions &&
                    sorted[upper] - sorted[lower] <= options.precision * sorted[repetitions / 2];
  free(sorted);
  return known;
}

/* Whether so many seconds have passed on rank 0. All ranks come here in the same repetition. */
static int is_over(double begun, double seconds) {
  if (seconds <= 0) return 1;
  int over = MPI_Wtime() - begun > seconds;
  tell(&over);
  return over;
}

/* The same; `seconds`: of this rank, those of each setting one after the other. */
static int is_enough(const double* seconds, int settings, int repetitions, double begun) {
  if (options.seconds <= 0 || repetitions < least_repetitions) return 0;
  int enough = 0;
  if (rank == 0) {
    enough = MPI_Wtime() - begun > options.seconds;
    if (!enough && options.precision > 0 && repetitions % looks_after == 0) {
      enough = 1;
      for (int i = 0; i < settings && enough; ++i) {
        enough = is_known(seconds + (size_t)i * (size_t)options.repetitions, repetitions);
      }
    }
  }
  tell(&enough);
  return enough;
}

static size_t read_bytes(const char* text) {
  char* end = NULL;
  size_t bytes = strtoull(text, &end, 10);
  if (*end == 'K') bytes <<= 10, ++end;
  if (*end == 'M') bytes <<= 20, ++end;
  if (*end == 'G') bytes <<= 30, ++end;
  if (end == text || *end != '\0') fail("not a number of bytes like 64K or 1M: ", text);
  return bytes;
}

/* In a string of JSON. */
static void print_text(const char* text) {
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar((unsigned char)*text < ' ' ? ' ' : *text);
  }
}

static void print_seconds(const double* seconds, int count) {
  for (int i = 0; i < count; ++i) printf("%s%.9f", i > 0 ? ", " : "", seconds[i]);
}

/* What the ranks took for a setting: `of_rank` to the first of a rank, `stride` from rank to rank.
 */
static void print_result(const struct Collective* collective, const char* distribution,
                         struct Message m, const char* setting, const char* ran,
                         const double* of_rank, size_t stride, int repetitions, double busiest) {
  const double bytes = (double)m.count * sizeof *m.in;
  double carried = bytes;
  if (collective->times > 0) {
    int least = m.counts[0];
    for (int i = 1; i < size; ++i) {
      if (m.counts[i] < least) least = m.counts[i];
    }
    carried = (bytes - (double)least * sizeof *m.in) * collective->times;
  }
  double* seconds = allocate((size_t)repetitions * sizeof *seconds);
  printf("{\"collective\": \"%s\", \"distribution\": \"%s\", \"bytes\": %.0f, ", collective->name,
         distribution, bytes);
  printf("\"setting\": \"");
  print_text(setting);
  printf("\", \"ran\": \"");
  print_text(ran);
  printf("\", \"slowest\": [");
  for (int i = 0; i < repetitions; ++i) {
    int slowest = 0;
    for (int one = 1; one < size; ++one) {
      if (of_rank[(size_t)one * stride + (size_t)i] > of_rank[(size_t)slowest * stride + (size_t)i])
        slowest = one;
    }
    seconds[i] = of_rank[(size_t)slowest * stride + (size_t)i];
    printf("%s%d", i > 0 ? ", " : "", slowest);
  }
  printf("], \"seconds\": [");
  print_seconds(seconds, repetitions);
  for (int one = 0; options.prints_all && one < size; ++one) {
    printf(one == 0 ? "], \"ranks\": [[" : "], [");
    print_seconds(of_rank + (size_t)one * stride, repetitions);
    if (one == size - 1) printf("]");
  }
  qsort(seconds, (size_t)repetitions, sizeof *seconds, ascending);
  const double median = seconds[repetitions / 2];
  printf("], \"median\": %.9f", median);
  if (options.rate > 0 && carried > 0) {
    printf(", \"ratio\": %.3f, \"busiest\": %.0f", median / (carried * 8 / options.rate), busiest);
  }
  printf("}");
  free(seconds);
}

static void measure(const char* what, char** settings, int count, int first) {
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
  const struct Collective* collective = collective_named(name, is_between);
  const char* cut = !is_between                                  ? distribution_name
                    : strcmp(collective->name, "allgather") == 0 ? "senders"
                                                                 : "regular";
  const struct Distribution* distribution = distribution_named(cut);
  const int blocks = is_regular(distribution) ? 0 : 1 + distribution->of_pairs;
  if (!is_between && blocks != 0 && collective->any_blocks != blocks) {
    fail(collective->any_blocks == 0 ? "all blocks are alike in "
                                     : "there are no blocks of this distribution in ",
         name);
  }
  const size_t bytes = read_bytes(colon + 1);
  if ((bytes == 0) != (strcmp(name, "barrier") == 0)) fail("not a length of a message: ", what);
  if (bytes / sizeof(unsigned) > INT_MAX) fail("MPI counts no more than 2^31 - 1 numbers: ", what);
  if (bytes > INT_MAX && strcmp(name, "alltoallw") == 0)
    fail("MPI_Alltoallw has displacements below 2 GiB only: ", what);
  struct Message m =
      new_message(distribution, bytes, collective->whole, bytes == 0 ? 1 : options.buffers);
  MPI_Comm comms[most_settings];
  for (int i = 0; i < count; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    if (strcmp(settings[i], "native") != 0) set_up(comms[i]);
  }

  const size_t most = (size_t)options.repetitions;
  double* seconds = allocate((size_t)count * most * sizeof *seconds);
  struct Port carried[most_settings] = {{0, 0}};
  char ran[most_settings][name_size];
  unsigned random_state = 1;
  double begun = MPI_Wtime();
  int is_warm = options.warm_up == 0;
  int done = 0, rounds = 0;
  while (done < options.repetitions) {
    int order[most_settings];
    shuffle(order, count, &random_state);
    root = options.rotates ? rounds % size : 0;
    for (int turn = 0; turn < count; ++turn) {
      const int which = order[turn];
      everybody = comms[which];
      set(settings[which], name);
      settle(collective, m, is_between);
      const double taken = once(collective, m, &carried[which]);
      if (is_warm) seconds[(size_t)which * most + (size_t)done] = taken;
      what_ran(ran[which], name);
    }
    ++rounds;
    if (!is_warm) {
      is_warm = rounds >= options.warm_up && is_over(begun, options.seconds / 5);
      if (is_warm) begun = MPI_Wtime();
    } else if (is_enough(seconds, count, ++done, begun)) {
      break;
    }
  }
  const size_t of_one = (size_t)count * most;
  double* all = rank == 0 ? allocate((size_t)size * of_one * sizeof *all) : NULL;
  collect(seconds, all, (int)(of_one * sizeof *seconds));
  double busiest[most_settings];
  for (int i = 0; i < count; ++i) {
    const double sent = carried[i].sent, received = carried[i].received;
    busiest[i] = (sent > received ? sent : received) / rounds;
  }
  double* busy = rank == 0 ? allocate((size_t)size * sizeof busiest) : NULL;
  collect(busiest, busy, sizeof busiest);
  for (int i = 0; rank == 0 && i < count; ++i) {
    for (int other = 1; other < size; ++other) {
      const double its = busy[other * most_settings + i];
      if (its > busiest[i]) busiest[i] = its;
    }
    printf(first && i == 0 ? "" : ",\n");
    print_result(collective, distribution_name, m, settings[i], ran[i], all + (size_t)i * most,
                 of_one, done, busiest[i]);
  }
  fflush(stdout);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
  free(busy);
  free(all);
  free(seconds);
  release(m);
}

/* What rank 0 has to say before the results: where the ranks are, how many cores all ranks of each
 * one's host may use, and the seconds of start_together(), within which ranks start. */
static void print_head(void) {
  enum { tries = 32 };
  struct Place {
    char host[MPI_MAX_PROCESSOR_NAME];
    cpu_set_t cores;
  } place = {.host = ""};
  int length = 0;
  MPI_Get_processor_name(place.host, &length);
  sched_getaffinity(0, sizeof place.cores, &place.cores);
  struct Place* all = rank == 0 ? allocate((size_t)size * sizeof *all) : NULL;
  collect(&place, all, sizeof place);
  double starts[tries];
  for (int i = 0; i < tries; ++i) {
    const double begun = MPI_Wtime();
    start_together();
    starts[i] = MPI_Wtime() - begun;
  }
  if (rank > 0) return;
  qsort(starts, tries, sizeof *starts, ascending);
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(library, &length);
  library[strcspn(library, "\n")] = '\0';
  printf("{\"ranks\": %d, \"rate\": %.0f, \"start_seconds\": %.9f, \"library\": \"", size,
         options.rate, starts[tries / 2]);
  print_text(library);
  printf("\", \"hosts\": [");
  for (int i = 0; i < size; ++i) {
    printf(i > 0 ? ", \"" : "\"");
    print_text(all[i].host);
    printf("\"");
  }
  printf("], \"cores\": [");
  for (int i = 0; i < size; ++i) {
    cpu_set_t of_host = all[i].cores;
    for (int other = 0; other < size; ++other) {
      if (strcmp(all[other].host, all[i].host) == 0) {
        CPU_OR(&of_host, &of_host, &all[other].cores);
      }
    }
    printf("%s%d", i > 0 ? ", " : "", CPU_COUNT(&of_host));
  }
  printf("], \"results\": [\n");
  fflush(stdout);
  free(all);
}

static void split(void) {
  if (senders >= size) fail("no ranks are left for the other group", "");
  MPI_Comm group;
  MPI_Comm_split(MPI_COMM_WORLD, rank < senders, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank < senders ? senders : 0, 5, &between);
  MPI_Comm_free(&group);
}

int main(int argc, char** argv) {
  begin_ranks(&argc, &argv);
  char* settings[most_settings] = {"native"};
  int count = 0, measured = 0, measured_with_them = 0;
  for (int next = 1; next < argc;) {
    char* word = argv[next++];
    if (word[0] == '-' && (word[1] == 'R' || word[1] == 'a')) {
      *(word[1] == 'R' ? &options.rotates : &options.prints_all) = 1;
      continue;
    }
    if (word[0] != '-') {
      if (options.repetitions < 1 || options.calls < 1 || options.buffers < 1 ||
          options.warm_up < 0) {
        fail("too few repetitions, calls or buffers", "");
      }
      if (measured == 0) {
        if (senders > 0) split();
        print_head();
      }
      measure(word, settings, count > 0 ? count : 1, measured++ == 0);
      measured_with_them = 1;
      continue;
    }
    if (next == argc) fail("a value is missing after ", word);
    char* value = argv[next++];
    switch (word[1]) {
      case 'k': options.repetitions = atoi(value); break;
      case 't': options.seconds = strtod(value, NULL); break;
      case 'e': options.precision = strtod(value, NULL); break;
      case 'n': options.calls = atoi(value); break;
      case 'w': options.warm_up = atoi(value); break;
      case 'b': options.buffers = atoi(value); break;
      case 'r': options.rate = strtod(value, NULL); break;
      case 'g': senders = atoi(value); break;
      case 's':
        if (measured_with_them) count = measured_with_them = 0;
        if (count == most_settings) fail("too many settings: ", value);
        settings[count++] = value;
        break;
      default: fail("no such option: ", word);
    }
  }
  if (measured == 0) print_head(); /* where the ranks are is worth knowing, too */
  if (rank == 0) printf("\n]}\n");
  if (between != MPI_COMM_NULL) MPI_Comm_free(&between);
  end_ranks();
  return 0;
}
