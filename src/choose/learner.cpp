// SPDX-License-Identifier: Apache-2.0
#include "choose/learner.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace roundelay::choose {

namespace {

// Times that differ by a smaller share are alike.
constexpr double share_of_alike = 0.05;
// What takes more than so many times as long as the best is bad: one measurement drops it.
constexpr double times_of_bad = 2;
// Before so many measurements, nothing else drops a candidate, and nothing is settled.
constexpr int measurements_to_judge = 5;
// A candidate needs so many counted calls to lead, unless the leader is bad beside it.
constexpr int calls_to_lead = 3;
// So many that are all faster do not come about by chance.
constexpr int measurements_to_lead = 3;
// Medians are of so many measurements.
constexpr std::size_t measurements_of_median = 15;
// Two of them differ by chance if they differ by fewer standard errors.
constexpr double errors_of_chance = 2;
// A call may take so many times as long as the model says.
constexpr double times_of_model = 1.5;
// From which factor on the best candidate's time has changed, if so many measurements say so.
constexpr double times_of_change = 1.5;
constexpr std::size_t measurements_of_change = 2;
// Seconds of the calls that count in a measurement, together, and how many they are at most. Ranks
// begin and end such a row at different times: beside this it has to be long.
constexpr double seconds_of_row = 4e-3;
constexpr int most_calls_of_row = 32;
// So many say enough of what seems bad.
constexpr int calls_of_bad_row = 3;
// Calls of a window.
constexpr int calls_of_first_window = 8;
constexpr int least_calls_of_window = 16;
constexpr int most_calls_of_window = 1 << 20;
// How often the best candidate is watched.
constexpr double seconds_between_watches = 1;
constexpr int least_calls_between_watches = 256;

// Of a list that is not empty.
double quantile(std::vector<double> values, double which) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(which * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Of a call that counted in a measurement; 0: nobody knows.
double seconds_of(const Learner::Measurement& measurement, const Learner::Times& times) {
  return times.counted / measurement.counted();
}

// Squared, as far as the quartiles tell. For n values of a normal distribution this error is 1.25
// standard deviations over the root of n, and the quartiles are 1.35 deviations apart.
double squared_error_of_median(const std::vector<double>& values) {
  const double error = 1.25 / 1.35 * (quantile(values, 0.75) - quantile(values, 0.25));
  return error * error / static_cast<double>(values.size());
}

// Whether the median is, and not by chance alone.
bool is_clearly_less(const std::vector<double>& one, const std::vector<double>& other) {
  const double error = std::sqrt(squared_error_of_median(one) + squared_error_of_median(other));
  return quantile(one, 0.5) + errors_of_chance * error < quantile(other, 0.5);
}

int bounded(double calls) {
  return static_cast<int>(std::clamp(calls, static_cast<double>(least_calls_of_window),
                                     static_cast<double>(most_calls_of_window)));
}

}  // namespace

Learner::Learner(const std::vector<double>& prices, int native, std::int64_t calls_before,
                 double share)
    : native_(native), share_(share), calls_before_(calls_before) {
  for (const double price : prices) candidates_.push_back({.price = price});
  window_.calls = static_cast<int>(
      std::clamp<std::int64_t>(calls_before, calls_of_first_window, least_calls_of_window));
  measure(0, 2);
}

void Learner::add(const std::vector<double>& prices, double search) {
  candidates_.resize(prices.size());
  for (std::size_t i = 0; i < prices.size(); ++i) candidates_[i].price = prices[i];
  settled_ = false;
  if (calls_ == 0) return;
  search_ = search;
  plan();
  if (!window_.measured.empty() || search == 0) return;
  measure(best_, 2);  // so that the ranks agree on how long it took
  window_.calls = least_calls();
}

void Learner::end_window_after(double calls) {
  window_.calls = std::min(window_.calls, std::max(least_calls(), bounded(calls)));
}

void Learner::learn(std::span<const Times> times, double agreement) {
  if (search_ == 0) agreement_ = agreement;
  if (agreement > 0) search_ = 0;
  double excess = agreement;
  const int best = best_;  // judge() may take another
  const std::size_t count = std::min(times.size(), window_.measured.size());
  if (has_changed(times.first(count))) forget();
  for (std::size_t i = 0; i < count; ++i) {
    const Measurement& one = window_.measured[i];
    if (const double seconds = seconds_of(one, times[i]); seconds > 0) take(one, seconds);
  }
  const double usual = median(best);
  for (std::size_t i = 0; i < count; ++i) {
    const Measurement& one = window_.measured[i];
    if (one.candidate == best) continue;
    excess += std::max(0.0, times[i].first - usual);
    excess += (one.calls - 1) * std::max(0.0, seconds_of(one, times[i]) - usual);
  }
  calls_ += window_.calls;
  total_ += usual * window_.calls + excess;
  if (usual > 0) total_ += usual * static_cast<double>(std::exchange(calls_before_, 0));
  spent_ += excess;
  judge();
  plan();
}

bool Learner::has_compared() const noexcept {
  return std::any_of(candidates_.begin() + 1, candidates_.end(),
                     [](const Candidate& one) { return one.measurements > 0; });
}

double Learner::median(int candidate) const {
  const Candidate& one = candidates_[static_cast<std::size_t>(candidate)];
  return one.last.empty() ? one.looked : quantile(one.last, 0.5);
}

// A single short call of a new candidate only says how many calls its next measurement needs,
// unless the best candidate takes more than `times_of_bad` times as long.
void Learner::take(const Measurement& measurement, double seconds) {
  Candidate& one = candidates_[static_cast<std::size_t>(measurement.candidate)];
  const int calls = measurement.counted();
  if (one.last.empty() && calls == 1 && 2 * seconds < seconds_of_row &&
      times_of_bad * seconds >= median(best_)) {
    one.looked = seconds;
    return;
  }
  ++one.measurements;
  one.calls += calls;
  if (one.last.size() == measurements_of_median) one.last.erase(one.last.begin());
  one.last.push_back(seconds);
}

// Whether what was measured of it until now may make it the best one, and not by chance: all of few
// measurements are faster than all of the best one, of some than its median, and of many the median
// is. The MPI library's own does not have to show so much: nobody is slower because of Roundelay
// while it runs.
bool Learner::may_lead(int candidate) const {
  const Candidate& one = candidates_[static_cast<std::size_t>(candidate)];
  const Candidate& best = leader();
  if (one.measurements == 0) return false;
  if (best.last.empty()) return true;
  if (one.measurements >= measurements_to_judge) {
    return candidate == native_ || is_clearly_less(one.last, best.last);
  }
  if (times_of_bad * median(candidate) < std::ranges::min(best.last)) return true;
  if (one.calls < calls_to_lead) return false;
  if (candidate == native_) return true;
  const bool few = one.measurements < measurements_to_lead;
  const double best_took = few ? std::ranges::min(best.last) : median(best_);
  return std::ranges::max(one.last) < (1 - share_of_alike) * best_took;
}

// Who leads, who is dropped, and whether that is all.
void Learner::judge() {
  const int count = static_cast<int>(candidates_.size());
  const double before = median(best_);
  int faster = best_;
  for (int i = 0; i < count; ++i) {
    if (may_lead(i) && median(i) < median(faster)) faster = i;
  }
  // What is alike is not worth a change, which chance would often undo.
  if (median(faster) < (1 - share_of_alike) * before) best_ = faster;
  const double least = median(best_);
  if (least <= 0) return;
  bool all_known = true;
  for (int i = 0; i < count; ++i) {
    Candidate& one = candidates_[static_cast<std::size_t>(i)];
    if (i == best_) {
      one.dropped = false;
      all_known = all_known && one.measurements >= measurements_to_judge;
      continue;
    }
    // A single measurement is judged again when the best is known better.
    if (one.dropped && one.measurements != 1) continue;
    one.dropped = (one.measurements == 1 && one.last.front() > times_of_bad * least) ||
                  (one.measurements >= measurements_to_judge && quantile(one.last, 0.25) > least);
    all_known = all_known && (one.dropped || (one.measurements >= measurements_to_judge &&
                                              median(i) <= (1 + share_of_alike) * least));
  }
  if (all_known && !settled_) settled_median_ = least;
  settled_ = all_known;
}

// Whether all measurements of the best candidate in the window say that its time has changed.
bool Learner::has_changed(std::span<const Times> times) const {
  if (leader().measurements < measurements_to_lead) return false;
  const double before = settled_ ? settled_median_ : median(best_);
  std::vector<double> now;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Measurement& one = window_.measured[i];
    if (one.candidate != best_) continue;
    if (const double seconds = seconds_of(one, times[i]); seconds > 0) now.push_back(seconds);
  }
  if (now.size() < measurements_of_change) return false;
  const auto [least, most] = std::ranges::minmax(now);
  return least > times_of_change * before || times_of_change * most < before;
}

// What was measured before a change: it says nothing about what candidates take now.
void Learner::forget() {
  for (Candidate& one : candidates_) one = {.price = one.price};
}

void Learner::plan() {
  window_.measured.clear();
  const double usual = median(best_);
  if (usual <= 0) {  // nothing was measured
    measure(best_, 2);
    window_.calls = bounded(static_cast<double>(calls_));
    return;
  }
  if (total_ < least_total) {
    window_.calls = bounded((least_total - total_) / usual);
    return;
  }
  const double budget = share_ * total_ - spent_ - agreement_ - search_;
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
  if (median(candidate) > 0) return median(candidate);
  if (one.price <= 0) return median(best_);
  const double known = candidates_.front().price;
  const double scale = known > 0 && median(0) > 0 ? median(0) / known : 1;
  return times_of_model * scale * one.price;
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
      return std::min(candidates_[static_cast<std::size_t>(i)].measurements, measurements_to_judge);
    };
    return std::tuple(seen(a), expected(a), a) < std::tuple(seen(b), expected(b), b);
  };
  std::ranges::sort(order, before);
  measure(best_, 1);
  double least_needed = std::numeric_limits<double>::infinity();
  for (const int i : order) {
    const double needed = excess_of_measurement(i);
    const int measurements = candidates_[static_cast<std::size_t>(i)].measurements;
    int times = measurements == 0 ? 1 : measurements_to_lead;
    if (needed > 0) times = std::min(times, static_cast<int>(std::max(0.0, budget) / needed));
    if (budget < 0) times = 0;
    if (times == 0) least_needed = std::min(least_needed, needed);
    measure(i, times);
    budget -= times * needed;
  }
  const bool soon = leads_by_chance();
  // The first calls of a communicator may be slow ones, and later the best may change.
  const bool goes_on = order.empty() && (candidates_.size() > 1 || leader().calls < calls_to_lead);
  if (soon || goes_on || window_.measured.size() > 1) {
    measure(best_, 2);
    // The agreement, too, costs its share at most; that of long calls is over with the next one.
    const double others = std::max(1.0, agreement_ / (share_ * usual));
    const double measured = calls_measured();
    const double calls = std::max(static_cast<double>(calls_) / 2, measured + others);
    window_.calls =
        static_cast<int>(std::min<double>(soon ? 2 * measured : calls, most_calls_of_window));
    return;
  }
  // Until that much may be spent.
  window_.measured.clear();
  window_.calls = bounded((least_needed - budget) / (share_ * usual));
}

// It may have taken the lead by few measurements. Then it is measured again soon, whatever the
// agreement costs: all calls until then run it.
bool Learner::leads_by_chance() const {
  return best_ != 0 && best_ != native_ && leader().measurements < measurements_to_lead;
}

void Learner::plan_to_watch(double budget) {
  measure(best_, 2);
  const double usual = median(best_);
  const int other = runner_up();
  if (other >= 0 && excess_of_measurement(other) <= budget) measure(other, 1);
  measure(best_, 1);
  const double calls = bounded(
      std::min(static_cast<double>(calls_),
               std::max<double>(least_calls_between_watches, seconds_between_watches / usual)));
  window_.calls = std::max(static_cast<int>(calls), least_calls());
}

void Learner::measure(int candidate, int times) {
  for (int i = 0; i < times && window_.measured.size() < most_measurements; ++i) {
    window_.measured.push_back({candidate, calls_of_measurement(candidate)});
  }
}

// Of the window: after those that are measured the ranks agree.
int Learner::least_calls() const { return std::max(2 * calls_measured(), least_calls_of_window); }

int Learner::calls_measured() const {
  return std::transform_reduce(window_.measured.begin(), window_.measured.end(), 0, std::plus(),
                               [](const Measurement& one) { return one.calls; });
}

// What nobody has seen yet may take long: of that one call.
int Learner::calls_of_measurement(int candidate) const {
  const double seconds = median(candidate);
  if (seconds <= 0) return 2;
  const double most = seconds > times_of_bad * median(best_) ? calls_of_bad_row : most_calls_of_row;
  const int counted = static_cast<int>(std::clamp(std::ceil(seconds_of_row / seconds), 1.0, most));
  return counted == 1 ? 2 : counted + 2;
}

// Seconds that a measurement takes longer than the same calls with the best.
double Learner::excess_of_measurement(int candidate) const {
  return calls_of_measurement(candidate) * std::max(0.0, expected(candidate) - median(best_));
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
