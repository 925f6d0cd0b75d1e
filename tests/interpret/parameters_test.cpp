// SPDX-License-Identifier: Apache-2.0
// Numbers between the least and the greatest of a parameter, where an algorithm has other cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "algorithms/parts/pipeline.hpp"
#include "catalogue_cases.hpp"
#include "choose/spelling.hpp"
#include "interpret/exact_length.hpp"
#include "interpret/mutants.hpp"
#include "interpret/prove.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

struct Between {
  Collective collective;
  std::string_view name;
  std::vector<std::int64_t> numbers;  // of the first parameter
};

void PrintTo(const Between& between, std::ostream* out) {
  *out << name_of(between.collective) << "." << between.name;
}

class BetweenTheEnds : public testing::TestWithParam<Between> {};

TEST_P(BetweenTheEnds, IsProvenAndNoMutantSurvives) {
  for (const std::int64_t number : GetParam().numbers) {
    Choice choice(*find(GetParam().collective, GetParam().name));
    choice.values[0].number = number;
    for (int p = 1; p <= most_ranks_tried; ++p) {
      const Proof proof = prove(choice, p);
      EXPECT_TRUE(proof.ok) << choice.text() << ": " << proof.error;
    }
    const Case of{.p = 6, .m = exact_length(choice, 6)};
    EXPECT_EQ(mutants(choice, of).survivors, std::vector<std::string>{}) << choice.text();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, BetweenTheEnds,
    testing::Values(Between{Collective::allgather, "concurrent", {3, 4, 5, 6, 8}},
                    Between{Collective::allgatherv, "circulant", {3, 5, 9}},
                    Between{Collective::alltoall, "bruck", {3, 4, 5, 6}},
                    Between{Collective::alltoall, "scattered", {2, 3}},
                    Between{Collective::alltoallv, "tuna", {3, 4, 5, 6, 11}},
                    Between{Collective::gather, "linear", {2, 3}},
                    Between{Collective::reduce_scatter, "circulant", {3, 5, 9}},
                    Between{Collective::scatter, "linear", {2, 3}}),
    [](const auto& info) {
      return std::string(name_of(info.param.collective)) + "_" + std::string(info.param.name);
    });

TEST(BlocksOfPipelines, AreCountedByWhatTheirAlgorithmsClaim) {
  int pipelines = 0;
  for (const Algorithm* algorithm : catalogue()) {
    const Choice choice(*algorithm);
    const Dimensions of{.p = 24, .m = 1e6, .network = {.startup = 1000, .gap = 1000}};
    if (algorithm->parameter("blocks") == nullptr) continue;
    const std::vector<int> blocks = blocks_in_turn(choice, of);
    ASSERT_EQ(blocks.size(), 1U);
    ++pipelines;
    SCOPED_TRACE(std::string(name_of(algorithm->collective)) + "." + choice.text());
    for (const int n : {1, 2, 7, 100}) {
      EXPECT_EQ(blocks_in_turn(cut_into({n}, choice), of), std::vector{n});
    }
    EXPECT_EQ(blocks_in_turn(choice, {.p = 1, .m = 1e6}), std::vector{1});
    // What is one for each rank is not cut by itself.
    if (choice.claims().symmetric) continue;
    EXPECT_GT(blocks.front(), 16);
    EXPECT_EQ(cut_into(blocks, choice).claims().rounds(of), choice.claims().rounds(of));
  }
  EXPECT_GE(pipelines, 8);
}

// Of up to six dimensions, also of unlike lengths.
TEST(Swing, IsProvenOnEveryTorusOfEvenLengths) {
  struct Torus {
    const char* algorithm;
    int p;
  };
  for (const auto& [algorithm, p] :
       {Torus{"swing(x=2)", 12}, Torus{"swing(x=4)", 24}, Torus{"swing(x=2, y=2)", 8},
        Torus{"swing(x=2, y=4)", 48}, Torus{"swing(x=2, y=2, z=2)", 16},
        Torus{"swing(x=2, y=2, z=2, u=2)", 32}, Torus{"swing(x=2, y=2, z=2, u=2, v=2)", 64}}) {
    for (const int ranks : {p, p + 1}) {
      const Choice choice = choose::parse_algorithm(Collective::allreduce, algorithm);
      const Proof proof = prove(choice, ranks);
      EXPECT_TRUE(proof.ok) << algorithm << " for " << ranks << ": " << proof.error;
      EXPECT_EQ(choice.claims().ports({.p = ranks, .m = 1}),
                2 * (1 + std::ranges::count(std::string_view(algorithm), '=')));
    }
  }
}

}  // namespace
}  // namespace roundelay::interpret
