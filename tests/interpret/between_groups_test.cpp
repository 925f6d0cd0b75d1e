// SPDX-License-Identifier: Apache-2.0
// Between two groups: what the paper says of its steps, beyond what is claimed in the catalogue.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "interpret/exact_length.hpp"
#include "interpret/price.hpp"
#include "interpret/prove.hpp"
#include "interpret/trace.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

Trace between(std::string_view name, int p, int q) {
  return trace(Choice(*find(Collective::allgather, name)), {.p = p, .m = p, .q = q});
}

// All ranks take as many steps, and a message is sent and received in the same one.
void expect_in_step(const Trace& trace, std::size_t steps) {
  std::map<std::tuple<int, int, std::size_t>, int> open;
  const int ranks = trace.of.ranks();
  for (int rank = 0; rank < ranks; ++rank) {
    const RankTrace& mine = trace.ranks[static_cast<std::size_t>(rank)];
    ASSERT_EQ(mine.rounds.size(), steps);
    for (std::size_t step = 0; step < steps; ++step) {
      for (const TracedTransfer& it : mine.rounds[step].transfers) {
        const int distance = (it.peer - rank + ranks) % ranks;
        EXPECT_TRUE(distance == 1 || distance == ranks - 1) << "no link of the ring";
        if (it.direction == Transfer::Direction::send) ++open[{rank, it.peer, step}];
        if (it.direction == Transfer::Direction::receive) --open[{it.peer, rank, step}];
      }
    }
  }
  for (const auto& [message, count] : open) EXPECT_EQ(count, 0);
}

TEST(BetweenGroups, TheRingTakesTheStepsOfThePaperOnItsLinks) {
  for (int p = 1; p <= 9; ++p) {
    for (int q = 1; q <= 30; ++q) {
      const bool one_more = p % 2 == 1 && q + q % 2 > 2 * p;
      const int steps = p + (q + 1) / 2 + (one_more ? 1 : 0);
      SCOPED_TRACE(testing::Message() << "p = " << p << ", q = " << q);
      expect_in_step(between("inter_ring", p, q), static_cast<std::size_t>(steps));
    }
  }
  expect_in_step(between("inter_ring", 4, 6), 7);
  expect_in_step(between("inter_ring", 6, 4), 8);
  expect_in_step(between("inter_ring", 8, 8), 12);
}

// (1 + ceil(log2 p)) alpha + p k beta where there are no more receivers than senders.
TEST(BetweenGroups, FullCostsWhatThePaperSays) {
  const Choice full(*find(Collective::allgather, "inter_full"));
  for (int p = 1; p <= 17; ++p) {
    for (int q = 1; q <= p; ++q) {
      const Case of{.p = p, .m = exact_length(full, p), .q = q};
      EXPECT_EQ(price(full, of, {.alpha = 1}), 1 + ceil_log2(Formula::ranks())({.p = p}));
      EXPECT_EQ(price(full, of, {.beta = 1}), static_cast<double>(of.m));
    }
  }
}

// Cut for its own length, into fewer blocks than the same padded to whole blocks would be.
TEST(BetweenGroups, AMessageIsNotCutAsIfItWereLonger) {
  const Proof proof = prove(Choice(*find(Collective::bcast, "inter_joined")), {.p = 35, .q = 35});
  EXPECT_TRUE(proof.ok) << proof.error;
}

TEST(BetweenGroups, ANumberOfReceiversIsForTwoGroupsOnly) {
  const Choice one(*find(Collective::allgather, "ring"));
  const Choice two(*find(Collective::allgather, "inter_ring"));
  EXPECT_THROW((void)verify(one, {.p = 2, .m = 2, .q = 1}), std::invalid_argument);
  EXPECT_THROW((void)verify(two, {.p = 2, .m = 2}), std::invalid_argument);
}

TEST(BetweenGroups, ASenderHasNoMemoryForTheBlocks) {
  const Call call(Choice(*find(Collective::allgather, "inter_root")), {.p = 2, .m = 4, .q = 2});
  const Proof proof = verify(call, [](int rank) -> Schedule {
    const Slice block(Space::output, 0, 2);
    if (rank == 0) co_yield round(recv(block, 1));
    if (rank == 1) co_yield round(send(Slice(Space::input, 0, 2), 0));
  });
  EXPECT_EQ(proof.error,
            "rank 0, round 0: output[0, 2) is not inside its space, which has 0 units");
}

}  // namespace
}  // namespace roundelay::interpret
