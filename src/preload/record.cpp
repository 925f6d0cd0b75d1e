// SPDX-License-Identifier: Apache-2.0
#include "preload/record.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>

namespace roundelay::preload {

namespace {

struct Entry {
  Outcome outcome;
  Tally tally;
};

struct Records {
  std::mutex mutex;
  std::list<Entry> entries;  // their addresses are given away
};

// Never destroyed: reports may be written while the process ends.
Records& records() {
  static auto* const all = new Records;
  return *all;
}

struct Instant {
  std::uint64_t ticks = preload::ticks();
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

const Instant birth;

std::atomic<std::uint64_t> setup{0};

}  // namespace

void add_setup(std::uint64_t duration) { setup.fetch_add(duration, std::memory_order_relaxed); }
double setup_seconds() {
  return static_cast<double>(setup.load(std::memory_order_relaxed)) * seconds_per_tick();
}

double seconds_per_tick() {
  const Instant now;
  return std::chrono::duration<double>(now.time - birth.time).count() /
         static_cast<double>(now.ticks - birth.ticks);
}

void Tally::add(const Tally& other) noexcept {
  calls += other.calls;
  bytes += other.bytes;
  least_bytes = std::min(least_bytes, other.least_bytes);
  most_bytes = std::max(most_bytes, other.most_bytes);
  timed_calls += other.timed_calls;
  ticks += other.ticks;
}

const Outcome* outcome(Collective collective, const std::string& algorithm,
                       const std::string& reason) {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  for (const Entry& entry : all.entries) {
    const Outcome& known = entry.outcome;
    if (known.collective == collective && known.algorithm == algorithm && known.reason == reason) {
      return &known;
    }
  }
  return &all.entries.emplace_back(Entry{{collective, algorithm, reason}, {}}).outcome;
}

void settle(const Outcome* of, const Tally& tally) {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  for (Entry& entry : all.entries) {
    if (&entry.outcome == of) entry.tally.add(tally);
  }
}

std::vector<Row> rows() {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  const double tick = seconds_per_tick();
  std::vector<Row> found;
  for (const auto& [what, tally] : all.entries) {
    if (tally.calls == 0) continue;
    const double mean =
        static_cast<double>(tally.ticks) * tick / static_cast<double>(tally.timed_calls);
    found.push_back({what, tally.calls, tally.bytes, tally.least_bytes, tally.most_bytes,
                     tally.timed_calls, mean * static_cast<double>(tally.calls)});
  }
  std::ranges::sort(found, std::greater(), &Row::seconds);
  return found;
}

}  // namespace roundelay::preload
