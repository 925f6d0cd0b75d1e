// SPDX-License-Identifier: Apache-2.0
#include "interpret/price.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue_cases.hpp"
#include "interpret/lockstep.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

class PriceOfCatalogue : public testing::TestWithParam<Choice> {};

// The claims are of the worst root, and of even blocks.
double worst_price(const Choice& choice, const Case& shape, const Network& network) {
  double worst = 0;
  for (const Case& of : cases_of(choice, shape)) {
    if (of.m != exact_length(choice, shape.p)) continue;
    if (of.distribution != Distribution::even || of.network != NetworkLengths{}) continue;
    worst = std::max(worst, price(choice, of, network));
  }
  return worst;
}

TEST_P(PriceOfCatalogue, IsTheClosedForm) {
  const Claims claims = GetParam().claims();
  for (const int p : ranks_tried(GetParam())) {
    const auto m = static_cast<double>(exact_length(GetParam(), p));
    for (const Case& shape : shapes_of(GetParam(), p)) {
      const auto expect = [&](const Network& network, const Formula& formula) {
        const double priced = worst_price(GetParam(), shape, network);
        const double claimed = formula({.p = p, .m = m, .q = shape.q, .topology = &shape.topology});
        EXPECT_LE(priced, claimed + 1e-6)
            << "p = " << p << ", q = " << shape.q << ": " << formula.text();
        if (claims.at_most || claims.cost_at_most) return;
        EXPECT_NEAR(priced, claimed, 1e-6) << "p = " << p << ": " << formula.text();
      };
      expect({.alpha = 1}, claims.alpha);
      expect({.beta = 1}, claims.beta);
      expect({.gamma = 1}, claims.gamma);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, PriceOfCatalogue, testing::ValuesIn(all_variants()), test_name);

Schedule star(int rank, int p) {
  RoundList list;
  const Slice data(Space::output, 0, 10);
  for (int peer = 1; peer < p; ++peer) {
    if (rank == 0) list.add(send(data, peer));
    if (rank == peer) list.add(recv(data, 0));
  }
  co_yield list;
}

double star_price(int p, const Network& network) {
  return price(p, [p](int rank) { return star(rank, p); }, network);
}

TEST(Price, APortSendsOneMessageAfterTheOther) {
  EXPECT_DOUBLE_EQ(star_price(5, {.alpha = 1, .beta = 0.5}), 4 * 6);
  EXPECT_DOUBLE_EQ(star_price(5, {.alpha = 1, .beta = 0.5, .ports = 2}), 2 * 6);
  EXPECT_DOUBLE_EQ(star_price(5, {.alpha = 1, .beta = 0.5, .ports = 4}), 6);
}

TEST(Price, TwoLevels) {
  const Network network{
      .alpha = 10, .beta = 1, .ranks_per_node = 2, .alpha_node = 1, .beta_node = 0.1};
  EXPECT_DOUBLE_EQ(star_price(2, network), 2);
  EXPECT_DOUBLE_EQ(star_price(4, network), 2 + 20 + 20);
}

Schedule staggered(int rank) {
  const Slice data(Space::output, 0, 10);
  const Slice more(Space::output, 10, 10);
  if (rank == 0) {
    co_yield round(deferred(send(data, 1), 1));
    co_yield round(combine(more, more));
    co_yield fence(1);
    co_yield round(send(data, 1));
  } else {
    co_yield round(recv(data, 0));
    co_yield round(recv(data, 0));
  }
}

TEST(Price, WorkGoesOnWhileADeferredTransferIsInFlight) {
  EXPECT_DOUBLE_EQ(price(2, staggered, {.alpha = 5, .gamma = 0.3}), 10);
  EXPECT_DOUBLE_EQ(price(2, staggered, {.alpha = 1, .gamma = 0.3}), 4);
}

TEST(Price, OfWhatCannotEndIsAnError) {
  const auto lonely = [](int) -> Schedule { co_yield round(recv(Slice(Space::output, 0, 1), 0)); };
  EXPECT_THROW((void)price(2, lonely, {}), Broken);
  EXPECT_THROW((void)star_price(2, {.ports = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace roundelay::interpret
