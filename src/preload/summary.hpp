// SPDX-License-Identifier: Apache-2.0
// What a report says, and its two forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "preload/record.hpp"

namespace roundelay::preload {

// What all ranks together recorded of an outcome.
struct Total {
  Outcome outcome;
  // Each call once, by the first rank of its communicator.
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  std::uint64_t expected_calls = 0;  // for which the model was asked
  double expected_seconds = 0;       // what it says of all these
  // Of the ranks that took part in any of them.
  int ranks = 0;
  std::uint64_t rank_calls = 0;  // the calls of each rank, summed over the ranks
  std::uint64_t timed_calls = 0;
  double rank_seconds = 0;  // the same for the time
  double slowest_seconds = 0;

  // The row of one more rank.
  void add(const Row& row);
  // Of one call, the mean over the ranks.
  [[nodiscard]] double mean_seconds() const {
    return rank_seconds / static_cast<double>(rank_calls);
  }
  // What the model expects of one call, the mean over these calls; 0: it was not asked.
  [[nodiscard]] double model_seconds() const {
    return expected_calls > 0 ? expected_seconds / static_cast<double>(expected_calls) : 0;
  }
  // Of all calls of a rank, the mean over the ranks.
  [[nodiscard]] double seconds() const { return rank_seconds / ranks; }
};

struct Summary {
  int ranks = 1;
  bool alone = false;              // other ranks' parts are missing
  std::int64_t scratch = 0;        // bytes, of the rank that held most
  double setup = 0;                // seconds, of the rank that took longest
  std::uint64_t device_calls = 0;  // of the rank that ran most on copies of memory of a GPU
  std::vector<Learned> learned;    // on all communicators
  std::vector<Total> totals;

  // Of the calls for which the ranks learned what is fastest: seconds on all communicators, and
  // how much of that was spent on learning.
  [[nodiscard]] double learned_seconds() const;
  [[nodiscard]] double learning_seconds() const;
  // The row of one more rank.
  void add(const Row& row);
  // What takes most time comes first.
  void sort();
};

// A table for a person, without colour, each line ended.
[[nodiscard]] std::string as_text(const Summary& summary);

// The same as one line of JSON, as python/roundelay/report.schema.json describes it. `event`, if it
// is not empty, becomes its first member.
[[nodiscard]] std::string as_json(const Summary& summary, std::string_view event = {});

}  // namespace roundelay::preload
