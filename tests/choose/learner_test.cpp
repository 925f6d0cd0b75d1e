// SPDX-License-Identifier: Apache-2.0
// What is learned from calls whose times are made up.
#include "choose/learner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <vector>

namespace roundelay::choose {
namespace {

using Times = std::vector<double>;  // of a call with each candidate, in seconds

// The MPI library's own has no price.
int native_of(const Times& prices) {
  return static_cast<int>(std::ranges::find(prices, 0.0) - prices.begin());
}

// Calls of a program whose times are known.
class Program {
 public:
  Program(const Times& prices, Times times, double noise = 0, double share = Learner::usual_share)
      : learner(prices, native_of(prices), 0, share), times_(std::move(times)), noise_(noise) {}

  void make_calls(int calls) {
    const int until = made_ + calls;
    while (made_ < until) {
      const auto& measured = learner.window().measured;
      const bool measures = measured_.size() < measured.size();
      const int candidate = measures ? measured[measured_.size()].candidate : learner.best();
      const double time = time_of(candidate);
      if (measures) note(measured[measured_.size()].calls, time);
      total += time;
      ++made_;
      if (++in_window_ < learner.window().calls) continue;
      EXPECT_EQ(measured_.size(), measured.size());
      const bool agrees = !measured_.empty();
      if (agrees) total += agreement;
      learner.learn(measured_, agrees ? agreement : 0);
      measured_.clear();
      in_window_ = 0;
    }
  }
  void finish_window() {
    do {
      make_calls(1);
    } while (in_window_ > 0);
  }
  void change(Times times) { times_ = std::move(times); }
  // From now on calls are faster or slower for a while, and each differs from the next.
  void disturb(double by, unsigned seed) {
    disturbance_ = by;
    random_.seed(seed);
  }

  Learner learner;
  double total = 0;
  double agreement = 1e-6;

 private:
  // Now and then a call takes ten times as long, as on a machine that others use.
  double time_of(int candidate) {
    std::uniform_real_distribution<double> uniform(0, 1);
    const double usual = times_[static_cast<std::size_t>(candidate)] * disturbance();
    if (noise_ == 0) return usual;
    const double hiccup = uniform(random_) < 0.02 ? 10 : 1;
    return usual * (1 + noise_ * uniform(random_)) * hiccup;
  }

  double disturbance() {
    if (disturbance_ == 0) return 1;
    constexpr double lasts = 0.95;  // of a call, at the next one
    std::normal_distribution<double> normal(0, 0.7 * disturbance_);
    lasting_ = lasts * lasting_ + std::sqrt(1 - lasts * lasts) * normal(random_);
    return std::exp(lasting_ + normal(random_));
  }

  // A call of a measurement.
  void note(int calls, double time) {
    (of_measurement_ == 0 ? now_.first : now_.counted) += time;
    if (of_measurement_ > 0) longest_ = std::max(longest_, time);
    if (++of_measurement_ < calls) return;
    if (calls > 2) now_.counted -= longest_;
    measured_.push_back(now_);
    now_ = {};
    longest_ = 0;
    of_measurement_ = 0;
  }

  Times times_;
  double noise_;
  double disturbance_ = 0;
  double lasting_ = 0;
  std::mt19937 random_{1};  // NOLINT(bugprone-random-generator-seed): the same each time
  int made_ = 0;
  int in_window_ = 0;
  std::vector<Learner::Times> measured_;
  Learner::Times now_;  // of the measurement that is being made
  double longest_ = 0;
  int of_measurement_ = 0;
};

TEST(Learner, FindsTheFastest) {
  Program program({1e-4, 0, 1.2e-4, 1.5e-4}, {1e-4, 2e-4, 5e-5, 9e-5});
  program.make_calls(1000);
  EXPECT_EQ(program.learner.best(), 2);
  program.make_calls(4000);
  EXPECT_TRUE(program.learner.settled());
  EXPECT_DOUBLE_EQ(program.learner.median(2), 5e-5);
}

// Half of the calls of a run at the most are slower than native.
TEST(Learner, LeavesABadFirstChoiceSoon) {
  Program program({1e-4, 0}, {4e-4, 1e-4});
  program.make_calls(48);
  EXPECT_EQ(program.learner.best(), 1);
}

// Of 8 calls and 13 to compare with 3 others; the agreement on them waits for nothing.
TEST(Learner, TakesWhatIsFarFasterAtItsFirstMeasurement) {
  Program program({0, 6e-2, 8e-2, 1e-1}, {5e-1, 8e-2, 7e-2, 1e-1});
  program.agreement = 1e-3;
  program.make_calls(21);
  EXPECT_EQ(program.learner.best(), 2);
}

// Of a single short call, which says little.
TEST(Learner, MeasuresAgainWhatTookTheLeadByASingleShortCall) {
  Program program({2e-5, 9e-6, 9e-6}, {2.4e-6, 1e-6, 7e-7});
  program.agreement = 2e-4;
  while (!program.learner.has_compared()) program.make_calls(1);
  ASSERT_EQ(program.learner.best(), 2);
  program.change({2.4e-6, 1e-6, 1.5e-5});
  program.make_calls(500);
  EXPECT_NE(program.learner.best(), 2);
  program.make_calls(5000);
  EXPECT_EQ(program.learner.best(), 1);
}

// Most measurements of the first guess are unlucky, and those of the other are not.
void learn_by_chance(Learner& learner, double of_second) {
  std::vector<Learner::Times> times;
  for (const Learner::Measurement& one : learner.window().measured) {
    const double of_first = times.empty() ? 1e-4 : 1.3e-4;
    times.push_back({1e-4, one.counted() * (one.candidate == 0 ? of_first : of_second)});
  }
  learner.learn(times, 1e-6);
}

TEST(Learner, KeepsTheFirstGuessThatIsSlowerByChance) {
  Learner learner({0, 1e-4}, 0);
  while (!learner.has_compared()) learn_by_chance(learner, 1.15e-4);
  ASSERT_DOUBLE_EQ(learner.median(0), 1.3e-4);
  EXPECT_EQ(learner.best(), 0);
  for (int i = 0; i < 20; ++i) learn_by_chance(learner, 5e-5);
  EXPECT_EQ(learner.best(), 1);
}

TEST(Learner, ButNotBesideTheMpiLibrarysOwn) {
  Learner learner({1e-4, 0}, 1);
  while (!learner.has_compared()) learn_by_chance(learner, 1.15e-4);
  ASSERT_DOUBLE_EQ(learner.median(0), 1.3e-4);
  EXPECT_EQ(learner.best(), 1);
}

TEST(Learner, SpendsNoMoreThanItsShare) {
  const Times prices{1e-4, 0, 1.1e-4, 1.3e-4, 1.7e-4, 2e-4};
  const std::vector<Times> cases{{1e-4, 1e-4, 1.1e-4, 1.3e-4, 1.7e-4, 2e-4},
                                 {1e-4, 1.5e-4, 1.5e-4, 1.5e-4, 1.5e-4, 1.5e-4},
                                 {1e-4, 1.04e-4, 9e-4, 8e-4, 3e-4, 2e-4}};
  for (const Times& times : cases) {
    Program program(prices, times);
    program.make_calls(5000);
    const double least = *std::ranges::min_element(times);
    EXPECT_LE(program.total, (1 + Learner::usual_share) * 5000 * times[0]);
    EXPECT_LE(program.learner.spent(), Learner::usual_share * program.learner.total());
    EXPECT_LE(times[static_cast<std::size_t>(program.learner.best())], 1.05 * least);
    constexpr double small = 0.01;
    Program careful(prices, times, 0, small);
    careful.make_calls(5000);
    EXPECT_LE(careful.learner.spent(), small * careful.learner.total());
    EXPECT_LE(times[static_cast<std::size_t>(careful.learner.best())], 1.05 * times[0]);
  }
}

// What is expensive to measure does not delay what is not.
TEST(Learner, DoesNotWaitForTheMostExpensive) {
  Program program({1e-4, 6e-3, 5e-5}, {1e-4, 1e-2, 5e-5});
  program.agreement = 1e-4;
  program.make_calls(300);
  EXPECT_EQ(program.learner.best(), 2);
}

// What a candidate takes more than its price is spent once.
TEST(Learner, DropsWhatIsBadAtTheFirstMeasurement) {
  Program program({1e-4, 0, 1e-4}, {1e-4, 5e-3, 2e-3});
  program.make_calls(5000);
  EXPECT_EQ(program.learner.best(), 0);
  EXPECT_LE(program.learner.spent(), 2 * 5e-3 + 2 * 2e-3 + Learner::usual_share * 5000 * 1e-4);
}

TEST(Learner, MeasuresNothingElseWithinAMillisecond) {
  Program program({1e-6, 0, 1e-6}, {1e-6, 1e-7, 1e-7});
  program.make_calls(900);
  EXPECT_FALSE(program.learner.has_compared());
  program.make_calls(2000);
  EXPECT_EQ(program.learner.best(), 1);
}

TEST(Learner, CountsTheCallsBefore) {
  Learner learner({1e-6, 0}, 1, 1000);
  const int calls = learner.window().calls;
  learner.learn(std::vector<Learner::Times>{{1e-6, 1e-6}, {1e-6, 1e-6}}, 0);
  EXPECT_DOUBLE_EQ(learner.total(), (1000 + calls) * 1e-6);
}

// The first two are compared before, and what was measured of them counts.
TEST(Learner, ComparesWhatIsFoundLater) {
  Program program({0, 0}, {2e-4, 1e-4, 5e-5, 3e-4});
  program.make_calls(300);
  ASSERT_EQ(program.learner.best(), 1);
  program.finish_window();
  const double seconds = program.learner.median(1);
  program.learner.add({2e-4, 0, 1e-4, 1.5e-4}, 1e-6);
  EXPECT_EQ(program.learner.best(), 1);
  EXPECT_DOUBLE_EQ(program.learner.median(1), seconds);
  EXPECT_FALSE(program.learner.settled());
  program.make_calls(2000);
  EXPECT_EQ(program.learner.best(), 2);
}

TEST(Learner, WaitsWithOneCandidateUntilThereAreMore) {
  Program program({0}, {1e-4, 5e-5});
  program.make_calls(5000);
  EXPECT_FALSE(program.learner.settled());
  EXPECT_LE(program.learner.spent(), 2 * program.agreement);
  program.learner.end_window_after(20);
  EXPECT_EQ(program.learner.window().calls, 20);
  program.learner.add({0, 1e-4}, 0);
  EXPECT_FALSE(program.learner.window().measured.empty());
}

// The ranks agree on what it took; then nothing else is measured until that is within the share.
TEST(Learner, PaysForASearch) {
  Program program({0}, {1e-4, 9e-5});
  program.make_calls(8);
  program.finish_window();
  program.learner.add({0, 1e-4}, 5e-3);
  for (const auto& one : program.learner.window().measured) EXPECT_EQ(one.candidate, 0);
  program.agreement = 5e-3;
  program.finish_window();
  EXPECT_FALSE(program.learner.has_compared());
  EXPECT_TRUE(program.learner.window().measured.empty());
  const double seconds = program.learner.total() + 1e-4 * program.learner.window().calls;
  EXPECT_NEAR(Learner::usual_share * seconds, program.agreement, 0.1 * program.agreement);
}

TEST(Learner, SettlesWhereAllOthersWereDropped) {
  Program program({1e-4, 0}, {1e-4, 5e-3});
  program.make_calls(5000);
  EXPECT_TRUE(program.learner.settled());
}

TEST(Learner, NoticesAChange) {
  Program program({1e-4, 0}, {1e-4, 2e-4});
  program.make_calls(5000);
  ASSERT_EQ(program.learner.best(), 0);
  program.change({8e-4, 2e-4});
  program.make_calls(30000);
  EXPECT_EQ(program.learner.best(), 1);
}

// What was measured of others before says nothing: here all take long at first.
TEST(Learner, NoticesAChangeWhileItCompares) {
  Program program({0, 1e-4}, {4e-3, 3e-3});
  while (program.learner.best() == 0) program.make_calls(1);
  ASSERT_FALSE(program.learner.settled());
  program.change({7e-4, 1.3e-3});
  program.make_calls(200);
  EXPECT_EQ(program.learner.best(), 0);
}

TEST(Learner, IsNotMisledByNoise) {
  for (const double fast : {0.6, 0.8, 0.9}) {
    Program program({1e-4, 0, 1e-4, 1.5e-4}, {1e-4, 1.3e-4, fast * 1e-4, 1.5e-4}, 0.2);
    program.make_calls(20000);
    EXPECT_EQ(program.learner.best(), 2) << fast;
    EXPECT_LE(program.learner.spent(), 2 * Learner::usual_share * program.learner.total());
  }
}

// Where all calls are slower for a while, a candidate that was measured in a good moment is not
// better than native. In most of 100 programs that is seen.
TEST(Learner, IsNotMisledByNoiseThatLasts) {
  const auto best_of = [](const Times& times, unsigned seed) {
    Program program({0, 1.1e-4, 1.2e-4, 1.3e-4, 1.4e-4}, times);
    program.disturb(0.4, seed);
    program.make_calls(6000);
    return program.learner.best();
  };
  int worse = 0;
  int faster = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    if (best_of({1e-4, 1.2e-4, 1.1e-4, 1.3e-4, 1.25e-4}, seed) != 0) ++worse;
    if (best_of({1e-4, 1.1e-4, 6e-5, 1.2e-4, 1e-4}, seed) == 2) ++faster;
  }
  EXPECT_LE(worse, 15);
  EXPECT_GE(faster, 95);
}

// A single call is no measure of a short one: at the first look each takes ten times as long.
TEST(Learner, MeasuresShortCallsInARow) {
  Program program({1e-5, 0, 1e-5}, {1e-5, 6e-6, 1.2e-5}, 4);
  program.make_calls(20000);
  EXPECT_EQ(program.learner.best(), 1);
}

TEST(Learner, GoesOnWhereNothingCouldBeMeasured) {
  Learner learner({1e-4, 0}, 1);
  for (int i = 0; i < 10; ++i) {
    const std::vector<Learner::Times> nothing(learner.window().measured.size());
    learner.learn(nothing, 1e-6);
    EXPECT_GT(learner.window().calls, 0);
    EXPECT_EQ(learner.best(), 0);
  }
}

}  // namespace
}  // namespace roundelay::choose
