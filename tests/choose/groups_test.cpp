// SPDX-License-Identifier: Apache-2.0
// Names for one group of ranks and for two: each call looks at those for its kind.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "choose/chooser.hpp"
#include "choose/json.hpp"
#include "choose/profile.hpp"

namespace roundelay::choose {
namespace {

constexpr Facts within{.collective = Collective::allgather, .bytes = 800, .ranks = 8};
constexpr Facts between{.collective = Collective::allgather,
                        .bytes = 800,
                        .ranks = 8,
                        .inter = true,
                        .other_ranks = 5,
                        .one_node = true};

std::string chosen(const Facts& facts, const std::string& forced) {
  Wishes wishes;
  wishes.forced = parse_choices(forced);
  const Verdict verdict = choose(facts, wishes);
  return verdict.choice->text() + ": " + verdict.reason;
}

TEST(Groups, ANameIsForItsKindOfCommunicator) {
  const std::string both = "allgather=ring; allgather=inter_ring(discipline=paced)";
  EXPECT_EQ(parse_choices(both).text(), both);
  EXPECT_EQ(chosen(within, both), "ring: forced");
  EXPECT_EQ(chosen(between, both), "inter_ring(discipline=paced): forced");
  EXPECT_EQ(chosen(between, "allgather=ring"), "native: model: one node");
  EXPECT_NE(chosen(within, "allgather=inter_ring"), "inter_ring: forced");
  EXPECT_EQ(chosen(between, "allgather=native"), "native: forced");
  EXPECT_THROW((void)parse_choices("allgather=inter_ring; allgather=inter_full"), SpellingError);
}

TEST(Groups, WhatIsPartOfAnAlgorithmIsForOne) {
  EXPECT_THROW((void)parse_choices("bcast=scatter_allgather(allgather=inter_ring)"), SpellingError);
  EXPECT_EQ(parse_algorithm(Collective::allgather, "inter_full(allgather=ring)").text(),
            "inter_full(allgather=ring)");
}

TEST(Groups, BlocksOfAnyLengthsHaveNoSharedOneBetween) {
  Facts facts = between;
  facts.collective = Collective::allgatherv;
  facts.bytes = 0;
  EXPECT_EQ(chosen(facts, "allgatherv=inter_full"), "inter_full: forced");
  facts.inter = false;
  EXPECT_EQ(choose(facts, {}).reason, "no data");
}

TEST(Groups, OfWhatHasARootNotAllRanksKnowAnything) {
  Facts facts = between;
  facts.one_node = false;
  facts.nodes = facts.ranks;
  facts.bytes = 0;
  for (const Collective collective : {Collective::bcast, Collective::reduce}) {
    facts.collective = collective;
    EXPECT_EQ(chosen(facts, ""), "native: model: the ranks do not share the length");
  }
  EXPECT_EQ(chosen(facts, "reduce=inter_pieces"), "inter_pieces: forced");
  facts.collective = Collective::alltoall;
  facts.bytes = 800;
  EXPECT_EQ(chosen(facts, ""), "native: model: between groups");
}

// Whatever both groups send, and in whichever group one asks.
TEST(Groups, TheModelTakesWhatIsCheaperInBothDirections) {
  for (const Collective collective :
       {Collective::allgather, Collective::allreduce, Collective::reduce_scatter_block}) {
    for (const int other : {1, 2, 4, 5, 7}) {
      for (const std::int64_t bytes : {1, 1 << 10, 1 << 20, 1 << 26}) {
        Facts facts = between;
        facts.collective = collective;
        facts.one_node = false;
        facts.nodes = facts.ranks;
        facts.bytes = bytes;
        facts.other_ranks = other;
        const Verdict here = choose(facts, {});
        facts.other_ranks = facts.ranks - other;
        const Verdict there = choose(facts, {});
        EXPECT_EQ(here.choice->text(), there.choice->text());
        EXPECT_EQ(here.reason, "model: cheapest");
        EXPECT_NE(here.choice->algorithm->name, "inter_root");
        if (bytes == 1 << 26 && other > 1 && other < 7) {
          EXPECT_FALSE(here.choice->algorithm->native()) << name_of(collective) << " " << other;
        }
        facts.nodes = facts.ranks / 2;
        EXPECT_EQ(choose(facts, {}).reason, "model: shared nodes");
        facts.one_node = true;
        EXPECT_EQ(choose(facts, {}).reason, "model: one node");
      }
    }
  }
}

TEST(Groups, ARuleNamesAnAlgorithmOfItsKind) {
  const auto error = [](const std::string& rule) -> std::string {
    try {
      (void)Profile::parse(
          R"({"version": 1, "name": "x", "collectives": {"allgather": [)" + rule + "]}}",
          "test.json");
    } catch (const FileError& wrong) {
      return wrong.what();
    }
    return {};
  };
  EXPECT_EQ(error(R"({"algorithm": "inter_full", "kind": "inter"})"), "");
  EXPECT_EQ(error(R"({"algorithm": "native", "kind": "inter"})"), "");
  EXPECT_NE(error(R"({"algorithm": "inter_full"})").find("\"kind\": \"inter\""), std::string::npos);
  EXPECT_NE(error(R"({"algorithm": "ring", "kind": "inter"})").find("\"kind\": \"intra\""),
            std::string::npos);
}

// Parts of algorithms for two groups know nothing of nodes.
TEST(Groups, WhoKnowsTheNodesChoosesAsWhoDoesNot) {
  const Topology nodes{.nodes = Partition::by(std::vector<int>{0, 1, 2, 3, 4, 5}), .sites = {}};
  for (const Collective collective : {Collective::allgather, Collective::allreduce}) {
    Facts facts{.collective = collective,
                .bytes = 1 << 20,
                .ranks = 6,
                .inter = true,
                .other_ranks = 3,
                .nodes = 6};
    const std::string without = chosen(facts, "");
    facts.topology = &nodes;
    EXPECT_EQ(chosen(facts, ""), without);
  }
}

}  // namespace
}  // namespace roundelay::choose
