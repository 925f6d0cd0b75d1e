// SPDX-License-Identifier: Apache-2.0
// What a schedule may ask for without saying so in the catalogue.
#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue_cases.hpp"
#include "interpret/prove.hpp"
#include "interpret/shapes.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

// To all from the root; with `skipped` not to the last.
Schedule linear(Problem x, bool skipped) {
  for (int i = 1; i + (skipped ? 1 : 0) < x.group.size; ++i) {
    const int to = (x.root + i) % x.group.size;
    if (x.group.rank == x.root) co_yield round(send(x.data, to));
    if (x.group.rank == to) co_yield round(recv(x.data, x.root));
  }
}

Claims linear_claims(const Choice& /*choice*/) {
  return {.rounds = p() - 1, .volume = m() * (p() - 1)};
}

Algorithm broadcast(Schedule (*schedule)(const Problem& x)) {
  return {.collective = Collective::bcast,
          .name = "test",
          .summary = "Of a test.",
          .paper = "none",
          .claims = linear_claims,
          .schedule = schedule};
}

TEST(Undeclared, AnotherNetworkIsTried) {
  const Algorithm wrong =
      broadcast([](const Problem& x) { return linear(x, x.network != NetworkLengths()); });
  const Proof proof = prove(Choice(wrong), 3);
  EXPECT_FALSE(proof.ok);
  EXPECT_NE(proof.error.find("start-up = 1, gap = 1, longest message = 2: "), std::string::npos)
      << proof.error;
}

TEST(Undeclared, ATopologyIsNotThere) {
  const Algorithm right =
      broadcast([](const Problem& x) { return linear(x, x.topology != nullptr); });
  Case of{.p = 3, .m = 6};
  of.topology.nodes = Partition::by(std::vector{0, 0, 1});
  const Proof proof = verify(Choice(right), of);
  EXPECT_TRUE(proof.ok) << proof.error;
}

TEST(Undeclared, WhereSitesCountNodesAreKnownToo) {
  for (const Choice& choice : all_variants()) {
    if (!choice.algorithm->uses_topology() || level_of(choice) != Level::sites) continue;
    EXPECT_TRUE(std::ranges::all_of(shapes_of(choice, 9), [](const Case& shape) {
      return shape.topology.nodes.known() && shape.topology.nodes != shape.topology.sites;
    })) << choice.text();
  }
}

}  // namespace
}  // namespace roundelay::interpret
