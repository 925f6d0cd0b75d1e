// SPDX-License-Identifier: Apache-2.0
#include "preload/record.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <utility>

namespace roundelay::preload {

namespace {

struct Entry {
  Outcome outcome;
  Tally counted;                     // on communicators whose rank 0 this process is
  Tally own;                         // on all
  std::uint64_t expected_calls = 0;  // of those counted
  double expected_seconds = 0;
};

struct Records {
  std::mutex mutex;
  std::list<Entry> entries;  // outcome() returns addresses into them
  std::vector<Learned> learned;
};

// Never destroyed: a report may be written while the process ends.
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
std::atomic<std::uint64_t> calls_on_device{0};

}  // namespace

void add_setup(std::uint64_t duration) { setup.fetch_add(duration, std::memory_order_relaxed); }
double setup_seconds() {
  return static_cast<double>(setup.load(std::memory_order_relaxed)) * seconds_per_tick();
}

void add_device_call() { calls_on_device.fetch_add(1, std::memory_order_relaxed); }
std::uint64_t device_calls() { return calls_on_device.load(std::memory_order_relaxed); }

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
                       const std::string& reason, Form form) {
  const Outcome wanted{collective, algorithm, reason, form};
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  const auto known = std::ranges::find(all.entries, wanted, &Entry::outcome);
  return known != all.entries.end()
             ? &known->outcome
             : &all.entries.emplace_back(Entry{wanted, {}, {}, 0, 0}).outcome;
}

void settle(const Outcome* of, const Tally& tally, bool is_rank_0, double expected_seconds) {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  const auto entry =
      std::ranges::find_if(all.entries, [&](const Entry& one) { return &one.outcome == of; });
  entry->own.add(tally);
  if (!is_rank_0) return;
  entry->counted.add(tally);
  if (expected_seconds <= 0) return;
  entry->expected_calls += tally.calls;
  entry->expected_seconds += expected_seconds * static_cast<double>(tally.calls);
}

void add_learned(Learned learned) {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  const auto same = std::ranges::find_if(
      all.learned, [&](const Learned& one) { return one.what() == learned.what(); });
  if (same == all.learned.end()) {
    all.learned.push_back(std::move(learned));
  } else {
    same->seconds += learned.seconds;
    same->spent += learned.spent;
  }
}

std::vector<Learned> learned() {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  return all.learned;
}

std::vector<Row> rows() {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  const double tick = seconds_per_tick();
  std::vector<Row> found;
  for (const auto& [what, counted, own, expected_calls, expected_seconds] : all.entries) {
    if (own.timed_calls == 0) continue;
    const double mean =
        static_cast<double>(own.ticks) * tick / static_cast<double>(own.timed_calls);
    found.push_back({.outcome = what,
                     .calls = counted.calls,
                     .bytes = counted.bytes,
                     .least_bytes = counted.calls > 0 ? counted.least_bytes : 0,
                     .most_bytes = counted.most_bytes,
                     .expected_calls = expected_calls,
                     .expected_seconds = expected_seconds,
                     .own_calls = own.calls,
                     .timed_calls = own.timed_calls,
                     .seconds = mean * static_cast<double>(own.calls)});
  }
  return found;
}

}  // namespace roundelay::preload
