// SPDX-License-Identifier: Apache-2.0
// What the engine costs: of a call (a schedule made, its first round, its end), and of each further
// round (`per_round`). To be kept at 25 ns and 12 ns at most; take minima of repetitions, as other
// load only adds.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string_view>

#include "algorithms/catalogue.hpp"
#include "interpret/call.hpp"

namespace roundelay {
namespace {

constexpr int rank = 3;

interpret::Call prepared(const benchmark::State& state, Collective collective,
                         std::string_view name) {
  return {Choice(*find(collective, name)), {.p = static_cast<int>(state.range(0)), .m = 1 << 20}};
}

// All that an executor does with a round, but for the messages.
void look_at(const Round& round) {
  for (const Transfer* transfer : round.transfers) {
    benchmark::DoNotOptimize(transfer->peer);
    benchmark::DoNotOptimize(transfer->data.length());
  }
  for (const LocalStep* step : round.steps) benchmark::DoNotOptimize(step->into.length());
}

void first_round(const interpret::Call& call) {
  Schedule schedule = call.schedule(rank);
  if (schedule.next()) look_at(schedule.round());
}

std::int64_t all_rounds(const interpret::Call& call) {
  std::int64_t rounds = 0;
  Schedule schedule = call.schedule(rank);
  for (; schedule.next(); ++rounds) look_at(schedule.round());
  return rounds;
}

// Of this thread alone, whatever else runs.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds(auto work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

void a_call(benchmark::State& state, Collective collective, std::string_view name) {
  const interpret::Call call = prepared(state, collective, name);
  for (auto _ : state) first_round(call);
}

void a_round(benchmark::State& state, Collective collective, std::string_view name) {
  constexpr int calls = 256;
  const interpret::Call call = prepared(state, collective, name);
  std::int64_t further_rounds = 0;
  double with_first = std::numeric_limits<double>::max();  // the least, or load would be a gain
  for (auto _ : state) {
    const double with_all = seconds([&] {
      for (int i = 0; i < calls; ++i) further_rounds += all_rounds(call) - 1;
    });
    with_first = std::min(with_first, seconds([&] {
                            for (int i = 0; i < calls; ++i) first_round(call);
                          }));
    state.SetIterationTime(std::max(with_all - with_first, 0.0));
  }
  state.counters["per_round"] =
      benchmark::Counter(static_cast<double>(further_rounds),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(a_call, allgather.ring, Collective::allgather, "ring")->Arg(16)->Arg(1024);
BENCHMARK_CAPTURE(a_call, allreduce.recursive_doubling, Collective::allreduce, "recursive_doubling")
    ->Arg(16)
    ->Arg(1024);
BENCHMARK_CAPTURE(a_round, allgather.ring, Collective::allgather, "ring")
    ->Arg(16)
    ->Arg(1024)
    ->UseManualTime();
BENCHMARK_CAPTURE(a_round, allreduce.recursive_doubling, Collective::allreduce,
                  "recursive_doubling")
    ->Arg(16)
    ->Arg(1024)
    ->UseManualTime();

}  // namespace
}  // namespace roundelay

BENCHMARK_MAIN();
