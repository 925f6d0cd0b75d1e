// SPDX-License-Identifier: Apache-2.0
#include "interpret/price.hpp"

#include <gtest/gtest.h>

#include "interpret/lockstep.hpp"

namespace roundelay::interpret {
namespace {

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
