// SPDX-License-Identifier: Apache-2.0
// Flow over a network on which an adversary says what happens next: the counterpart, at run time,
// of what the verifier proves.
#include "mpi/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "choose/spelling.hpp"
#include "fake_network.hpp"
#include "interpret/call.hpp"
#include "interpret/cases.hpp"
#include "interpret/catalogue_cases.hpp"

namespace roundelay::mpi {
namespace {

using interpret::all_variants;
using interpret::Case;
using interpret::cases_of;
using interpret::RankRange;
using interpret::Run;
using interpret::Schedules;
using interpret::slow;
using interpret::test_name;

constexpr std::array adversaries{Adversary::random, Adversary::oldest_first,
                                 Adversary::newest_first, Adversary::sends_first,
                                 Adversary::receives_first};

// The map x -> a x + b of numbers below 2^32. To do one map after the other is associative, and not
// commutative.
Value map_of(Value a, Value b) { return (a & 0xffffffffU) << 32U | (b & 0xffffffffU); }
Value one_after_the_other(Value first, Value second) {
  const Value a = first >> 32U;
  const Value b = first & 0xffffffffU;
  const Value c = second >> 32U;
  const Value d = second & 0xffffffffU;
  return map_of(a * c, c * b + d);
}

// What a rank contributes to a unit of the message, or what that unit is.
Value contribution(int rank, Units unit, bool commutative) {
  const auto x = static_cast<Value>(1 + rank) * 2654435761U + static_cast<Value>(unit) * 40503U;
  return commutative ? x : map_of(2 * x + 1, x * x + 7);
}

// All ranks of one call, each with a flow.
class Job {
 public:
  Job(const interpret::Call& call, Adversary adversary, std::uint32_t seed)
      : call_(call), network(call.of().ranks(), adversary, seed) {
    const bool commutative = call.of().commutative;
    network.combine = commutative ? [](Value a, Value b) { return a + b; } : one_after_the_other;
    const Schedules schedules = call.schedules();
    for (int rank = 0; rank < call.of().ranks(); ++rank) {
      for (const Space space : {Space::input, Space::output, Space::scratch}) {
        network.memory(rank, space).resize(static_cast<std::size_t>(call.size(rank, space)));
      }
      fill(rank);
      ranks_.push_back(std::make_unique<Rank>(network, rank, schedules(rank)));
    }
  }

  // To the end of all ranks, or until nothing can happen any more. Returns whether all ended.
  bool run(Discipline discipline) {
    for (const auto& rank : ranks_) {
      const bool more = rank->schedule.next();
      rank->flow.begin(Rounds(rank->schedule), more, rank->transport, discipline);
      go_on(*rank);
    }
    for (int rank = network.happen(); rank >= 0; rank = network.happen()) {
      go_on(*ranks_[static_cast<std::size_t>(rank)]);
    }
    return std::ranges::all_of(ranks_, [](const auto& rank) { return rank->flow.over(); });
  }

  void expect_result() {
    for (int rank = 0; rank < call_.of().ranks(); ++rank) {
      const Slice wanted = call_.wanted(rank);
      if (wanted.empty()) continue;
      const std::vector<Value>& memory = network.memory(rank, wanted.space());
      for (const Run& run : call_.wanted_runs(rank)) {
        for (Units i = 0; i < run.length; ++i) {
          ASSERT_EQ(memory[static_cast<std::size_t>(run.offset + i)], result(rank, run.index + i))
              << "rank " << rank << ", unit " << run.offset + i;
        }
      }
    }
  }

  // What a call does after an error or an exception.
  void give_up() {
    for (const auto& rank : ranks_) {
      rank->transport.abandon();
      rank->flow.end();
      EXPECT_TRUE(rank->flow.over());
    }
  }

  // The same flows, for the same call once more.
  void begin_anew(Adversary adversary) {
    const Schedules schedules = call_.schedules();
    FakeNetwork other(call_.of().ranks(), adversary, 1);
    other.combine = network.combine;
    for (int rank = 0; rank < call_.of().ranks(); ++rank) {
      for (const Space space : {Space::input, Space::output, Space::scratch}) {
        other.memory(rank, space).resize(network.memory(rank, space).size());
      }
      ranks_[static_cast<std::size_t>(rank)]->schedule = schedules(rank);
    }
    network = std::move(other);
    for (int rank = 0; rank < call_.of().ranks(); ++rank) fill(rank);
  }

 private:
  struct Rank {
    Rank(FakeNetwork& network, int rank, Schedule its)
        : transport(network, rank), schedule(std::move(its)), flow(Channel::first) {}
    FakeTransport transport;
    Schedule schedule;
    Flow flow;
    std::vector<TransferUnderWay*> awaited;
  };

  void fill(int rank) {
    const Space space = call_.given(rank).space();
    for (const Run& run : call_.given_runs(rank)) {
      for (Units i = 0; i < run.length; ++i) {
        network.memory(rank, space)[static_cast<std::size_t>(run.offset + i)] =
            reduces(call_.collective()) ? contribution(rank, run.index + i, call_.of().commutative)
                                        : contribution(0, run.index + i, true);
      }
    }
  }

  Value result(int rank, Units unit) {
    if (!reduces(call_.collective())) return contribution(0, unit, true);
    const RankRange all = call_.contributors(rank);
    Value value = contribution(all.first, unit, call_.of().commutative);
    for (int other = all.first + 1; other < all.first + all.count; ++other) {
      value = network.combine(value, contribution(other, unit, call_.of().commutative));
    }
    return value;
  }

  static void require(int error) {
    if (error != 0) throw std::system_error(error, std::generic_category());
  }
  // As far as the rank comes without anything else happening.
  static void go_on(Rank& rank) {
    while (true) {
      require(rank.flow.advance());
      if (rank.flow.over()) return;
      rank.awaited.clear();
      const bool all = rank.flow.add_awaited(rank.awaited, Transport::most_waited);
      require(rank.transport.wait(rank.awaited, all ? Until::all : Until::one));
      if (std::ranges::none_of(rank.awaited, &TransferUnderWay::done)) return;
    }
  }

  const interpret::Call& call_;
  std::vector<std::unique_ptr<Rank>> ranks_;

 public:
  FakeNetwork network;
};

// Some of the cases of the catalogue's tests, others for each algorithm.
std::vector<Case> some_cases(const Choice& choice, int p, std::size_t most) {
  const std::vector<Case> all = cases_of(choice, p);
  std::vector<Case> some;
  const std::size_t step = std::max<std::size_t>(1, all.size() / most);
  for (std::size_t i = choice.text().size() % step; i < all.size(); i += step) {
    some.push_back(all[i]);
  }
  return some;
}

class FlowOfCatalogue : public testing::TestWithParam<Choice> {};

TEST_P(FlowOfCatalogue, IsRightWhateverHappensFirst) {
  std::uint32_t seed = 1;
  for (const int p : slow ? std::vector{2, 5} : std::vector{2, 3, 4, 5, 7, 8, 13}) {
    for (const Case& of : some_cases(GetParam(), p, slow ? 2 : 6)) {
      const interpret::Call call(GetParam(), of);
      for (const Discipline discipline : {Discipline::early, Discipline::paced}) {
        for (const Adversary adversary : adversaries) {
          Job job(call, adversary, ++seed);
          ASSERT_TRUE(job.run(discipline)) << "p = " << p << ", m = " << of.m;
          job.expect_result();
          if (HasFatalFailure()) FAIL() << "p = " << p << ", m = " << of.m;
        }
      }
    }
  }
}

// Whatever fails, by an error code or an exception, leaves flows that can be used again.
TEST_P(FlowOfCatalogue, CanBeUsedAgainAfterAFailure) {
  for (const Case& of : some_cases(GetParam(), 5, 1)) {
    const interpret::Call call(GetParam(), of);
    for (const int failure : {0, 17}) {
      for (int good = 0; good < 40; good += 3) {
        Job job(call, Adversary::random, 1);
        job.network.good = good;
        job.network.failure = failure;
        bool failed = false;
        try {
          job.run(Discipline::early);
        } catch (const std::bad_alloc&) {
          failed = failure == 0;
        } catch (const std::system_error& error) {
          failed = error.code().value() == failure;
        }
        EXPECT_TRUE(failed || job.network.good >= 0);
        job.give_up();
        job.begin_anew(Adversary::random);
        ASSERT_TRUE(job.run(Discipline::early));
        job.expect_result();
      }
    }
  }
}

// In a ring a rank combines what no message of the round touches; recursive doubling sends it.
TEST(Flow, GivesACombineToItsReceiveWhereNothingElseTouchesItsMemory) {
  const auto carried = [](std::string_view algorithm) {
    const Choice choice = choose::parse_algorithm(Collective::allreduce, algorithm);
    const interpret::Call call(choice, cases_of(choice, 4).back());
    Job job(call, Adversary::random, 1);
    EXPECT_TRUE(job.run(Discipline::early));
    return job.network.carried;
  };
  EXPECT_EQ(carried("ring"), 4 * 3);
  EXPECT_EQ(carried("recursive_doubling"), 0);
}

// The root of gather.linear among 100 ranks. In SMPI a receive costs its time when it is waited
// for.
TEST(Flow, WaitsAtAFenceForAsManyAsThereIsRoomFor) {
  constexpr int p = 100;
  const Choice choice = choose::parse_algorithm(Collective::gather, "linear");
  Problem problem;
  problem.group = Group(0, p);
  problem.choice = &choice;
  problem.blocks = Blocks::even(Slice(Space::output, 0, p), p);
  FakeNetwork network(p, Adversary::random, 1);
  network.memory(0, Space::output).resize(p);
  FakeTransport transport(network, 0);
  Schedule schedule = choice.schedule(problem);
  const bool more = schedule.next();
  Flow flow(Channel::first);
  flow.begin(Rounds(schedule), more, transport, Discipline::early);
  ASSERT_EQ(flow.advance(), 0);
  for (const std::size_t room : {Flow::least_room, Transport::most_waited}) {
    std::vector<TransferUnderWay*> awaited;
    EXPECT_TRUE(flow.add_awaited(awaited, room));
    EXPECT_EQ(awaited.size(), std::min<std::size_t>(room, p - 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FlowOfCatalogue, testing::ValuesIn(all_variants()), test_name);

}  // namespace
}  // namespace roundelay::mpi
