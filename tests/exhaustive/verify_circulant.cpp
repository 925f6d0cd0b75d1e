// SPDX-License-Identifier: Apache-2.0
// Checks the circulant schedules of all ranks, for p in the ranges of the paper's table 4.
// Everything takes hours of processor time, so that by default only every 100th p is looked at.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string_view>

#include "schedule/circulant_ranges.hpp"

namespace {

using roundelay::check_circulants;
using roundelay::CirculantFindings;
using roundelay::every;

constexpr int ranges[][2] = {{1, 17000},         {16000, 33000},    {64000, 73000},
                             {131000, 140000},   {262000, 267000},  {524000, 529000},
                             {1048000, 1050000}, {2097000, 2099000}};

constexpr const char* help =
    R"(usage: verify_circulant [--every N]
Checks the four conditions on circulant schedules and the bound on searches, for all ranks of every
N-th p in the ranges of the paper's table 4. N is 100 if it is not given.
Example: verify_circulant --every 1000
)";

int step_of(int argc, char** argv) {
  int step = 100;
  if (argc == 1) return step;
  const std::string_view option = argv[1];
  if (option == "--every" && argc == 3) {
    const char* end = argv[2] + std::strlen(argv[2]);
    const auto [rest, error] = std::from_chars(argv[2], end, step);
    if (error == std::errc() && rest == end && step > 0) return step;
  }
  return 0;
}

// Of one range; what it finds is the last thing on the line.
CirculantFindings check(int first, int last, int step) {
  using Clock = std::chrono::steady_clock;
  const std::vector<int> all = every(step, first, last);
  const double ranks = std::accumulate(all.begin(), all.end(), 0.0);
  const Clock::time_point begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  double done = 0;
  double shown = 0;
  const CirculantFindings findings = check_circulants(all, [&](int p) {
    done += p;
    if (seconds() < shown + 1) return;
    shown = seconds();
    std::fprintf(stderr, "\r  %3.0f %% of p = %d .. %d, %.0f s to go  ", 100 * done / ranks, first,
                 last, shown * (ranks - done) / done);
  });
  if (shown > 0) std::fprintf(stderr, "\r%60s\r", "");
  std::printf("%8d .. %-8d %6zu of them %14.0f ranks %8.1f s  searches <= %d  %s\n", first, last,
              all.size(), done, seconds(), findings.searches,
              findings.broken.empty() ? "right" : findings.broken.c_str());
  std::fflush(stdout);
  return findings;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::fputs(help, stdout);
    return 0;
  }
  const int step = step_of(argc, argv);
  if (step == 0) {
    std::fputs(help, stderr);
    return 2;
  }
  std::printf("all ranks of every p = first + i * %d\n", step);
  bool good = true;
  for (const auto& [first, last] : ranges) {
    const CirculantFindings findings = check(first, last, step);
    good = good && findings.broken.empty() && findings.searches <= roundelay::most_searches;
  }
  return good ? 0 : 1;
}
