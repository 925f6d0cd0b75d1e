// SPDX-License-Identifier: Apache-2.0
// The circulant pipelines for many numbers of ranks and blocks: proven, and optimal in what each
// rank receives.
#include <gtest/gtest.h>

#include <algorithm>

#include "interpret/exact_length.hpp"
#include "interpret/trace.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

Choice with_blocks(Collective collective, int n) {
  Choice choice(*find(collective, "circulant"));
  choice.values[0].number = n;
  return choice;
}

// Every pair up to the first numbers, then one in so many. Without optimisation fewer.
#ifdef NDEBUG
constexpr int most_ranks = 200;
constexpr int one_in = 8;
#else
constexpr int most_ranks = 60;
constexpr int one_in = 32;
#endif
constexpr int most_blocks = 40;

bool is_tried(int p, int n, int thinner) {
  return (p <= 12 && n <= 12) || (p * 31 + n * 17) % (one_in * thinner) == 0;
}

class CirculantPipelines : public testing::TestWithParam<Collective> {};

TEST_P(CirculantPipelines, AreProvenForAnyNumberOfRanksAndBlocks) {
  // Where every rank is a root a round has O(p) pieces.
  const bool all_roots = !rooted(GetParam());
  for (int p = 1; p <= most_ranks; ++p) {
    for (int n = 1; n <= most_blocks; ++n) {
      if (!is_tried(p, n, all_roots ? 64 : 1)) continue;
      const Choice choice = with_blocks(GetParam(), n);
      const int roots = all_roots ? 1 : p <= 9 ? p : 1;
      for (int i = 0; i < roots; ++i) {
        const Case of{.p = p,
                      .root = roots == 1 ? p / 2 * (all_roots ? 0 : 1) : i,
                      .m = exact_length(choice, p)};
        const Proof proof = verify(choice, of);
        ASSERT_TRUE(proof.ok) << "p = " << p << ", n = " << n << ": " << proof.error;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Circulant, CirculantPipelines,
                         testing::Values(Collective::bcast, Collective::reduce,
                                         Collective::allgatherv, Collective::reduce_scatter),
                         [](const auto& info) { return std::string(name_of(info.param)); });

Units moved(const RankTrace& rank, Transfer::Direction direction) {
  Units units = 0;
  for (const TracedRound& round : rank.rounds) {
    for (const TracedTransfer& transfer : round.transfers) {
      if (transfer.direction != direction) continue;
      for (const Slice& slice : transfer.slices) units += slice.length();
    }
  }
  return units;
}

// Nothing comes twice, also where the last block fills up the rounds.
TEST(CirculantPipelines, EveryRankReceivesTheMessageOnce) {
  for (const int p : {2, 5, 9, 17, 18, 33}) {
    for (const int n : {1, 2, 5, 16}) {
      const Units m = 3 * n + 1;
      const Trace all = trace(with_blocks(Collective::bcast, n), {.p = p, .root = 1, .m = m});
      for (int rank = 0; rank < p; ++rank) {
        EXPECT_EQ(moved(all.ranks[static_cast<std::size_t>(rank)], Transfer::Direction::receive),
                  rank == 1 ? 0 : m);
      }
    }
  }
}

// Traff's point: only what others contribute comes in, however it is distributed.
TEST(CirculantPipelines, EveryRankReceivesWhatOthersContributeOnce) {
  for (const Distribution distribution :
       {Distribution::even, Distribution::uneven, Distribution::degenerate}) {
    const Choice choice = with_blocks(Collective::allgatherv, 5);
    const Case of{.p = 11, .m = 1000, .distribution = distribution};
    const Trace all = trace(choice, of);
    for (const RankTrace& rank : all.ranks) {
      EXPECT_EQ(moved(rank, Transfer::Direction::receive), of.m - rank.given.length());
    }
  }
}

// A long message is cut so that the closed form is least; where blocks are alike nothing is cut.
TEST(CirculantPipelines, AreCutByTheClosedForm) {
  const Choice bcast(*find(Collective::bcast, "circulant"));
  const auto rounds = [&](double m, double startup) {
    return bcast.claims().rounds({.p = 9, .m = m, .network = {.startup = startup}});
  };
  const double q = 4;
  EXPECT_EQ(rounds(100, 5000), q);
  EXPECT_EQ(rounds(3e6, 1000), 95 - 1 + q);  // sqrt(3 * 3e6 / 1000) = 94.9
  const Dimensions in_thousands{
      .p = 9, .m = 3e6, .network = {.startup = 1000, .longest_message = 1000}};
  EXPECT_EQ(bcast.claims().rounds(in_thousands), 3000 - 1 + q);

  const Choice allgatherv(*find(Collective::allgatherv, "circulant"));
  EXPECT_EQ(allgatherv.claims().rounds({.p = 9, .m = 9e6, .network = {.startup = 1000}}), q);
  EXPECT_GT(
      allgatherv.claims().rounds({.p = 9, .m = 9e6, .longest = 9e6, .network = {.startup = 1000}}),
      100);
}

}  // namespace
}  // namespace roundelay::interpret
