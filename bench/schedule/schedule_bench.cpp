// SPDX-License-Identifier: Apache-2.0
// What the engine costs: of a call (a schedule made, its first round, its end), and of a round more.
// To be kept under 25 ns and 12 ns; take minima of repetitions, other load only adds.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string_view>

#include "algorithms/catalogue.hpp"
#include "interpret/problem.hpp"

namespace roundelay {
namespace {

constexpr Units length = 1 << 20;
constexpr int rank = 3;

// All that an executor does with a round, but for the messages.
void look_at(const Round& round) {
  for (const Transfer* transfer : round.transfers) {
    benchmark::DoNotOptimize(transfer->peer);
    benchmark::DoNotOptimize(transfer->data.length());
  }
  for (const LocalStep* step : round.steps) benchmark::DoNotOptimize(step->into.length());
}

void call(benchmark::State& state, Collective collective, std::string_view name) {
  const Call prepared(Choice(*find(collective, name)),
                      {.p = static_cast<int>(state.range(0)), .m = length});
  for (auto _ : state) {
    Schedule schedule = prepared.schedule(rank);
    schedule.next();
    look_at(schedule.round());
  }
}

void rounds(benchmark::State& state, Collective collective, std::string_view name) {
  const Call prepared(Choice(*find(collective, name)),
                      {.p = static_cast<int>(state.range(0)), .m = length});
  std::int64_t count = 0;
  for (auto _ : state) {
    Schedule schedule = prepared.schedule(rank);
    for (; schedule.next(); ++count) look_at(schedule.round());
  }
  state.counters["per_round"] = benchmark::Counter(
      static_cast<double>(count), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(call, allgather.ring, Collective::allgather, "ring")->Arg(16)->Arg(1024);
BENCHMARK_CAPTURE(call, allreduce.recursive_doubling, Collective::allreduce, "recursive_doubling")->Arg(16)->Arg(1024);
BENCHMARK_CAPTURE(rounds, allgather.ring, Collective::allgather, "ring")->Arg(16)->Arg(1024);
BENCHMARK_CAPTURE(rounds, allreduce.recursive_doubling, Collective::allreduce, "recursive_doubling")->Arg(16)->Arg(1024);

}  // namespace
}  // namespace roundelay

BENCHMARK_MAIN();
