// SPDX-License-Identifier: Apache-2.0
// Rounds of short messages through shared memory, as schedules may have them: of several messages,
// and of messages that are deferred. Ends with 1 if a result is wrong. For at least 3 ranks.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "mpi/communicator.hpp"
#include "mpi/executor_of_thread.hpp"
#include "mpi/shared_memory.hpp"

namespace roundelay::mpi {
namespace {

constexpr Units room = 8192;  // bytes from and for each rank

// What the rank gives to another one, and where it puts what that one gives.
Slice given(int to, Units length) { return {Space::input, to * room, length}; }
Slice wanted(int from, Units length) { return {Space::output, from * room, length}; }

struct Rank {
  int rank;
  int size;
  Units bytes;

  [[nodiscard]] int right(int i = 1) const { return (rank + i) % size; }
  [[nodiscard]] int left(int i = 1) const { return (rank + size - i) % size; }
};

Schedule all_at_once(Rank x) {
  RoundList list;
  for (int i = 1; i < x.size; ++i) {
    list.add(send(given(x.right(i), x.bytes), x.right(i)));
    list.add(recv(wanted(x.left(i), x.bytes), x.left(i)));
  }
  co_yield list;
}

Schedule deferred_to_the_end(Rank x) {
  for (int i = 1; i < x.size; ++i) {
    co_yield round(deferred(send(given(x.right(i), x.bytes), x.right(i)), static_cast<Fence>(i)),
                   deferred(recv(wanted(x.left(i), x.bytes), x.left(i)), static_cast<Fence>(i)));
  }
  co_yield round(copy(given(x.rank, x.bytes), wanted(x.rank, x.bytes)));
}

// Every rank may send to the left only when it has what came from there.
Schedule deferred_across_others(Rank x) {
  if (x.rank == 0) co_yield round(deferred(recv(wanted(x.left(), x.bytes), x.left())));
  if (x.rank > 0) co_yield round(recv(wanted(x.left(), x.bytes), x.left()));
  co_yield round(send(given(x.right(), x.bytes), x.right()));
}

Schedule deferred_to_fences(Rank x) {
  for (int i = 1; i < x.size; ++i) {
    const auto due = static_cast<Fence>(1 + i % 2);
    if (i > 2) co_yield fence(due);
    co_yield round(deferred(send(given(x.right(i), x.bytes), x.right(i)), due),
                   deferred(recv(wanted(x.left(i), x.bytes), x.left(i)), due));
  }
  co_yield fence(at_the_end);
  // All have come: the first byte of each goes on to the right, behind what came from the left.
  for (int i = 1; i < x.size; ++i) {
    const int whose = x.left(i);
    if (whose == x.right()) continue;
    co_yield round(deferred(send(wanted(whose, 1), x.right())));
  }
  for (int i = 2; i < x.size; ++i) {
    co_yield round(deferred(recv(Slice{Space::output, x.left(i) * room + x.bytes, 1}, x.left())));
  }
}

Schedule twice_from_a_rank(Rank x) {
  const Units half = x.bytes / 2;
  const Slice theirs = wanted(x.left(), x.bytes);
  const Slice mine = given(x.right(), x.bytes);
  co_yield round(
      send(mine.part(0, half), x.right()), send(mine.part(half, x.bytes - half), x.right()),
      recv(theirs.part(0, half), x.left()), recv(theirs.part(half, x.bytes - half), x.left()));
}

Schedule exposed(Rank x) {
  RoundList list;
  for (int i = 1; i < x.size; ++i) {
    list.add(expose(given(0, x.bytes), x.right(i)));
    list.add(take(wanted(x.left(i), x.bytes), x.left(i)));
  }
  co_yield list;
}

// Only rank 0 sends, call after call: the others are late.
Schedule from_one(Rank x) {
  RoundList list;
  for (int i = 1; x.rank == 0 && i < x.size; ++i) list.add(send(given(i, x.bytes), i));
  if (x.rank > 0) list.add(recv(wanted(0, x.bytes), 0));
  co_yield list;
}

struct Kind {
  const char* name;
  Schedule (*schedule)(Rank);
  // What rank `from` gives to rank `to`, as an index of its blocks; -1: nothing.
  std::function<int(Rank, int from)> block;
  int calls = 1;  // in a row
};
const std::vector<Kind> kinds{
    {"all at once", all_at_once, [](Rank x, int from) { return from == x.rank ? -1 : x.rank; }},
    {"deferred to the end", deferred_to_the_end, [](Rank x, int /*from*/) { return x.rank; }},
    {"deferred across others", deferred_across_others,
     [](Rank x, int from) { return from == x.left() ? x.rank : -1; }},
    {"deferred to fences", deferred_to_fences,
     [](Rank x, int from) { return from == x.rank ? -1 : x.rank; }},
    {"twice from a rank", twice_from_a_rank,
     [](Rank x, int from) { return from == x.left() ? x.rank : -1; }},
    {"exposed", exposed, [](Rank x, int from) { return from == x.rank ? -1 : 0; }},
    {"from one", from_one, [](Rank x, int from) { return from == 0 && x.rank > 0 ? x.rank : -1; },
     50},
};

std::byte value(int rank, int block, Units i, int call) {
  return static_cast<std::byte>(rank * 31 + block * 7 + static_cast<int>(i) + call);
}

// The first of many calls that are alike records its rounds; the others repeat them where they can.
int run(Executor& executor, ScheduledPart part, const Messages& messages, ShortRecording& recording,
        bool first) {
  if (!first && recording.closed()) return executor.play(recording, *part.memory, messages);
  return executor.run(std::move(part), messages, Discipline::early, first ? &recording : nullptr);
}

// The same without waiting in between.
int start_and_go_on(Executor& executor, ScheduledPart part, const Messages& messages,
                    ShortRecording& recording, bool first,
                    const std::function<Schedule()>& another) {
  if (first) {
    Schedule recorded = another();
    executor.record(recorded, *part.memory, messages, recording);
  }
  int error = recording.closed() ? executor.start_copy(recording, *part.memory, messages)
                                 : executor.start({&part, 1}, messages, Discipline::early);
  while (error == MPI_SUCCESS && !executor.over()) {
    give_the_core_away();
    error = executor.progress();
  }
  return error;
}

bool is_right(Communicator& comm, const Kind& kind, Units bytes, bool waits) {
  static int tag = 0;
  const Rank x{comm.rank(), comm.size(), bytes};
  std::vector<std::byte> input(static_cast<std::size_t>(room * x.size));
  std::vector<std::byte> output(input.size());
  Memory memory;
  memory.type = describe(MPI_BYTE);
  memory.base[0] = input.data();
  memory.base[1] = output.data();
  const Messages messages{comm.own(), 1000 + 2 * (tag++ % 1000), comm.shared(), comm.put()};
  ShortRecording recording;
  recording.start({}, {}, 0);
  int error = MPI_SUCCESS;
  for (int call = 0; call < kind.calls + 1; ++call) {
    for (int block = 0; block < x.size; ++block) {
      for (Units i = 0; i < bytes; ++i) {
        input[static_cast<std::size_t>(block * room + i)] = value(x.rank, block, i, call);
      }
    }
    if (call > 1 && x.rank > 0) give_the_core_away();
    ExecutorOfThread executor;
    ScheduledPart part{kind.schedule(x), &memory};
    error = waits ? run(*executor, std::move(part), messages, recording, call == 0)
                  : start_and_go_on(*executor, std::move(part), messages, recording, call == 0,
                                    [&] { return kind.schedule(x); });
    if (error != MPI_SUCCESS) break;
  }
  bool right = error == MPI_SUCCESS;
  for (int from = 0; from < x.size; ++from) {
    const int block = kind.block(x, from);
    for (Units i = 0; block >= 0 && i < bytes; ++i) {
      right = right && output[static_cast<std::size_t>(from * room + i)] ==
                           value(from, block, i, kind.calls);
    }
  }
  if (!right) {
    std::fprintf(stderr, "rank %d of %d: %s, %ld bytes, %s, is wrong (error %d)\n", x.rank, x.size,
                 kind.name, static_cast<long>(bytes), waits ? "run" : "started", error);
  }
  return right;
}

int wrong_in_all() {
  Communicator comm(MPI_COMM_WORLD);
  if (!comm.make_own()) return 1;
  auto [memory, why_not] = share_memory(comm, waiting() == Waiting::sleep);
  int wrong = memory == nullptr ? 1 : 0;
  if (wrong == 0) comm.share(std::move(memory));
  for (int times = 0; wrong == 0 && times < 20; ++times) {
    for (const Kind& kind : kinds) {
      for (const Units bytes : {1, 8, 100, 168, 169, 1000, 4096, 4097, 6000}) {
        for (const bool waits : {true, false}) {
          wrong += is_right(comm, kind, bytes, waits) ? 0 : 1;
        }
      }
    }
  }
  comm.free_own();
  return wrong;
}

}  // namespace
}  // namespace roundelay::mpi

int main(int argc, char** argv) {
  using namespace roundelay::mpi;
  MPI_Init(&argc, &argv);
  set_waiting(suitable(occupancy()));
  int wrong = wrong_in_all();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
