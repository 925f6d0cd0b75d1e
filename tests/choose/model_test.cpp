// SPDX-License-Identifier: Apache-2.0
// What the model takes between nodes, where the lab and the simulation have shown what is right.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "choose/candidates.hpp"
#include "choose/chooser.hpp"
#include "choose/model/cost.hpp"
#include "choose/nonblocking.hpp"
#include "choose/usual_machine.hpp"

namespace roundelay::choose {
namespace {

// 100 Mbit/s, as it is measured in the lab.
constexpr Machine lab{.alpha = 1.2e-4,
                      .oversubscribed_alpha = 1.2e-4,
                      .gap = 3e-5,
                      .beta = 8e-8,
                      .drift = 1.6,
                      .pairing = 2,
                      .crossing = 32768};

// `roundelay simulate --platform cluster:128`, as it is measured there: 10 Gbit/s, half a
// microsecond at either end of a message, but none to receive a synchronous one.
constexpr Machine simulated{.alpha = 3.8e-6,
                            .oversubscribed_alpha = 3.8e-6,
                            .gap = 4.8e-7,
                            .beta = 9.3e-10,
                            .handshake = -0.16};

// Decides for ranks with a node each, but where the facts say something else.
Verdict chosen(Facts facts, const Machine& machine = lab) {
  if (!facts.one_node && facts.nodes == 0) facts.nodes = facts.ranks;
  return choose(facts, {}, machine);
}

std::string taken(Collective collective, std::int64_t bytes, int ranks, std::int64_t longest = 0,
                  const Machine& machine = lab) {
  return chosen({.collective = collective, .bytes = bytes, .ranks = ranks, .longest = longest},
                machine)
      .choice->text();
}
std::string simulated_taken(Collective collective, std::int64_t bytes, int ranks) {
  return taken(collective, bytes, ranks, 0, simulated);
}

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

TEST(Model, NoLongExchangesOfPairs) {
  EXPECT_EQ(taken(Collective::reduce_scatter, 4 * mib, 8), "ring");
  EXPECT_EQ(taken(Collective::allgatherv, 4 * mib, 8), "ring");
  EXPECT_EQ(taken(Collective::allreduce, 8 * mib, 8), "ring");
  EXPECT_EQ(taken(Collective::allgather, 64 << 10, 8), "concurrent");
}

TEST(Model, PairsDoForShortMessages) {
  EXPECT_EQ(taken(Collective::allreduce, 8, 8), "recursive_doubling");
  EXPECT_EQ(taken(Collective::allgatherv, 800, 8), "bine");
}

// The first exchange of the halving, of 32 KiB, is one of ranks that begin together.
TEST(Model, PairsThatBeginTogetherExchangeLongerMessages) {
  Machine machine = lab;
  machine.absorbed = static_cast<double>(256 * kib);
  Facts facts{.collective = Collective::reduce_scatter, .bytes = 64 * kib, .ranks = 8};
  EXPECT_EQ(chosen(facts, machine).choice->text(), "bine");
  facts.bytes = 128 * kib;
  EXPECT_EQ(chosen(facts, machine).choice->text(), "pat");
}

// It takes the same messages and units, but also copies.
TEST(Model, AnOrderIsKeptOnlyWhereOneIsNeeded) {
  Machine machine = lab;
  machine.absorbed = static_cast<double>(256 * kib);
  Facts facts{.collective = Collective::reduce_scatter, .bytes = 64 * kib, .ranks = 8};
  facts.commutative = false;
  EXPECT_EQ(chosen(facts, machine).choice->text(), "ordered");
}

TEST(Model, LongBlocksAmongShortOnesAreCut) {
  // The pieces of one block are a pipeline, as those of a broadcast; combining keeps it in step.
  EXPECT_EQ(taken(Collective::allgatherv, 4 * mib, 8, 4 * mib), "circulant(discipline=paced)");
  EXPECT_EQ(taken(Collective::reduce_scatter, 4 * mib, 8, 4 * mib), "circulant");
  EXPECT_EQ(taken(Collective::allgatherv, 4 * mib, 8, 2 * mib), "circulant(discipline=paced)");
  // Pieces go in pairs over distance 4, too. Of a block that is not so long that costs more than to
  // send it whole.
  EXPECT_EQ(taken(Collective::allgatherv, 4 * mib, 8, mib), "pat(discipline=paced)");
  // Where pairs cost no more it is cut.
  Machine both_ways = lab;
  both_ways.pairing = 1;
  EXPECT_EQ(taken(Collective::allgatherv, 4 * mib, 8, mib, both_ways),
            "circulant(discipline=paced)");
}

TEST(Model, CombiningKeepsPipelinesInStep) {
  EXPECT_EQ(taken(Collective::reduce, 8 * mib, 8), "circulant");
  EXPECT_EQ(taken(Collective::bcast, mib, 512), "circulant(discipline=paced)");
}

TEST(Model, FewRanksOfABroadcastMakeAChain) {
  EXPECT_EQ(taken(Collective::bcast, 64 * kib, 8), "chain");
  EXPECT_EQ(taken(Collective::bcast, 8 * mib, 8), "chain");
  EXPECT_EQ(taken(Collective::scan, 8 * mib, 8), "chain");
  EXPECT_EQ(taken(Collective::scan, 8, 8), "recursive_doubling");
}

TEST(Model, WhatBuffersHoldDoesNotDrift) {
  const Facts facts{.collective = Collective::reduce_scatter, .bytes = 128 * kib, .ranks = 8};
  Machine machine = lab;
  EXPECT_EQ(chosen(facts, machine).choice->text(), "ring");  // whose ranks keep each other in step
  machine.absorbed = static_cast<double>(256 * kib);
  EXPECT_EQ(chosen(facts, machine).choice->text(), "pat");
}

// Each of whose ranks waits for what the one before hands on.
TEST(Model, ButPipelinesDo) {
  Machine machine = lab;
  machine.absorbed = static_cast<double>(256 * kib);
  EXPECT_EQ(taken(Collective::bcast, 32 * kib, 16, 0, machine), "chain");
}

// alltoallv and alltoallw.
TEST(Model, WhereRanksDoNotShareALengthTheyNeedToAgreeOnOne) {
  Facts facts{.collective = Collective::alltoallv, .ranks = 8};
  EXPECT_EQ(chosen(facts, lab).choice->text(), "native");
  EXPECT_TRUE(chosen(facts, lab).length_is_missing);
  facts.bytes = mib;
  EXPECT_EQ(chosen(facts, lab).choice->text(), "pairwise(discipline=paced)");
  EXPECT_FALSE(chosen(facts, lab).length_is_missing);
  facts.one_node = true;
  facts.bytes = 0;
  EXPECT_FALSE(chosen(facts, lab).length_is_missing);
}

TEST(Model, NativeThatScattersWholeBlocksIsNotLeft) {
  Machine machine = lab;
  machine.native_scatters = true;
  for (const Collective collective : {Collective::alltoallv, Collective::alltoallw}) {
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{mib}}) {
      const Facts facts{.collective = collective, .bytes = bytes, .ranks = 8};
      EXPECT_EQ(chosen(facts, machine).reason, "model: native scatters");
      EXPECT_FALSE(chosen(facts, machine).length_is_missing);
    }
  }
  const Facts facts{.collective = Collective::alltoall, .bytes = mib, .ranks = 8};
  EXPECT_NE(chosen(facts, machine).choice->text(), "native");
}

// In alltoallv and alltoallw, whose lengths go first, it takes many ranks. Calls count by the
// longest block in what passes blocks on.
TEST(Model, ShortBlocksOfManyRanksArePassedOn) {
  for (const bool scatters : {false, true}) {
    Machine machine = lab;
    machine.native_scatters = scatters;
    Facts facts{.collective = Collective::alltoallv, .bytes = 256 * 8, .ranks = 256};
    const auto passes_on = [&] {
      return chosen(facts, machine).choice->algorithm->tells_lengths(nullptr);
    };
    EXPECT_TRUE(passes_on());
    EXPECT_EQ(chosen(facts, machine).reason, "model: fewer start-ups");
    facts.longest = 16 * kib;
    EXPECT_FALSE(passes_on());
    facts.longest = 0;
    facts.bytes = 256 * 16 * kib;
    EXPECT_FALSE(passes_on());
    facts.bytes = 0;
    EXPECT_TRUE(chosen(facts, machine).length_is_missing);
    facts.ranks = 8;
    facts.bytes = 64;
    EXPECT_FALSE(passes_on());
  }
}

TEST(Model, WhatIsPaddedIsAsLongAsTheLongestBlock) {
  const Choice padded(*find(Collective::alltoallv, "padded"));
  Facts facts{.collective = Collective::alltoallv, .bytes = 64 * kib, .ranks = 64, .nodes = 64};
  const auto seconds = [&](const Choice& choice) {
    return cost_of(choice, facts, lab, no_limit)->seconds;
  };
  const double even = seconds(padded);
  facts.longest = 4 * kib;
  EXPECT_GT(seconds(padded), 2 * even);
  EXPECT_LT(seconds(Choice(*find(Collective::alltoallv, "tuna"))), seconds(padded));
}

// Open MPI's alltoallv of 64 KiB took 1.6 times as long as ours, its alltoall no longer.
TEST(Model, NativeThatSendsAllToOneRankAtATimeIsLeftSooner) {
  const Machine machine{.alpha = 7.6e-6,
                        .gap = 7.6e-6,
                        .crowding = 8,
                        .beta = 6e-8,
                        .absorbed = static_cast<double>(256 * kib),
                        .native_floods = true,
                        .native_leads_when_short = true};
  Facts facts{.collective = Collective::alltoallv, .bytes = 64 * kib, .ranks = 8};
  EXPECT_NE(chosen(facts, machine).choice->text(), "native");
  facts.collective = Collective::alltoall;
  EXPECT_EQ(chosen(facts, machine).reason, "model: short");
}

TEST(Model, WherePipelinesOfLongMessagesAreSlowerTheyAreOfShortOnes) {
  const Facts facts{.collective = Collective::bcast, .bytes = mib, .ranks = 512};
  Machine machine = lab;
  EXPECT_EQ(chosen(facts, machine).network.longest_message, no_limit);
  machine.short_pipelines = true;
  EXPECT_EQ(chosen(facts, machine).choice->text(), "circulant(discipline=paced)");
  EXPECT_EQ(chosen(facts, machine).network.longest_message, short_message);
}

TEST(Model, WhereNobodyKnowsTheNodesNativeIsTaken) {
  for (const Collective collective : collectives) {
    if (among_neighbours(collective)) continue;
    Facts facts{.collective = collective, .bytes = mib, .ranks = 16};
    EXPECT_EQ(choose(facts, {}, lab).choice->text(), "native") << name_of(collective);
    EXPECT_EQ(choose(facts, {}, lab).reason, "model: placement unknown");
    facts.nodes = 4;
    EXPECT_EQ(chosen(facts).choice->text(), "native") << name_of(collective);
    EXPECT_EQ(chosen(facts).reason, "model: shared nodes");
  }
}

// On a node with more ranks than cores a library that spins is left at once, one that yields never.
TEST(Model, OnOneNodeNativeLeadsUnlessItSpinsWhereOthersWait) {
  Facts facts{.collective = Collective::bcast, .bytes = mib, .ranks = 8, .one_node = true};
  const Machine spins{.native_leads_when_short = true};
  const Machine yields{.native_shares_cores = true};
  EXPECT_EQ(chosen(facts, spins).reason, "model: one node");
  facts.oversubscribed = true;
  EXPECT_EQ(chosen(facts, yields).reason, "model: one node");
  for (const std::int64_t bytes : {std::int64_t{8}, mib}) {
    facts.bytes = bytes;
    EXPECT_NE(chosen(facts, spins).choice->text(), "native");
  }
}

// A parameter for a dimension has the length that the machine says.
TEST(Model, ATorusIsUsedWhereEveryNodeHasOneRank) {
  Facts facts{.collective = Collective::allreduce, .bytes = 4 * mib, .ranks = 64, .nodes = 64};
  const Machine flat{.alpha = 2e-6, .gap = 1e-7, .beta = 8e-11};
  Machine torus = flat;
  torus.torus = {8, 8};
  EXPECT_EQ(chosen(facts, torus).choice->text(), "swing(x=8)");
  EXPECT_NE(chosen(facts, flat).choice->text(), "swing(x=8)");
  torus.torus = {8, 4};
  EXPECT_EQ(chosen(facts, torus).choice->text(), chosen(facts, flat).choice->text());
}

TEST(Model, BetweenTwoGroupsATorusIsNotUsed) {
  Facts facts{.bytes = 4 * mib, .ranks = 64, .inter = true, .other_ranks = 52, .nodes = 64};
  Machine torus = lab;
  torus.torus = {8, 8};
  const auto seconds = [&](const Choice& choice, const Machine& machine) {
    return cost_between(choice, 12, 52, facts, machine, no_limit).value().seconds;
  };
  for (const Collective collective : collectives) {
    facts.collective = collective;
    for (const Algorithm* algorithm : algorithms_of(collective, Groups::two)) {
      if (algorithm->native()) continue;
      const Choice choice(*algorithm);
      EXPECT_EQ(seconds(choice, torus), seconds(choice, lab))
          << name_of(collective) << "." << choice.text();
    }
  }
}

// Whatever their length is, and whether the ranks share it.
TEST(Model, WhatGoesThroughMemoryIsOurs) {
  Facts facts{.ranks = 8, .one_node = true, .shares_memory = true};
  const Machine machine{
      .native_shares_cores = true, .native_scatters = true, .native_leads_when_short = true};
  for (const bool oversubscribed : {false, true}) {
    facts.oversubscribed = oversubscribed;
    for (const Collective collective : collectives) {
      if (among_neighbours(collective)) continue;
      facts.collective = collective;
      for (const std::int64_t bytes : {std::int64_t{8}, 64 * kib, 8 * mib}) {
        facts.bytes = length_is_shared(collective) ? bytes : 0;
        EXPECT_NE(chosen(facts, machine).choice->text(), "native") << name_of(collective);
      }
    }
  }
  facts.inter = true;
  facts.other_ranks = 4;
  EXPECT_EQ(chosen(facts, machine).reason, "model: one node");
}

bool gains(Collective collective, std::int64_t bytes, const Machine& machine = lab) {
  const Facts facts{.collective = collective, .bytes = bytes, .ranks = 8, .nodes = 8};
  return nonblocking_gains(facts, *choose(facts, {}, machine).choice, machine,
                           [&] { return prices(facts, machine); });
}

// MPI libraries broadcast in a tree or scatter first; but they have good allgathers and allreduces.
TEST(CallsThatDoNotWait, GainWhereMessagesAreLongAndLibrariesHaveNothingAsGood) {
  EXPECT_TRUE(gains(Collective::bcast, 64 * kib));
  EXPECT_TRUE(gains(Collective::reduce, mib));
  EXPECT_FALSE(gains(Collective::allreduce, mib));
  EXPECT_FALSE(gains(Collective::allgather, mib));
  EXPECT_FALSE(gains(Collective::bcast, 16 * kib));
  Machine low_latency = lab;
  low_latency.alpha = low_latency.alpha / 8;
  EXPECT_TRUE(gains(Collective::bcast, 16 * kib, low_latency));
}

TEST(CallsThatDoNotWait, GainOnlyWhereAllThatLibrariesHaveIsPriced) {
  const Facts facts{.collective = Collective::bcast, .bytes = mib, .ranks = 8, .nodes = 8};
  const Choice choice = *choose(facts, {}, lab).choice;
  std::vector<Candidate> priced = prices(facts, lab);
  EXPECT_TRUE(nonblocking_gains(facts, choice, lab, [&] { return priced; }));
  std::erase_if(priced, [](const Candidate& one) { return one.choice->text() == "binomial"; });
  EXPECT_FALSE(nonblocking_gains(facts, choice, lab, [&] { return priced; }));
}

// A link carries each block once; but as often as there are ranks behind it, if each is sent its
// own.
TEST(CallsThatDoNotWait, GainInAllgathersWhereLibrariesSendRanksOfANodeTheSame) {
  const auto gains_on = [](int ranks_per_node, const Machine& machine) {
    std::vector<int> node_of(16);
    for (int rank = 0; rank < 16; ++rank) {
      node_of[static_cast<std::size_t>(rank)] = rank / ranks_per_node;
    }
    const Topology nodes{.nodes = Partition::by(node_of), .sites = {}};
    const Facts facts{.collective = Collective::allgather,
                      .bytes = 256 * kib,
                      .ranks = 16,
                      .shares_memory = true,
                      .topology = &nodes,
                      .nodes = 16 / ranks_per_node,
                      .ranks_per_node = ranks_per_node};
    return nonblocking_gains(facts, *choose(facts, {}, machine).choice, machine,
                             [&] { return prices(facts, machine); });
  };
  Machine open_mpi = lab;
  open_mpi.native_floods = true;
  EXPECT_TRUE(gains_on(4, open_mpi));
  EXPECT_TRUE(gains_on(2, open_mpi));
  EXPECT_FALSE(gains_on(1, open_mpi));
  EXPECT_FALSE(gains_on(4, lab));
}

struct InMemory {
  Facts facts{.ranks = 4, .one_node = true, .shares_memory = true};

  [[nodiscard]] bool gains(Collective collective, std::int64_t bytes, Library library) {
    const Machine machine = machine_in_memory(library);
    facts.collective = collective;
    facts.bytes = bytes;
    return nonblocking_gains(facts, *choose(facts, {}, machine).choice, machine,
                             [] { return std::vector<Candidate>(); });
  }
};

TEST(CallsThatDoNotWait, GainInMemory) {
  InMemory node;
  for (const Library library : {Library::mpich, Library::open_mpi}) {
    EXPECT_TRUE(node.gains(Collective::allreduce, 8, library));
    EXPECT_TRUE(node.gains(Collective::allreduce, mib, library));
    EXPECT_TRUE(node.gains(Collective::alltoall, 64 * kib, library));
    EXPECT_FALSE(node.gains(Collective::alltoall, mib, library));  // copied once by everybody
  }
  node.facts.shares_memory = false;
  EXPECT_FALSE(node.gains(Collective::allreduce, 8, Library::mpich));
}

TEST(CallsThatDoNotWait, GainInMemoryWithSharedCoresIfTheyAreShortOrTheLibraryGivesCoresAway) {
  InMemory node;
  node.facts.oversubscribed = true;
  EXPECT_TRUE(node.gains(Collective::allreduce, 8 * kib, Library::mpich));
  EXPECT_FALSE(node.gains(Collective::allreduce, mib, Library::mpich));
  EXPECT_TRUE(node.gains(Collective::allreduce, mib, Library::open_mpi));
}

TEST(CallsThatDoNotWait, GainNothingWhereTheLibraryKeepsCoresWhileItWaits) {
  Facts facts{.collective = Collective::bcast, .bytes = mib, .ranks = 8, .nodes = 8};
  const Choice choice = *choose(facts, {}, lab).choice;
  facts.oversubscribed = true;
  EXPECT_FALSE(nonblocking_gains(facts, choice, lab, [&] { return prices(facts, lab); }));
  Machine gives_cores_away = lab;
  gives_cores_away.native_shares_cores = true;
  EXPECT_TRUE(nonblocking_gains(facts, choice, gives_cores_away,
                                [&] { return prices(facts, gives_cores_away); }));
}

// Elsewhere the model leaves such calls to the MPI library, so that there is nothing to compare.
TEST(Candidates, AreOursAndNativeWhereOnlyTheLengthIsMissing) {
  Facts facts{.bytes = 0, .ranks = 8, .one_node = true, .shares_memory = true};
  const Machine machine{.native_shares_cores = true};
  for (const Collective collective :
       {Collective::alltoallv, Collective::alltoallw, Collective::gatherv, Collective::scatterv}) {
    facts.collective = collective;
    facts.one_node = facts.shares_memory = true;
    const std::vector<Candidate> found = candidates(facts, {}, machine);
    ASSERT_EQ(found.size(), 2U) << name_of(collective);
    EXPECT_NE(found.front().choice->text(), "native");
    EXPECT_EQ(found.back().choice->text(), "native");
    facts.one_node = facts.shares_memory = false;
    facts.nodes = facts.ranks;
    EXPECT_EQ(candidates(facts, {}, machine).size(), 1U) << name_of(collective);
  }
}

TEST(Candidates, BeginWithThoseThatNeedNoSearch) {
  const Machine machine{.native_shares_cores = true};
  Facts facts{.ranks = 8, .nodes = 8};
  for (const Collective collective :
       {Collective::allreduce, Collective::bcast, Collective::exscan}) {
    facts.collective = collective;
    for (const std::int64_t bytes : {std::int64_t{8}, 8 * kib, 1024 * kib}) {
      facts.bytes = bytes;
      const std::vector<Candidate> first = candidates_at_once(facts, {}, machine);
      const std::vector<Candidate> all = candidates(facts, {}, machine);
      EXPECT_EQ(first.back().choice->text(), "native");
      ASSERT_LE(first.size(), all.size());
      for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].choice->text(), all[i].choice->text());
      }
    }
  }
  facts.ranks = 1 << 20;  // no model
  facts.nodes = facts.ranks;
  EXPECT_EQ(candidates_at_once(facts, {}, machine).size(), 1U);
}

// Where copies are most of the time, the message is copied in once.
TEST(Model, WhatManyReadInMemoryIsExposed) {
  Facts facts{.collective = Collective::bcast,
              .bytes = 64 * kib,
              .ranks = 8,
              .one_node = true,
              .shares_memory = true};
  const Machine machine{.alpha = 1.5e-7, .gap = 5e-8, .beta = 6e-11};
  EXPECT_EQ(chosen(facts, machine).choice->text(), "linear");
  EXPECT_EQ(chosen(facts, machine).reason, "model: one copy for all readers");
  facts.bytes = 8;
  EXPECT_EQ(chosen(facts, machine).reason, "model: cheapest");
  facts.bytes = 64 * kib;
  facts.ranks = 2;
  EXPECT_EQ(chosen(facts, machine).reason, "model: cheapest");
}

// To write a message to memory takes no core of another rank, to wait for one does.
TEST(Model, RanksThatShareCoresSendAllBeforeTheyWait) {
  Facts facts{.collective = Collective::alltoall,
              .bytes = 64 * kib,
              .ranks = 8,
              .one_node = true,
              .shares_memory = true,
              .oversubscribed = true};
  EXPECT_EQ(chosen(facts, {}).choice->text(), "scattered");
}

// Where nobody has to wait until all have come, the cores are never idle, and to copy less is
// quicker than to have fewer rounds.
TEST(Model, RanksThatShareCoresCopyLeastUnlessAllWaitForAll) {
  Facts facts{.collective = Collective::scan,
              .bytes = 8,
              .ranks = 8,
              .one_node = true,
              .shares_memory = true,
              .oversubscribed = true};
  const Machine machine = machine_in_memory(Library::open_mpi);
  for (const std::int64_t bytes : {std::int64_t{8}, 16 * kib, mib}) {
    facts.bytes = bytes;
    EXPECT_EQ(chosen(facts, machine).choice->text(), "chain");
    EXPECT_EQ(chosen(facts, machine).reason, "model: copies least, as ranks share cores");
  }
  facts.collective = Collective::reduce;
  EXPECT_EQ(chosen(facts, machine).choice->text(), "binomial");
  facts.collective = Collective::allreduce;
  EXPECT_EQ(chosen(facts, machine).reason.find("copies least"), std::string::npos);
  facts.collective = Collective::reduce;
  facts.oversubscribed = false;
  EXPECT_EQ(chosen(facts, machine).choice->text(), "circulant");
  facts.collective = Collective::scan;
  facts.bytes = 8;
  EXPECT_EQ(chosen(facts, machine).choice->text(), "recursive_doubling");
}

TEST(Model, MessagesThatShareALinkAreNotScatteredDownATree) {
  EXPECT_EQ(taken(Collective::scatter, mib, 8), "linear");
}

// Four nodes at either side of a WAN as quick as their links, 5 ms away.
class BetweenSites : public ::testing::Test {
 protected:
  BetweenSites() {
    machine.far_alpha = 5e-3;
    machine.far_beta = machine.beta;
  }
  Verdict of(Collective collective, std::int64_t bytes) {
    return chosen({.collective = collective, .bytes = bytes, .ranks = 8, .topology = &two},
                  machine);
  }
  const Topology two{.nodes = {}, .sites = Partition::by(std::vector{0, 0, 0, 0, 1, 1, 1, 1})};
  Machine machine = lab;
};

TEST_F(BetweenSites, NativeIsLeftOnlyWhereSomebodyKnowsTheWayBetweenThem) {
  EXPECT_EQ(of(Collective::allgather, mib).reason, "model: cheapest between sites");
  machine.far_alpha = 0;
  EXPECT_EQ(of(Collective::allgather, mib).reason, "model: several sites");
}

TEST_F(BetweenSites, EveryRankTakesAShareOfLongMessages) {
  for (const Collective collective : {Collective::allgather, Collective::allgatherv,
                                      Collective::allreduce, Collective::reduce_scatter_block}) {
    machine.far_beta = machine.beta / 8;
    EXPECT_TRUE(of(collective, 64 * kib).choice->text().starts_with("lanes(level=sites"))
        << name_of(collective);
  }
  // Rings inside a site do not cross.
  EXPECT_EQ(of(Collective::allgather, 64 * kib).choice->text(), "lanes(level=sites)");
  for (const Collective collective : {Collective::bcast, Collective::reduce}) {
    EXPECT_EQ(of(collective, mib).reason, "model: cheapest between sites");
  }
}

// Where the way is no wider than a link, all that crosses does so while the rest goes around.
TEST_F(BetweenSites, RingsPassSitesWhoseRanksFollowEachOther) {
  EXPECT_EQ(of(Collective::allgather, mib).choice->text(), "ring");
  EXPECT_EQ(of(Collective::allreduce, mib).choice->text(), "ring");
  const Topology mixed{.nodes = {}, .sites = Partition::by(std::vector{0, 1, 0, 1, 0, 1, 0, 1})};
  const Facts facts{
      .collective = Collective::allgather, .bytes = mib, .ranks = 8, .topology = &mixed};
  EXPECT_NE(chosen(facts, machine).choice->text(), "ring");
}

TEST_F(BetweenSites, ShortMessagesAreLeftToNative) {
  for (const Collective collective :
       {Collective::allgather, Collective::allreduce, Collective::bcast, Collective::reduce}) {
    EXPECT_EQ(of(collective, 64).reason, "model: several sites") << name_of(collective);
  }
  EXPECT_EQ(of(Collective::gather, mib).reason, "model: several sites");
}

TEST_F(BetweenSites, ExchangesOfMoreThanTheWayHoldsGoByLgWhereNativeSendsAllAtOnce) {
  EXPECT_EQ(of(Collective::alltoall, mib).reason, "model: several sites");
  machine.native_floods = true;
  EXPECT_EQ(of(Collective::alltoall, 64 * kib).reason, "model: several sites");
  EXPECT_EQ(of(Collective::alltoall, mib).choice->text(), "lg(discipline=paced)");
}

TEST_F(BetweenSites, WhatDoesNotCommuteNeedsSitesOfConsecutiveRanks) {
  const Topology mixed{.nodes = {}, .sites = Partition::by(std::vector{0, 1, 0, 1, 0, 1, 0, 1})};
  Facts facts{.collective = Collective::allreduce, .bytes = mib, .ranks = 8, .topology = &mixed};
  EXPECT_NE(chosen(facts, machine).choice->text(), "native");
  facts.commutative = false;
  EXPECT_EQ(chosen(facts, machine).choice->text(), "native");
}

TEST(Model, MessagesThatDoNotWaitTakeAGapEach) {
  EXPECT_EQ(simulated_taken(Collective::alltoall, 8 * kib, 16), "scattered");
  EXPECT_EQ(simulated_taken(Collective::gather, 8 * kib, 16), "linear");
  EXPECT_EQ(simulated_taken(Collective::scatter, 64 * kib, 16), "linear");
  // Between nodes an exposed block is a message to each reader, as in concurrent.
  EXPECT_EQ(simulated_taken(Collective::allgather, 8 * kib, 7), "linear");
  EXPECT_EQ(simulated_taken(Collective::bcast, kib, 128), "postal");
  EXPECT_EQ(simulated_taken(Collective::reduce, kib, 128), "postal");
}

TEST(Model, ManyGapsTakeLongerThanFewStartups) {
  EXPECT_EQ(simulated_taken(Collective::gather, kib, 128), "bine(discipline=paced)");
  EXPECT_EQ(simulated_taken(Collective::alltoall, kib, 128), "bine(discipline=paced)");
}

// 100 Gbit/s, and a fast start.
constexpr Machine fast{.alpha = 2e-6, .gap = 5e-7, .beta = 8e-11, .handshake = 0};

// The circulant schedule costs as much, but sends half of its data half around the ranks.
TEST(Model, OfThoseThatCostAboutAsMuchTheOneThatKeepsDataNearIsTaken) {
  const Verdict verdict =
      chosen({.collective = Collective::allreduce, .bytes = mib, .ranks = 1056}, fast);
  EXPECT_EQ(verdict.choice->text(), "bine(discipline=paced)");
  EXPECT_EQ(verdict.reason, "model: about the cheapest, keeps data near");
}

// A ring keeps data nearer than all others, but starts up as often as there are ranks.
TEST(Model, ButNotOneThatStartsUpForMuchLonger) {
  EXPECT_NE(taken(Collective::allgather, 64 * kib, 8), "ring");
  EXPECT_NE(taken(Collective::allgather, 64 * kib, 16), "ring");
}

TEST(Model, TreesHaveTheRadixThatIsCheapest) {
  const Facts facts{
      .collective = Collective::gather, .bytes = 64 * kib, .ranks = 128, .nodes = 128};
  EXPECT_EQ(chosen(facts, fast).choice->text(), "binomial(radix=4)");
  EXPECT_EQ(prices(facts, fast).front().choice->text(), "binomial(radix=4)");
}

// Of two ranks, the roots of the two trees, each combines all: the others half each.
TEST(Model, WhereARankMovesItsBytesItselfItDoesNotCombineMeanwhile) {
  Facts facts{.collective = Collective::allreduce,
              .bytes = 64 * kib,
              .ranks = 2,
              .one_node = true,
              .shares_memory = true};
  const Machine machine{.alpha = 1.5e-7, .gap = 5e-8, .beta = 6e-11};
  for (; facts.bytes <= 8 * mib; facts.bytes *= 2) {
    EXPECT_NE(chosen(facts, machine).choice->text(), "dual_root") << facts.bytes;
  }
}

TEST(Model, LongBlocksDoNotQueueForAPort) {
  EXPECT_EQ(simulated_taken(Collective::alltoall, 4 * mib, 60), "pairwise");
  EXPECT_EQ(simulated_taken(Collective::alltoall, 4 * mib, 128), "pairwise");
  EXPECT_EQ(taken(Collective::alltoall, 8 * mib, 8), "pairwise");
}

TEST(Model, WithoutHandshakeRoundsArePaced) {
  EXPECT_EQ(simulated_taken(Collective::reduce, 4 * mib, 16), "circulant(discipline=paced)");
  EXPECT_EQ(taken(Collective::reduce, 4 * mib, 16), "circulant");
}

// Where ranks wait for each other's cores, no message comes right after another.
TEST(Model, OfMessagesBetweenSharedCoresEachTakesAStartup) {
  const Facts facts{.collective = Collective::gather,
                    .bytes = 8 * kib,
                    .ranks = 16,
                    .one_node = true,
                    .oversubscribed = true};
  EXPECT_EQ(chosen(facts, Machine()).choice->text(), "binomial");
}

// What an MPI library has too it starts with less ado; but no library has pipelines on circulant
// graphs, and none a good algorithm for every long message.
TEST(Model, ShortMessagesAreLeftToLibrariesThatAreGoodAtThem) {
  Machine real = lab;
  real.gap = 3e-5;
  real.native_leads_when_short = true;
  const auto reason = [&](Collective collective, std::int64_t bytes) {
    return chosen({.collective = collective, .bytes = bytes, .ranks = 8}, real).reason;
  };
  EXPECT_EQ(reason(Collective::allreduce, 8), "model: short");
  EXPECT_EQ(reason(Collective::barrier, 0), "model: short");
  EXPECT_EQ(reason(Collective::bcast, 256 * kib), "model: cheapest");
  EXPECT_EQ(reason(Collective::alltoall, mib), "model: cheapest");
}

TEST(Model, SoManyRanksAreNotPriced) {
  Facts facts{.collective = Collective::bcast, .bytes = mib, .ranks = 8192};
  EXPECT_EQ(chosen(facts).choice->text(), "circulant(discipline=paced)");
  facts.ranks = 8193;
  EXPECT_EQ(chosen(facts).reason, "model: too many ranks to price");
  facts.nodes = facts.ranks;
  EXPECT_TRUE(prices(facts, lab).empty());
}

}  // namespace
}  // namespace roundelay::choose
