// SPDX-License-Identifier: Apache-2.0
#include "choose/learner.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace roundelay::choose {

namespace {

// Times that differ by less are alike.
constexpr double alike = 0.05;
// A candidate is dropped at once if its first measurement is so many times the best median.
constexpr double bad = 2;
// Before so many measurements, nothing else drops a candidate, and nothing is settled.
constexpr int enough = 5;
// And so many at least make it the best, unless the best one so far is that bad beside it.
constexpr int enough_to_lead = 3;
// Medians are of so many measurements.
constexpr std::size_t remembered = 9;
// A call may take so many times as long as the model says.
constexpr double safety = 1.5;
// From which factor on the best candidate's time has changed.
constexpr double changed = 1.5;
// In calls.
constexpr int first_window = 8;
constexpr int least_window = 16;
constexpr int longest_window = 1 << 20;
// How often the best candidate is watched, in seconds, but not in fewer calls than that.
constexpr double watched_after = 1;
constexpr int least_watched = 256;

// Of a list that is not empty.
double quantile(std::vector<double> values, double which) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(which * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, middle);
  return *middle;
}

int bounded(double calls) {
  return static_cast<int>(
      std::clamp(calls, static_cast<double>(least_window), static_cast<double>(longest_window)));
}

}  // namespace

Learner::Learner(const std::vector<double>& prices, std::int64_t calls_before)
    : calls_before_(calls_before) {
  for (const double price : prices) candidates_.push_back({.price = price});
  window_.calls = first_window;
  measure(0, 2);
}

void Learner::learn(std::span<const double> seconds, double agreement) {
  agreement_ = agreement;
  double excess = agreement;
  std::vector<double> best_now;
  const int best = best_;  // judge() may take another
  for (std::size_t i = 1; i < window_.measured.size() && i < seconds.size(); i += 2) {
    const int candidate = window_.measured[i];
    if (seconds[i] <= 0) continue;
    take(candidate, seconds[i]);
    if (candidate == best) best_now.push_back(seconds[i]);
  }
  const double usual = median(best);
  for (std::size_t i = 0; i < window_.measured.size() && i < seconds.size(); ++i) {
    if (window_.measured[i] != best) excess += std::max(0.0, seconds[i] - usual);
  }
  calls_ += window_.calls;
  total_ += usual * window_.calls + excess;
  if (usual > 0) total_ += usual * static_cast<double>(std::exchange(calls_before_, 0));
  // What is not compared yet costs nothing that somebody could have saved.
  if (candidates_.size() > 1) spent_ += excess;
  if (settled_) notice_change(best_now);
  judge();
  plan();
}

bool Learner::has_compared() const noexcept {
  return std::any_of(candidates_.begin() + 1, candidates_.end(),
                     [](const Candidate& one) { return one.measurements > 0; });
}

double Learner::median(int candidate) const {
  const auto& last = candidates_[static_cast<std::size_t>(candidate)].last;
  return last.empty() ? 0 : quantile(last, 0.5);
}

void Learner::take(int candidate, double seconds) {
  Candidate& one = candidates_[static_cast<std::size_t>(candidate)];
  ++one.measurements;
  if (one.last.size() == remembered) one.last.erase(one.last.begin());
  one.last.push_back(seconds);
}

// Who leads, who is dropped, and whether that is all.
void Learner::judge() {
  const int count = static_cast<int>(candidates_.size());
  const double before = median(best_);
  for (int i = 0; i < count; ++i) {
    const int measurements = candidates_[static_cast<std::size_t>(i)].measurements;
    const bool known =
        measurements >= enough_to_lead || (measurements > 0 && bad * median(i) < before);
    if (known && median(i) < median(best_)) best_ = i;
  }
  const double least = median(best_);
  if (least <= 0) return;
  bool all_known = true;
  for (int i = 0; i < count; ++i) {
    Candidate& one = candidates_[static_cast<std::size_t>(i)];
    if (i == best_) {
      one.dropped = false;
      all_known = all_known && (count == 1 || one.measurements >= enough);
      continue;
    }
    if (one.dropped) continue;
    one.dropped = (one.measurements == 1 && one.last.front() > bad * least) ||
                  (one.measurements >= enough && quantile(one.last, 0.25) > least);
    all_known = all_known &&
                (one.dropped || (one.measurements >= enough && median(i) <= (1 + alike) * least));
  }
  if (all_known && !settled_) settled_median_ = least;
  settled_ = all_known;
}

// All candidates may lead again.
void Learner::notice_change(std::span<const double> best_now) {
  if (best_now.empty()) return;
  const double now = quantile({best_now.begin(), best_now.end()}, 0.5);
  if (now < changed * settled_median_ && changed * now > settled_median_) return;
  for (Candidate& one : candidates_) {
    one.dropped = false;
    one.measurements = 0;
    one.last.clear();
  }
  for (const double seconds : best_now) take(best_, seconds);
}

void Learner::plan() {
  window_.measured.clear();
  const double usual = median(best_);
  if (usual <= 0 || candidates_.size() == 1) {  // nothing was measured
    window_.calls = bounded(static_cast<double>(calls_));
    if (candidates_.size() > 1) measure(best_, 2);
    return;
  }
  if (total_ < least_total) {
    window_.calls = bounded((least_total - total_) / usual);
    return;
  }
  const double budget = share * total_ - spent_ - agreement_;
  if (settled_) {
    plan_to_watch(budget);
  } else {
    plan_to_compare(budget);
  }
}

// Seconds of a call, before anything is measured as the model expects them. Nobody knows what the
// MPI library takes, but that is no loss to who would have had it.
double Learner::expected(int candidate) const {
  const Candidate& one = candidates_[static_cast<std::size_t>(candidate)];
  if (!one.last.empty()) return median(candidate);
  if (one.price <= 0) return median(best_);
  const double known = candidates_.front().price;
  const double scale = known > 0 && !candidates_.front().last.empty() ? median(0) / known : 1;
  return safety * scale * one.price;
}

// Those first of which least is known, and of these what is expected to take least.
void Learner::plan_to_compare(double budget) {
  const double usual = median(best_);
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(candidates_.size()); ++i) {
    if (i != best_ && !candidates_[static_cast<std::size_t>(i)].dropped) order.push_back(i);
  }
  const auto before = [&](int a, int b) {
    const auto seen = [&](int i) {
      return std::min(candidates_[static_cast<std::size_t>(i)].measurements, enough);
    };
    return std::tuple(seen(a), expected(a), a) < std::tuple(seen(b), expected(b), b);
  };
  std::ranges::sort(order, before);
  measure(best_, 1);
  double least_needed = std::numeric_limits<double>::infinity();
  for (const int i : order) {
    const double needed = 2 * std::max(0.0, expected(i) - usual);
    const int measurements = candidates_[static_cast<std::size_t>(i)].measurements;
    int times = measurements == 0 ? 1 : enough_to_lead;
    if (needed > 0) times = std::min(times, static_cast<int>(std::max(0.0, budget) / needed));
    if (budget < 0) times = 0;
    if (times == 0) least_needed = std::min(least_needed, needed);
    measure(i, times);
    budget -= times * needed;
  }
  if (window_.measured.size() > 2) {
    measure(best_, 2);
    // The agreement, too, costs its share at most; that of long calls is over with the next one.
    const double others = std::max(1.0, agreement_ / (share * usual));
    const auto measured = static_cast<double>(window_.measured.size());
    const double calls = std::max(static_cast<double>(calls_) / 2, measured + others);
    window_.calls = static_cast<int>(std::min<double>(calls, longest_window));
    return;
  }
  // Until that much may be spent.
  window_.measured.clear();
  window_.calls = bounded((least_needed - budget) / (share * usual));
}

void Learner::plan_to_watch(double budget) {
  measure(best_, 2);
  const double usual = median(best_);
  const int other = runner_up();
  if (other >= 0 && 2 * std::max(0.0, expected(other) - usual) <= budget) measure(other, 1);
  measure(best_, 1);
  window_.calls = bounded(std::min(static_cast<double>(calls_),
                                   std::max<double>(least_watched, watched_after / usual)));
}

void Learner::measure(int candidate, int times) {
  for (int i = 0; i < times; ++i) {
    if (window_.measured.size() + 2 > most_measured) return;
    window_.measured.insert(window_.measured.end(), 2, candidate);
  }
}

// The best of the others; -1: there is none that was measured.
int Learner::runner_up() const {
  int found = -1;
  for (int i = 0; i < static_cast<int>(candidates_.size()); ++i) {
    if (i == best_ || candidates_[static_cast<std::size_t>(i)].last.empty()) continue;
    if (found < 0 || median(i) < median(found)) found = i;
  }
  return found;
}

}  // namespace roundelay::choose
