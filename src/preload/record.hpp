// SPDX-License-Identifier: Apache-2.0
// What ran, how often, how long and why.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::preload {

// A clock of a few instructions, in ticks of unknown length.
[[nodiscard]] inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t now = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
#error "ticks() has to be written for this processor"
#endif
}
// The length of a tick, found by comparing the two clocks over the life of the process.
[[nodiscard]] double seconds_per_tick();

// The calls on one communicator with one outcome. It changes only inside these calls, so that it
// needs no lock.
//
// Reading the clock may take longer (40 ns on a virtual machine) than everything else that is added
// to a short call. So each of the first calls is timed, and of the later ones every 16th, or every
// one if they are long.
struct Tally {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = UINT64_MAX;
  std::uint64_t most_bytes = 0;
  std::uint64_t timed_calls = 0;
  std::uint64_t ticks = 0;  // of the timed calls

  // Whether this call is to be timed.
  [[nodiscard]] bool wants_time() noexcept { return --until_timed_ <= 0; }
  void add(std::uint64_t message_bytes) noexcept {
    ++calls;
    bytes += message_bytes;
    if (message_bytes != last_bytes_) [[unlikely]]
      see(message_bytes);
  }
  // For a call that is to be timed, before the call itself is added.
  void add_time(std::uint64_t duration) noexcept {
    ++timed_calls;
    ticks += duration;
    const bool all = calls < timed_at_first || ticks > long_call_ticks * timed_calls;
    until_timed_ = all ? 1 : one_in;
  }
  void add(const Tally& other) noexcept;
  // The next call is to be timed.
  void time_next() noexcept { until_timed_ = 1; }
  // Of all calls, as the timed ones suggest.
  [[nodiscard]] std::uint64_t ticks_of_all() const noexcept {
    return timed_calls > 0 ? ticks / timed_calls * calls : 0;
  }

 private:
  void see(std::uint64_t message_bytes) noexcept {
    last_bytes_ = message_bytes;
    least_bytes = message_bytes < least_bytes ? message_bytes : least_bytes;
    most_bytes = message_bytes > most_bytes ? message_bytes : most_bytes;
  }

  static constexpr std::uint64_t timed_at_first = 64;
  static constexpr std::int64_t one_in = 16;
  static constexpr std::uint64_t long_call_ticks = 100'000;  // tens of microseconds

  std::int64_t until_timed_ = 1;
  std::uint64_t last_bytes_ = UINT64_MAX;
};

// How the program makes a call: it waits for it, or for its request, which it may start again and
// again.
enum class Form : std::uint8_t { blocking, nonblocking, persistent };

// How calls were run, and why. Each is kept once, and as long as the process lives.
struct Outcome {
  Collective collective;
  std::string algorithm;
  std::string reason;
  Form form = Form::blocking;

  // "allreduce", "iallreduce", "allreduce_init"
  [[nodiscard]] std::string call() const {
    return (form == Form::nonblocking ? "i" : "") + std::string(name_of(collective)) +
           (form == Form::persistent ? "_init" : "");
  }

  friend bool operator==(const Outcome&, const Outcome&) = default;
};
[[nodiscard]] const Outcome* outcome(Collective collective, const std::string& algorithm,
                                     const std::string& reason, Form form = Form::blocking);

// Adds calls on one communicator to the totals of this process. `is_rank_0`: this process is the
// communicator's rank 0; only there the calls are counted, everywhere their time is.
// `expected_seconds`: of one call, as the model says; 0: unknown. Thread-safe.
void settle(const Outcome* of, const Tally& tally, bool is_rank_0, double expected_seconds);

// Adds the ticks that this process took to prepare: making communicators of our own, comparing
// settings, deciding, agreeing on lengths. No call's time contains them. Thread-safe.
void add_setup(std::uint64_t duration);
[[nodiscard]] double setup_seconds();

// One more call of this process that a schedule ran on copies of memory of a GPU. Thread-safe.
void add_device_call();
[[nodiscard]] std::uint64_t device_calls();

// What ranks learned of calls of one kind (choose/learner.hpp).
struct Learned {
  Collective collective{};
  std::string algorithm;         // the fastest
  std::int64_t least_bytes = 0;  // of a whole message
  std::int64_t most_bytes = 0;
  bool commutative = true;
  bool predefined = true;
  bool even = true;  // all blocks are about alike
  int ranks = 0;
  int nodes = 0;           // 0: unknown
  int ranks_per_node = 0;  // 0: unknown, or not the same on all nodes
  double seconds = 0;      // of all these calls
  double spent = 0;        // of them, on learning

  // All but the seconds.
  [[nodiscard]] auto what() const noexcept {
    return std::tie(collective, algorithm, least_bytes, most_bytes, commutative, predefined, even,
                    ranks, nodes, ranks_per_node);
  }
};
// Of a communicator whose rank 0 this process is. Of what is learned again and again on
// communicators that are alike only the seconds add up. Thread-safe.
void add_learned(Learned learned);
[[nodiscard]] std::vector<Learned> learned();

// The totals of this process for one outcome.
struct Row {
  Outcome outcome;
  // Of calls on communicators whose rank 0 this process is; all 0 if there were none.
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  std::uint64_t expected_calls = 0;  // for which the model was asked
  double expected_seconds = 0;       // what it says of all these
  // Of all calls in which this process took part.
  std::uint64_t own_calls = 0;
  std::uint64_t timed_calls = 0;
  double seconds = 0;  // of all, as the timed ones suggest
};
// In the order in which the outcomes first occurred. Thread-safe.
[[nodiscard]] std::vector<Row> rows();

}  // namespace roundelay::preload
