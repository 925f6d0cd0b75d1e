// SPDX-License-Identifier: Apache-2.0
// Which of several candidates takes least time for calls of one kind, found by measuring some of
// these calls: successive elimination within a budget.
//
// Calls go in windows. At the start of a window it is fixed which of its calls are measured, and
// which candidate runs them; all others run the best candidate so far. A measurement is several
// calls in a row. The first does not count: it sets up connections and waits for what the candidate
// before has left. Of long calls one more is enough. The time of a single short call depends on
// chance, most of all where ranks wait for cores: there several are measured, and the longest of
// them, which something else may have interrupted, does not count.
//
// Measuring costs at most a share of the time of all calls more than the best candidate would take.
// Two things may exceed that: measurements of a window that take longer than they were planned to,
// and the agreement on a candidate that took the lead by few measurements. Nothing here asks a
// clock: ranks that learn from the same numbers plan alike.
//
// Even-Dar, Mannor, Mansour: Action elimination and stopping conditions for the multi-armed bandit
// and reinforcement learning problems. J. Machine Learning Research 7 (2006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace roundelay::choose {

class Learner {
 public:
  static constexpr double usual_share = 0.05;
  // Calls that take less than this together, in seconds, are not worth a measurement of others.
  static constexpr double least_total = 1e-3;
  // Of a window, at most.
  static constexpr int most_measurements = 8;

  struct Measurement {
    int candidate = 0;
    int calls = 0;  // 2 or more

    [[nodiscard]] int counted() const noexcept { return calls == 2 ? 1 : calls - 2; }
  };
  struct Window {
    int calls = 0;
    std::vector<Measurement> measured;  // its first calls, in this order
  };
  // Seconds of the first call of a measurement, and of those that count together; 0: nobody knows.
  struct Times {
    double first = 0;
    double counted = 0;
  };

  // Seconds of a call with each candidate as the model expects them; 0: nobody knows. The first
  // candidate runs until another one is known to be faster; it has run so many calls before.
  // `native`: which of them is the MPI library's own. Measuring may cost `share` of the time of the
  // calls.
  Learner(const std::vector<double>& prices, int native, std::int64_t calls_before = 0,
          double share = usual_share);

  [[nodiscard]] const Window& window() const noexcept { return window_; }
  [[nodiscard]] int best() const noexcept { return best_; }
  // The window is over. The times of its measurements, and seconds of the agreement on them.
  void learn(std::span<const Times> times, double agreement);
  // There are more candidates: the prices of all, in which those that it has come first. To find
  // them took about `search` seconds; the next agreement contains what it really took. Between two
  // windows.
  void add(const std::vector<double>& prices, double search);
  // The window, which has just begun, ends after about so many calls, if it is longer.
  void end_window_after(double calls);

  // Whether nothing is measured any more but to notice a change.
  [[nodiscard]] bool settled() const noexcept { return settled_; }
  // Whether any candidate but the first was measured.
  [[nodiscard]] bool has_compared() const noexcept;
  // Seconds of a call, the median of the last measurements, before these what was seen at the first
  // look; 0: nothing was.
  [[nodiscard]] double median(int candidate) const;
  // Seconds of all calls, and what of it was spent on learning.
  [[nodiscard]] double total() const noexcept { return total_; }
  [[nodiscard]] double spent() const noexcept { return spent_; }

 private:
  struct Candidate {
    double price = 0;
    bool dropped = false;
    double looked = 0;              // seconds of a single short call, which say little
    int measurements = 0;           // since the last change
    int calls = 0;                  // that counted in these
    std::vector<double> last = {};  // seconds of the last of them
  };

  [[nodiscard]] const Candidate& leader() const {
    return candidates_[static_cast<std::size_t>(best_)];
  }
  void take(const Measurement& measurement, double seconds);
  void judge();
  [[nodiscard]] bool may_lead(int candidate) const;
  [[nodiscard]] bool has_changed(std::span<const Times> times) const;
  void forget();
  void plan();
  void plan_to_compare(double budget);
  [[nodiscard]] bool leads_by_chance() const;
  void plan_to_watch(double budget);
  void measure(int candidate, int times);
  [[nodiscard]] int least_calls() const;
  [[nodiscard]] int calls_measured() const;
  [[nodiscard]] int calls_of_measurement(int candidate) const;
  [[nodiscard]] double excess_of_measurement(int candidate) const;
  [[nodiscard]] double expected(int candidate) const;
  [[nodiscard]] int runner_up() const;

  int native_;
  double share_;
  std::vector<Candidate> candidates_;
  Window window_;
  int best_ = 0;
  bool settled_ = false;
  double settled_median_ = 0;  // of the best candidate when it was settled
  std::int64_t calls_before_;
  std::int64_t calls_ = 0;  // since then
  double total_ = 0;
  double spent_ = 0;
  double agreement_ = 0;  // seconds of the last one
  double search_ = 0;     // seconds of one that no agreement has told of yet
};

}  // namespace roundelay::choose
