// SPDX-License-Identifier: Apache-2.0
#include "interpret/trace.hpp"

#include <gtest/gtest.h>

#include <string>

#include "catalogue_cases.hpp"
#include "interpret/cases.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

TEST(Trace, HasAllThatARankDoes) {
  const Trace ring = trace(Choice(*find(Collective::allgather, "ring")), {.p = 3, .m = 7});
  EXPECT_EQ(ring.collective, "allgather");
  EXPECT_EQ(ring.algorithm, "ring");
  ASSERT_EQ(ring.ranks.size(), 3U);
  const RankTrace& mine = ring.ranks[1];
  EXPECT_EQ(mine.input, 0);
  EXPECT_EQ(mine.output, 7);
  EXPECT_EQ(mine.scratch, 0);
  EXPECT_EQ(mine.given, Slice(Space::output, 3, 2));
  EXPECT_EQ(mine.wanted, Slice(Space::output, 0, 7));
  ASSERT_EQ(mine.rounds.size(), 2U);
  ASSERT_EQ(mine.rounds[0].transfers.size(), 2U);
  const TracedTransfer& sent = mine.rounds[0].transfers[0];
  EXPECT_EQ(sent.direction, Transfer::Direction::send);
  EXPECT_EQ(sent.peer, 2);
  EXPECT_EQ(sent.slices, (std::vector<Slice>{mine.given}));
  EXPECT_EQ(mine.rounds[0].transfers[1].direction, Transfer::Direction::receive);
  EXPECT_EQ(mine.rounds[0].transfers[1].peer, 0);
  EXPECT_TRUE(mine.rounds[0].steps.empty());
}

TEST(Trace, LeavesOutWhatDoesNotHappen) {
  for (const RankTrace& rank :
       trace(Choice(*find(Collective::allgather, "ring")), {.p = 4, .m = 0}).ranks) {
    for (const TracedRound& round : rank.rounds) EXPECT_TRUE(round.transfers.empty());
  }
}

Schedule with_fence(int rank) {
  const Slice data(Space::output, 0, 8);
  if (rank == 0) co_yield round(deferred(send(data, 1), 1));
  if (rank == 1) co_yield round(deferred(recv(data, 0), 1));
  co_yield fence(1);
}

TEST(Trace, KeepsFencesAndDeferredTransfers) {
  const Call call(Choice(*find(Collective::bcast, "binomial")), {.p = 2, .m = 8});
  const Trace traced = trace(call, with_fence);
  EXPECT_EQ(traced.ranks[1].rounds[0].transfers[0].due, 1);
  EXPECT_EQ(traced.ranks[1].rounds[1].fence, 1);
  const Proof proof =
      verify(call, [&](int rank) { return replay(traced.ranks[static_cast<std::size_t>(rank)]); });
  EXPECT_TRUE(proof.ok) << proof.error;
}

class TraceOfCatalogue : public testing::TestWithParam<Choice> {};

TEST_P(TraceOfCatalogue, ReplaysToTheSameProof) {
  for (const Case& of : cases_of(GetParam(), 6)) {
    const Call call(GetParam(), of);
    const Trace traced = trace(call, call.schedules());
    const Proof proof = verify(
        call, [&](int rank) { return replay(traced.ranks[static_cast<std::size_t>(rank)]); });
    EXPECT_TRUE(proof.ok) << proof.error;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, TraceOfCatalogue, testing::ValuesIn(all_variants()), test_name);

TEST(Goal, OperationsRequireTheRoundBefore) {
  const Trace ring = trace(Choice(*find(Collective::allgather, "ring")), {.p = 3, .m = 30});
  const std::string text = goal(ring);
  EXPECT_EQ(text.substr(0, text.find("rank 1")),
            "num_ranks 3\n"
            "\n"
            "rank 0 {\n"
            "l1: send 10b to 1 tag 0\n"
            "l2: recv 10b from 2 tag 0\n"
            "l3: send 10b to 1 tag 1\n"
            "l3 requires l1\n"
            "l3 requires l2\n"
            "l4: recv 10b from 2 tag 1\n"
            "l4 requires l1\n"
            "l4 requires l2\n"
            "}\n"
            "\n");
}

TEST(Goal, CombiningIsACalculation) {
  const Trace doubling =
      trace(Choice(*find(Collective::allreduce, "recursive_doubling")), {.p = 2, .m = 30});
  const std::string text = goal(doubling, 0.5);
  EXPECT_NE(text.find("l3: calc 15\nl3 requires l1\nl3 requires l2\n"), std::string::npos) << text;
}

TEST(Goal, ATokenIsAMessage) {
  const Trace barrier = trace(Choice(*find(Collective::barrier, "dissemination")), {.p = 2});
  EXPECT_NE(goal(barrier).find("l1: send 1b to 1 tag 0\n"), std::string::npos) << goal(barrier);
}

TEST(Goal, AFenceIsRequiredByWhatFollows) {
  const Call call(Choice(*find(Collective::bcast, "binomial")), {.p = 2, .m = 8});
  const auto schedules = [](int rank) -> Schedule {
    const Slice data(Space::output, 0, 8);
    if (rank == 0) {
      co_yield round(deferred(send(data, 1), 2));
      co_yield round(deferred(send(data, 1)));
      co_yield fence(2);
      co_yield round(send(data, 1));
    }
  };
  EXPECT_NE(goal(trace(call, schedules))
                .find("l1: send 8b to 1 tag 0\n"
                      "l2: send 8b to 1 tag 1\n"
                      "l3: send 8b to 1 tag 2\n"
                      "l3 requires l1\n}"),
            std::string::npos);
}

}  // namespace
}  // namespace roundelay::interpret
