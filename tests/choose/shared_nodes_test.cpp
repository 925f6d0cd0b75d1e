// SPDX-License-Identifier: Apache-2.0
// What the model takes where ranks share nodes, and the least that a link has to carry.
#include "choose/model/shared_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choose/candidates.hpp"
#include "choose/even_nodes.hpp"
#include "choose/model/least_time.hpp"
#include "choose/model/shared_nodes_runs.hpp"
#include "choose/placement.hpp"
#include "choose/usual_machine.hpp"

namespace roundelay::choose {
namespace {

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

// 100 Mbit/s and Open MPI with four ranks on a node, as it is measured in the lab.
constexpr Machine lab{.alpha = 3.05e-5,
                      .oversubscribed_alpha = 3.05e-5,
                      .gap = 7.6e-6,
                      .crowding = 4,
                      .beta = 5.96e-8,
                      .drift = 1.6,
                      .absorbed = 256 * kib,
                      .pairing = 2,
                      .crossing = 32768,
                      .handshake = 0.68,
                      .sharing = 1.1,
                      .native_shares_cores = true,
                      .native_floods = true,
                      .native_leads_when_short = true};

Topology placed(std::string_view text) {
  return {.nodes = Partition::by(parse_placement(text)), .sites = {}};
}

Facts facts_on(const Topology& topology, Collective collective, std::int64_t bytes) {
  return {.collective = collective,
          .bytes = bytes,
          .ranks = topology.nodes.ranks(),
          .oversubscribed = true,
          .topology = &topology,
          .nodes = topology.nodes.count()};
}

Verdict chosen(std::string_view placement, Collective collective, std::int64_t bytes) {
  const Topology topology = placed(placement);
  return choose(facts_on(topology, collective, bytes), {}, lab);
}

std::string taken(std::string_view placement, Collective collective, std::int64_t bytes) {
  return chosen(placement, collective, bytes).choice->text();
}

bool is_ours(std::string_view placement, Collective collective, std::int64_t bytes) {
  return taken(placement, collective, bytes) != "native";
}

constexpr std::string_view four_by_four = "4+4+4+4";
constexpr std::string_view eight_by_two = "2+2+2+2+2+2+2+2";
constexpr std::string_view two_by_eight = "8+8";
constexpr std::string_view uneven = "5+3+4+2";
constexpr std::string_view in_turn = "abcdabcdabcdabcd";

TEST(SharedNodes, LongMessagesGoOverTheNodes) {
  for (const std::string_view placement : {four_by_four, eight_by_two, in_turn}) {
    for (const Collective collective : {Collective::allgather, Collective::allreduce}) {
      const Verdict verdict = chosen(placement, collective, mib);
      EXPECT_TRUE(verdict.choice->algorithm->uses_topology())
          << placement << " " << name_of(collective) << " " << verdict.choice->text();
      EXPECT_EQ(verdict.reason, "model: near the limit of the links");
    }
  }
  for (const std::string_view placement : {four_by_four, eight_by_two, in_turn, uneven}) {
    for (const Collective collective :
         {Collective::allreduce, Collective::bcast, Collective::reduce}) {
      EXPECT_TRUE(is_ours(placement, collective, mib)) << placement << " " << name_of(collective);
    }
  }
}

// Leaders of four nodes in a ring exchange with nobody.
TEST(SharedNodes, LeadersOfNodesMakeARing) {
  EXPECT_EQ(taken(four_by_four, Collective::allgather, mib), "hier");
  EXPECT_EQ(taken(four_by_four, Collective::allreduce, mib), "hier(inter=ring)");
}

// Where ranks share cores and those of the MPI library do not give them up, it is slow in what it
// does in stages, through memory within the nodes.
TEST(SharedNodes, WhereTheMpiLibraryKeepsCoresShortCallsAreNotLeftToIt) {
  Machine keeps_cores = lab;
  keeps_cores.native_shares_cores = false;
  for (const std::string_view placement : {four_by_four, eight_by_two, two_by_eight}) {
    const Topology topology = placed(placement);
    const auto is_native = [&](Collective collective, bool oversubscribed) {
      Facts facts = facts_on(topology, collective, collective == Collective::barrier ? 0 : 64);
      facts.oversubscribed = oversubscribed;
      return choose(facts, {}, keeps_cores).choice->text() == "native";
    };
    for (const Collective collective : {Collective::allreduce, Collective::barrier,
                                        Collective::bcast, Collective::reduce, Collective::scan}) {
      EXPECT_FALSE(is_native(collective, true)) << placement << " " << name_of(collective);
      EXPECT_TRUE(is_native(collective, false)) << placement << " " << name_of(collective);
    }
    for (const Collective collective :
         {Collective::allgather, Collective::reduce_scatter, Collective::exscan}) {
      EXPECT_TRUE(is_native(collective, true)) << placement << " " << name_of(collective);
    }
  }
}

// In a circulant graph of four nodes the first messages are exchanged, which may take turns.
TEST(SharedNodes, LeadersOfFourNodesDoNotExchange) {
  for (const std::string_view placement : {four_by_four, in_turn}) {
    for (const Collective collective :
         {Collective::reduce_scatter, Collective::reduce_scatter_block}) {
      EXPECT_EQ(taken(placement, collective, mib), "hier(inter=ring)") << placement;
      EXPECT_EQ(taken(placement, collective, 256 * kib), "hier(inter=ring)") << placement;
    }
  }
  EXPECT_EQ(taken(eight_by_two, Collective::reduce_scatter, mib),
            "hier(inter=circulant, discipline=paced)");
}

// Of two nodes, these exchange one message, and begin together.
TEST(SharedNodes, LeadersOfTwoNodesExchangeNearTheLimit) {
  EXPECT_EQ(taken(two_by_eight, Collective::allgather, mib), "local_bruck(discipline=paced)");
  EXPECT_EQ(taken(two_by_eight, Collective::allreduce, mib), "hier(discipline=paced)");
  EXPECT_TRUE(is_ours(two_by_eight, Collective::bcast, mib));
}

TEST(SharedNodes, AChainPassesEachLinkOnceWhereTheRanksOfANodeFollowEachOther) {
  EXPECT_EQ(taken(four_by_four, Collective::scan, mib), "chain");
  EXPECT_EQ(taken(four_by_four, Collective::exscan, 8 * mib), "chain");
}

// Each rank needs another result, and these have to pass, whatever the algorithm.
TEST(SharedNodes, AChainPassesEachLinkForEachRankWhereRanksArePlacedInTurn) {
  for (const Collective collective : {Collective::scan, Collective::exscan}) {
    EXPECT_EQ(taken(in_turn, collective, 64 * kib), "chain");
    EXPECT_EQ(taken(in_turn, collective, 8 * mib), "chain(discipline=paced)");
  }
}

// Of 64 to 256 ranks: so many blocks are too much work to run.
TEST(SharedNodes, APipelineOfManyBlocksIsPriced) {
  for (const auto& [nodes, ranks_of_each] : {std::pair{4, 16}, {8, 16}, {16, 16}}) {
    const Topology topology = even_nodes(nodes, ranks_of_each);
    for (const Collective collective : {Collective::scan, Collective::exscan}) {
      for (const std::int64_t bytes : {mib, 8 * mib}) {
        const Verdict verdict = choose(facts_on(topology, collective, bytes), {}, lab);
        EXPECT_EQ(verdict.choice->text(), "chain");
        const double limit = lab.beta * static_cast<double>(bytes);
        EXPECT_GT(verdict.seconds, limit);
        EXPECT_LT(verdict.seconds, 1.3 * limit);
      }
    }
  }
}

// Also where the search for all prices has no work left for it.
TEST(SharedNodes, WhatIsTakenHasAPrice) {
  const auto expect_price = [](const Facts& facts, const Machine& machine) {
    const Verdict verdict = choose(facts, {}, machine);
    ASSERT_FALSE(verdict.choice->algorithm->native());
    EXPECT_GT(verdict.seconds, 0);
    const std::vector<Candidate> all = prices(facts, machine);
    const auto its = std::ranges::find(all, verdict.choice->text(),
                                       [](const Candidate& one) { return one.choice->text(); });
    ASSERT_NE(its, all.end());
    EXPECT_DOUBLE_EQ(its->seconds, verdict.seconds);
    EXPECT_EQ(candidates_at_once(facts, {}, machine).front().seconds, verdict.seconds);
  };
  const Topology many = even_nodes(16, 16);
  expect_price(facts_on(many, Collective::bcast, mib), lab);
  const Topology few = placed("4+4+2");
  Facts facts = facts_on(few, Collective::alltoall, 256);
  facts.oversubscribed = false;
  expect_price(facts, usual_machine(Library::open_mpi, 3e-5));
}

TEST(SharedNodes, BlocksOfAnExchangeGoStraightToTheirRanks) {
  EXPECT_EQ(taken(four_by_four, Collective::alltoall, mib), "pairwise");
  EXPECT_EQ(taken(eight_by_two, Collective::alltoall, 8 * mib), "pairwise");
}

TEST(SharedNodes, WhatNativeCannotDoWorseIsLeftToIt) {
  for (const Collective collective : {Collective::gather, Collective::gatherv, Collective::scatter,
                                      Collective::scatterv, Collective::barrier}) {
    const Verdict verdict =
        chosen(four_by_four, collective, collective == Collective::barrier ? 0 : mib);
    EXPECT_EQ(verdict.choice->text(), "native") << name_of(collective);
  }
  EXPECT_EQ(taken(four_by_four, Collective::alltoall, 64 * kib), "native");
}

// Ranks at distance 1, 2, .. are on other nodes, those farther away on the same: doubling, which
// libraries have, does not load a link more than once.
TEST(SharedNodes, WhatLibrariesHaveIsLeftToThemWhereStartupsCount) {
  EXPECT_EQ(chosen(in_turn, Collective::allgather, 16 * kib).reason, "model: short");
  EXPECT_TRUE(is_ours(four_by_four, Collective::allgather, 16 * kib));
}

TEST(SharedNodes, WhereStartupsCountNativeIsTaken) {
  for (const Collective collective : collectives) {
    if (!length_is_shared(collective) || collective == Collective::barrier) continue;
    const Verdict verdict = chosen(four_by_four, collective, 4 * kib);
    EXPECT_EQ(verdict.choice->text(), "native") << name_of(collective);
  }
}

TEST(SharedNodes, UnevenBlocksAndSitesAreLeftToNative) {
  Topology topology = placed(four_by_four);
  Facts facts = facts_on(topology, Collective::allgatherv, mib);
  EXPECT_NE(choose(facts, {}, lab).choice->text(), "native");
  facts.longest = 512 * kib;
  EXPECT_EQ(choose(facts, {}, lab).reason, "model: shared nodes");
  facts.longest = 0;
  topology.sites = Partition::by(parse_placement("8+8"));
  EXPECT_EQ(choose(facts, {}, lab).reason, "model: shared nodes");
}

TEST(SharedNodes, AnOrderIsKeptWhereOneIsNeeded) {
  const Topology topology = placed(in_turn);
  Facts facts = facts_on(topology, Collective::reduce, mib);
  EXPECT_TRUE(choose(facts, {}, lab).choice->algorithm->uses_topology());
  facts.commutative = false;
  EXPECT_EQ(choose(facts, {}, lab).choice->text(), "native");
}

// Where all of their messages would be too many, few of the ranks stand for all.
TEST(SharedNodes, ThousandsOfRanksGoOverTheNodes) {
  for (const auto& [nodes, ranks_of_each] : {std::pair(64, 16), {16, 64}, {64, 64}}) {
    std::vector<int> node_of(static_cast<std::size_t>(nodes * ranks_of_each));
    for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
      node_of[rank] = static_cast<int>(rank) / ranks_of_each;
    }
    const Topology topology{.nodes = Partition::by(node_of), .sites = {}};
    for (const Collective collective :
         {Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
      Facts facts = facts_on(topology, collective, 8 * mib);
      facts.oversubscribed = false;
      const Verdict verdict = choose(facts, {}, lab);
      EXPECT_TRUE(verdict.choice->algorithm->uses_topology())
          << nodes << " " << name_of(collective) << " " << verdict.reason;
    }
  }
}

// Of short blocks, where there are several ranks on many nodes. That lengths go first costs as much
// as the blocks.
TEST(SharedNodes, ShortBlocksCrossTogether) {
  constexpr std::string_view eight_by_eight = "8+8+8+8+8+8+8+8";
  for (const Collective collective : {Collective::alltoallv, Collective::alltoallw}) {
    const Verdict verdict = chosen(eight_by_eight, collective, 64 * 8);
    EXPECT_TRUE(verdict.choice->algorithm->passes_on) << verdict.choice->text();
    EXPECT_EQ(verdict.reason, "model: fewer start-ups");
    EXPECT_EQ(taken(eight_by_eight, collective, 64 * 16 * kib), "native");
    const Topology topology = placed(eight_by_eight);
    Facts facts = facts_on(topology, collective, 64 * 8);
    facts.longest = mib;
    EXPECT_EQ(choose(facts, {}, lab).choice->text(), "native");
  }
}

// Not only as it is by default: with other words and numbers, too.
TEST(SharedNodes, WaysOfOneAlgorithmAreTried) {
  constexpr std::string_view four_by_sixteen = "16+16+16+16";
  std::string ways;
  for (const std::string_view placement : {four_by_four, eight_by_two, four_by_sixteen}) {
    const Topology topology = placed(placement);
    for (std::int64_t block = 8; block <= 2 * kib; block *= 4) {
      const std::int64_t bytes = topology.nodes.ranks() * block;
      for (const Candidate& one : prices(facts_on(topology, Collective::alltoallv, bytes), lab)) {
        if (one.choice->algorithm->uses_topology()) ways += one.choice->text() + " ";
      }
    }
  }
  EXPECT_NE(ways.find("radix="), std::string::npos) << ways;
  EXPECT_NE(ways.find("messages=lanes"), std::string::npos) << ways;
}

// The schedules of hier are too long to be run, so that its price comes from excerpts.
TEST(SharedNodes, WhatIsTooLongToRunLeavesWorkForOthers) {
  const Topology topology = even_nodes(64, 8);
  Facts facts = facts_on(topology, Collective::bcast, 16 * mib);
  facts.oversubscribed = false;
  std::string priced;
  for (const Candidate& one : prices(facts, usual_machine(Library::open_mpi, 1e-6))) {
    priced += std::string(one.choice->algorithm->name) + " ";
  }
  EXPECT_NE(priced.find("hier "), std::string::npos) << priced;
  EXPECT_NE(priced.find("lanes "), std::string::npos) << priced;
  EXPECT_NE(priced.find("binomial "), std::string::npos) << priced;
}

// Each of them has a message for each other: 65 thousand to 33 million.
TEST(SharedNodes, ExchangesAmongManyRanksArePriced) {
  for (const auto& [nodes, ranks_of_each] :
       {std::pair{64, 12}, {8, 128}, {512, 16}, {2, 128}, {4, 96}}) {
    const Topology topology = even_nodes(nodes, ranks_of_each);
    for (const Collective collective : {Collective::alltoall, Collective::alltoallv}) {
      Facts facts = facts_on(topology, collective, 64 * kib * topology.nodes.ranks());
      facts.oversubscribed = false;
      EXPECT_EQ(choose(facts, {}, lab).reason, "model: near the limit of the links");
      facts.bytes = std::int64_t{64} * topology.nodes.ranks();
      for (const Machine& machine : {lab, usual_machine(Library::open_mpi, 2e-6)}) {
        EXPECT_NE(choose(facts, {}, machine).reason, "model: too many ranks to price");
      }
      std::string priced;
      for (const Candidate& one : prices(facts, lab)) {
        priced += std::string(one.choice->algorithm->name) + " ";
      }
      for (const char* name : {"aggregated ", "pairwise ", "scattered "}) {
        EXPECT_NE(priced.find(name), std::string::npos) << nodes << ": " << priced;
      }
    }
  }
}

TEST(SharedNodes, SoManyRanksAreNotPriced) {
  const Topology topology{.nodes = Partition::by(std::vector<int>(8193, 0)), .sites = {}};
  Facts facts = facts_on(topology, Collective::allgather, mib);
  facts.nodes = 2;
  EXPECT_EQ(choose(facts, {}, lab).reason, "model: too many ranks to price");
  EXPECT_FALSE(may_leave_native(facts, {}, lab));
}

// Every algorithm's run carries at least as much as we say that every algorithm has to.
TEST(SharedNodes, NoAlgorithmLoadsTheBusiestLinkLess) {
  for (const std::string_view placement : {four_by_four, two_by_eight, uneven, in_turn}) {
    const Topology topology = placed(placement);
    for (const Algorithm* algorithm : catalogue()) {
      const Choice choice(*algorithm);
      const std::int64_t bytes = 56 * topology.nodes.ranks();
      const Facts facts = facts_on(topology, algorithm->collective, bytes);
      if (!algorithm->is_for(Groups::one) || algorithm->native()) continue;
      if (among_neighbours(algorithm->collective)) continue;  // not priced
      if (violated(choice, {facts.ranks, true, &topology}) != nullptr) continue;
      interpret::RunBudget budget{std::numeric_limits<double>::infinity(), 1 << 20};
      const auto traffic = run_on_shared_nodes(choice, facts, 0, {}, {}, budget);
      ASSERT_TRUE(traffic);
      const Units busiest =
          std::max(std::ranges::max(traffic->leaving), std::ranges::max(traffic->entering));
      EXPECT_GE(static_cast<double>(busiest),
                least_through_a_link(algorithm->collective, static_cast<double>(bytes),
                                     topology.nodes, 0))
          << placement << " " << name_of(algorithm->collective) << "." << choice.text();
    }
  }
}

TEST(SharedNodes, WhatHasToPassALink) {
  const Partition parts = placed("5+1+3").nodes;
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::bcast, 900, parts), 900);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::allreduce, 900, parts), 1200);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::allgather, 900, parts), 800);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::alltoall, 900, parts), 5 * 4 * 100);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::gather, 900, parts), 400);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::gather, 900, parts, 5), 800);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::scan, 900, parts), 900);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::scan, 900, placed(in_turn).nodes), 4 * 900);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::exscan, 900, placed("abba").nodes), 900);
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::exscan, 900, placed("abacca").nodes), 2 * 900);
  const Partition together = Partition::by(std::vector<int>(4, 0));
  EXPECT_DOUBLE_EQ(least_through_a_link(Collective::bcast, 900, together), 0);
}

// `roundelay simulate`, 32 hosts with 16 ranks each: a ring takes 1.07 of the cut bound there, and
// what is composed 1.13 to 1.15 (docs/results/networks.md).
TEST(SharedNodes, ARingOfManyRanksIsPriced) {
  constexpr Machine simulated{.alpha = 3.8e-6,
                              .gap = 4.8e-7,
                              .beta = 9.3e-10,
                              .near_alpha = 9.5e-7,
                              .near_beta = 1.16e-10,
                              .handshake = 0};
  for (const int nodes : {32, 512}) {
    const Topology topology = even_nodes(nodes, 16);
    for (const Collective collective :
         {Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
      Facts facts{.collective = collective,
                  .bytes = nodes * 32 * kib,
                  .ranks = nodes * 16,
                  .topology = &topology,
                  .nodes = nodes,
                  .ranks_per_node = 16};
      EXPECT_EQ(choose(facts, {}, simulated).choice->text(), "ring");
      facts.bytes = 8 << 10;
      EXPECT_NE(choose(facts, {}, simulated).choice->text(), "ring");
    }
  }
}

}  // namespace
}  // namespace roundelay::choose
