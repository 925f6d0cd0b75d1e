// SPDX-License-Identifier: Apache-2.0
#include "preload/learning.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "algorithms/agreement.hpp"
#include "choose/calls_before_learning.hpp"
#include "mpi/pending.hpp"

namespace roundelay::preload {

namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();

// If no rank can leave before the last one arrives, and each rank has a core, the shortest time
// counts, because the last rank does not wait. Otherwise the longest counts.
bool last_rank_counts(const Facts& facts) {
  return waits_for_all(facts.collective) && !facts.oversubscribed;
}

// Where ranks do not share the length of a call, all calls are of one decision. Then a comparison
// says something only as long as each rank's calls are about as long, or short.
constexpr std::uint64_t short_bytes = 1024;

bool has_any_length(const Facts& calls) {
  return calls.bytes == 0 && calls.collective != Collective::barrier;
}

std::int64_t nanoseconds(std::uint64_t of_ticks) {
  return static_cast<std::int64_t>(1e9 * seconds_per_tick() * static_cast<double>(of_ticks));
}

// 0: no rank knows.
double agreed_seconds(std::int64_t agreed) {
  return agreed == unknown ? 0 : 1e-9 * static_cast<double>(agreed < 0 ? -agreed : agreed);
}

std::vector<double> prices_of(const std::vector<choose::Candidate>& candidates) {
  std::vector<double> prices;
  for (const choose::Candidate& candidate : candidates) prices.push_back(candidate.seconds);
  return prices;
}

// An agreement lasts so many calls of its communicator at most, however rare its own calls are.
// While an agreement is in progress, other short messages cannot take the fast path.
constexpr std::int64_t calls_of_agreement = 16;

}  // namespace

Learning::Learning(Communicator& comm, const Policy& policy, const Facts& call, Lengths lengths,
                   Decision& first, Attention& attention)
    : comm_(comm),
      policy_(policy),
      call_(policy.complete(call)),
      lengths_(lengths),
      first_(first),
      attention_(attention),
      calls_before_(choose::calls_before_learning(call_, policy.machine())),
      calls_left_(calls_before_ + 1),
      now_(&first) {}

Decision& Learning::go_on() {
  const std::uint64_t start = ticks();
  Decision& next = next_decision();
  add_setup(ticks() - start);
  return next;
}

Decision& Learning::next_decision() {
  if (!learner_ && !begin()) return first_;
  const Window& window = learner_->window();
  if (of_measurement_ > 0) note_time();
  if (position_ == window.calls && !learn()) return first_;
  if (measurement_ < window.measured.size()) {
    now_ = &measured(window.measured[measurement_].candidate);
    now_->tally.time_next();
    ticks_before_ = now_->tally.ticks;
    timed_before_ = now_->tally.timed_calls;
    calls_left_ = 1;
    ++of_measurement_;
    ++position_;
  } else {
    now_ = &best();
    const std::int64_t others = learner_->window().calls - position_;
    calls_left_ = is_agreed() ? others : 1;
    position_ += static_cast<int>(calls_left_);
  }
  return *now_;
}

// Whether there is anything to learn.
bool Learning::begin() {
  const bool native_is_first = first_.plan.way == Plan::Way::native;
  candidates_ = policy_.candidates_at_once(call_);
  learner_.emplace(prices_of(candidates_), native_is_first ? 0 : 1, calls_before_,
                   choose::share_of_learning(call_, policy_.machine(), native_is_first));
  measured_.resize(candidates_.size());
  best_.resize(candidates_.size());
  const bool may_wait = !has_any_length(call_) && choose::search_may_wait(call_, policy_.machine());
  return may_wait || search();
}

// For all candidates. Whether there are two.
bool Learning::search() {
  has_searched_ = true;
  const std::uint64_t start = ticks();
  candidates_ = policy_.candidates(call_);
  ticks_of_search_ = ticks() - start;
  note_search(static_cast<std::uint64_t>(nanoseconds(ticks_of_search_)));
  ticks_of_agreement_ += ticks_of_search_;  // the budget pays for it, too
  if (candidates_.size() == 1) return end();
  first_.expected_seconds = candidates_.front().seconds;
  learner_->add(prices_of(candidates_), all_remember_ ? 0 : attention_.search);
  measured_.resize(candidates_.size());
  best_before_search_ = std::exchange(best_, {});  // their reason was another one
  best_.resize(candidates_.size());
  return true;
}

// Before a window. Whether there is anything more to learn.
bool Learning::search_if_it_is_time() {
  const double seconds = learner_->median(learner_->best());
  if (has_searched_ || seconds <= 0) return true;
  if (all_remember_) return search();
  const double left =
      choose::seconds_before_search(call_, policy_.machine(), seconds, attention_.search) -
      learner_->total();
  if (left <= 0) return search();
  learner_->end_window_after(left / seconds);
  return true;
}

bool Learning::end() {
  first_.learning = nullptr;
  return false;
}

// Looks after the agreement under way. Whether there is none any more.
bool Learning::is_agreed() { return !agreement_ || mpi::progress(comm_, *agreement_); }

// Of the call before this one.
void Learning::note_time() {
  const auto& measured = learner_->window().measured;
  const Tally& tally = now_->tally;
  std::int64_t& of_first = agreed_.at(2 * measurement_);
  std::int64_t& counted = agreed_.at(2 * measurement_ + 1);
  const std::int64_t its =
      tally.timed_calls > timed_before_ ? nanoseconds(tally.ticks - ticks_before_) : unknown;
  if (of_measurement_ == 1) {
    of_first = its;
    counted = longest_ = 0;
  } else {
    counted = its == unknown || counted == unknown ? unknown : counted + its;
    longest_ = std::max(longest_, its);
  }
  const int calls = measured[measurement_].calls;
  if (of_measurement_ < calls) return;
  if (calls > 2 && counted != unknown) counted -= longest_;
  of_measurement_ = 0;
  if (++measurement_ == measured.size()) start_agreement();
}

// The least of all ranks is what they agree on, so that times of which the most counts are
// negative.
void Learning::negate_where_most_counts(std::size_t times) {
  if (last_rank_counts(call_)) return;
  for (std::size_t i = 0; i < times; ++i) {
    if (agreed_.at(i) != unknown) agreed_.at(i) = -agreed_.at(i);
  }
}

void Learning::start_agreement() {
  const std::uint64_t start = ticks();
  const std::size_t count = 2 * measurement_;
  negate_where_most_counts(count);
  // The shortest time counts here, too: the last rank to arrive did not wait.
  agreed_.at(count) = nanoseconds(std::exchange(ticks_of_agreement_, 0));
  // But they have to wait for the rank whose search takes longest.
  agreed_.at(count + 1) = -nanoseconds(std::exchange(ticks_of_search_, 0));
  agreed_.at(count + 2) = calls_are_alike() ? 1 : 0;
  agreed_.at(count + 3) = has_searched_ || policy_.remembers_candidates(call_) ? 1 : 0;
  agree_on(count + 4);
  ticks_of_agreement_ += ticks() - start;
}

// On so many, in the background.
void Learning::agree_on(std::size_t numbers) {
  const Buffer in_place{MPI_IN_PLACE, static_cast<std::int64_t>(numbers), &describe(MPI_INT64_T)};
  if (!plan_of_agreement_) plan_of_agreement_.emplace(agreement());
  agreement_.emplace(begin_allreduce(*plan_of_agreement_, comm_, in_place, agreed_.data(),
                                     {MPI_MIN, in_place.type, true}));
  comm_.tags().beside_next();
  mpi::progress(comm_, *agreement_);
  comm_.tags().take_none_next();  // there may have been no memory for the call
  attention_.within(calls_of_agreement);
}

// Besides the first one.
template <typename Visit>
void Learning::for_each_made(const Visit& visit) const {
  for (const auto* list : {&measured_, &best_, &best_before_search_}) {
    for (const auto& decision : *list) {
      if (decision != nullptr) visit(*decision);
    }
  }
}

// On this rank, all that were made.
bool Learning::calls_are_alike() const {
  if (!has_any_length(call_)) return true;
  Tally all = first_.tally;
  for_each_made([&](const Decision& one) { all.add(one.tally); });
  return all.most_bytes <= std::max(2 * all.least_bytes, short_bytes);
}

// Whether there is anything more to learn; then all ranks go on alike.
bool Learning::learn() {
  std::vector<choose::Learner::Times> times;
  double agreement = 0;
  if (const std::size_t count = 2 * learner_->window().measured.size(); count > 0) {
    finish();
    for (std::size_t i = 0; i < count; i += 2) {
      times.push_back({agreed_seconds(agreed_.at(i)), agreed_seconds(agreed_.at(i + 1))});
    }
    agreement = agreed_seconds(agreed_.at(count));
    attention_.search = std::max(attention_.search, agreed_seconds(agreed_.at(count + 1)));
    if (agreed_.at(count + 2) == 0) return end();
    all_remember_ = agreed_.at(count + 3) == 1;
  }
  learner_->learn(times, agreement);
  position_ = 0;
  measurement_ = 0;
  return search_if_it_is_time();
}

// An error that it returns is one of the communicator, which the program's calls will see, too.
void Learning::finish() {
  if (!agreement_) return;
  const std::uint64_t start = ticks();
  static_cast<void>(mpi::finish(comm_, *agreement_));
  agreement_.reset();
  ticks_of_agreement_ += ticks() - start;
}

// What runs anyway is no experiment.
Decision& Learning::measured(int candidate) {
  if (candidate == learner_->best()) return best();
  return made(measured_.at(static_cast<std::size_t>(candidate)), candidate, "learning: measured");
}

Decision& Learning::best() {
  if (learner_->best() == 0 && !(learner_->settled() && has_searched_)) return first_;
  return made(best_.at(static_cast<std::size_t>(learner_->best())), learner_->best(),
              "learned: fastest of " + std::to_string(candidates_.size()));
}

Decision& Learning::made(std::unique_ptr<Decision>& decision, int candidate,
                         const std::string& reason) {
  if (decision == nullptr) {
    const choose::Candidate& its = candidates_.at(static_cast<std::size_t>(candidate));
    decision = std::make_unique<Decision>(policy_.decision(call_, its.choice, reason));
    decision->expected_seconds = its.seconds;
  }
  return *decision;
}

void Learning::settle(bool is_rank_0) {
  for_each_made([&](Decision& one) { Policy::observe(one, is_rank_0); });
  if (!is_rank_0 || told_ || !learner_ || !learner_->has_compared()) return;
  told_ = true;
  const std::int64_t since = position_ - calls_left_;  // the last window began
  add_learned(
      {.collective = call_.collective,
       .algorithm = candidates_.at(static_cast<std::size_t>(learner_->best())).choice->text(),
       .least_bytes = lengths_.least,
       .most_bytes = lengths_.most,
       .commutative = call_.commutative,
       .predefined = call_.predefined,
       .even = call_.longest == 0,
       .ranks = call_.ranks,
       .nodes = call_.nodes,
       .ranks_per_node = call_.ranks_per_node,
       .seconds =
           learner_->total() + learner_->median(learner_->best()) * static_cast<double>(since),
       .spent = learner_->spent()});
}

}  // namespace roundelay::preload
