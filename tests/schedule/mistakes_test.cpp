// SPDX-License-Identifier: Apache-2.0
#include "algorithms/mistakes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace roundelay {
namespace {

Schedule nothing() { co_return; }

Algorithm algorithm(std::string_view name) {
  return {.collective = Collective::bcast,
          .name = name,
          .summary = "Of a test.",
          .paper = "none",
          .claims = [](const Choice& /*choice*/) -> Claims { return {}; },
          .schedule = [](const Problem& /*x*/) { return nothing(); }};
}

std::vector<std::string> mistakes_of(const Algorithm& algorithm) {
  const std::vector<const Algorithm*> all{&algorithm};
  return mistakes_in(all);
}

using Sentences = std::vector<std::string>;

TEST(Mistakes, ThereAreNoneInTheCatalogue) { EXPECT_EQ(mistakes_in(catalogue()), Sentences()); }

TEST(Mistakes, ANameMustBeSpelled) {
  EXPECT_EQ(mistakes_of(algorithm("two_rings")), Sentences());
  EXPECT_EQ(mistakes_of(algorithm("two-rings")),
            Sentences{"bcast.two-rings cannot be chosen: its name, 'two-rings', may have only a to "
                      "z, 0 to 9 and _"});
  EXPECT_EQ(mistakes_of(algorithm("")).size(), 1U);
}

TEST(Mistakes, NamesDiffer) {
  const Algorithm one = algorithm("tree");
  const Algorithm other = algorithm("tree");
  EXPECT_EQ(mistakes_in(std::vector{&one, &other}), Sentences{"bcast.tree is there twice"});
}

TEST(Mistakes, AScheduleAndClaimsMustBeThere) {
  Algorithm without = algorithm("tree");
  without.schedule = nullptr;
  EXPECT_EQ(mistakes_of(without), Sentences{"bcast.tree has no schedule"});
  without = algorithm("tree");
  without.claims = nullptr;
  EXPECT_EQ(mistakes_of(without), Sentences{"bcast.tree has no claims"});
  EXPECT_EQ(mistakes_of(algorithm("native")),
            Sentences{"bcast.native has the name of the MPI library's own"});
}

TEST(Mistakes, AParameterHasANameAndADefault) {
  Algorithm of = algorithm("tree");
  of.parameters = {{.name = "degree", .summary = "of it", .least = 1, .most = 4, .standard = "4"}};
  EXPECT_EQ(mistakes_of(of), Sentences());
  of.parameters.front().standard = "5";
  EXPECT_EQ(mistakes_of(of), Sentences{"bcast.tree has a parameter 'degree', which cannot be '5', "
                                       "its default"});
  of.parameters.front().standard = "4";
  of.parameters.push_back(of.parameters.front());
  EXPECT_EQ(mistakes_of(of), Sentences{"bcast.tree has the parameter 'degree' twice"});
  of.parameters = {{.name = "part",
                    .summary = "of it",
                    .kind = Parameter::Kind::algorithm,
                    .collective = Collective::allgather,
                    .standard = "no_such"}};
  EXPECT_EQ(mistakes_of(of), Sentences{"bcast.tree has a parameter 'part', which cannot be "
                                       "'no_such', its default"});
}

}  // namespace
}  // namespace roundelay
