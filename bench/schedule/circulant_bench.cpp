// SPDX-License-Identifier: Apache-2.0
// Time per rank for the receive and the send schedule on circulant graphs, over the ranges of p of
// the paper's table 4 (Traff 2024), which says 0.334, 0.370, 0.454, 0.534, 0.548, 0.566, 0.516 and
// 0.608 us per rank. As there, all ranks of a p are taken in order and the times of the p averaged;
// of each range, 16 p at equal distances.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>

#include "schedule/circulant.hpp"
#include "schedule/circulant_table.hpp"

namespace roundelay {
namespace {

constexpr int samples = 16;
constexpr int most_at_once =
    1 << 14;  // consecutive ranks of a large p: a stretch elsewhere each time

// Of this thread alone, whatever else runs.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Middles of equal parts of [first, last].
int sampled(const benchmark::State& state, int i) {
  const std::int64_t length = state.range(1) - state.range(0) + 1;
  return static_cast<int>(state.range(0) + length * (2 * i + 1) / (2 * samples));
}

void per_rank(benchmark::State& state, auto work) {
  std::uint32_t seed = 1;
  for (auto _ : state) {
    double seconds = 0;
    for (int i = 0; i < samples; ++i) {
      const int p = sampled(state, i);
      const int count = std::min(p, most_at_once);
      seed = seed * 1664525U + 1013904223U;
      const int first = count == p ? 0 : static_cast<int>(seed % static_cast<unsigned>(p - count));
      const double begin = cpu_seconds();
      work(p, first, count);
      seconds += (cpu_seconds() - begin) / count;
    }
    state.SetIterationTime(seconds / samples);
  }
}

void both_schedules(benchmark::State& state) {
  per_rank(state, [](int p, int first, int count) {
    const Skips skip = Skips::halving(p);
    CirculantEntries receive{};
    CirculantEntries send{};
    for (int v = first; v < first + count; ++v) {
      receive_schedule(skip, v, receive);
      benchmark::DoNotOptimize(send_schedule(skip, v, send));
      benchmark::DoNotOptimize(receive);
      benchmark::DoNotOptimize(send);
    }
  });
}

void receive_alone(benchmark::State& state) {
  per_rank(state, [](int p, int first, int count) {
    const Skips skip = Skips::halving(p);
    CirculantEntries receive{};
    for (int v = first; v < first + count; ++v) {
      receive_schedule(skip, v, receive);
      benchmark::DoNotOptimize(receive);
    }
  });
}

// The receive schedules of all ranks at once, per rank.
void table(benchmark::State& state) {
  for (auto _ : state) {
    double seconds = 0;
    for (int i = 0; i < samples; ++i) {
      const int p = sampled(state, i);
      const double begin = cpu_seconds();
      const CirculantTable made(p);
      benchmark::DoNotOptimize(made.round(0).data());
      seconds += (cpu_seconds() - begin) / p;
    }
    state.SetIterationTime(seconds / samples);
  }
}

void ranges_of_the_paper(benchmark::internal::Benchmark* benchmark) {
  constexpr std::array<std::array<std::int64_t, 2>, 8> ranges{{{1, 17000},
                                                               {16000, 33000},
                                                               {64000, 73000},
                                                               {131000, 140000},
                                                               {262000, 267000},
                                                               {524000, 529000},
                                                               {1048000, 1050000},
                                                               {2097000, 2099000}}};
  for (const auto& [first, last] : ranges) benchmark->Args({first, last});
  // The time of an iteration is that of one rank, so that it cannot say when there are enough.
  benchmark->UseManualTime()->Iterations(10);
}

BENCHMARK(both_schedules)->Apply(ranges_of_the_paper);
BENCHMARK(receive_alone)->Apply(ranges_of_the_paper);
BENCHMARK(table)->Apply(ranges_of_the_paper)->Iterations(2);

}  // namespace
}  // namespace roundelay

BENCHMARK_MAIN();
