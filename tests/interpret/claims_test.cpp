// SPDX-License-Identifier: Apache-2.0
// What an algorithm claims of all cases together.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "interpret/prove.hpp"

namespace roundelay::interpret {
namespace {

Algorithm gathering(Claims (*claims)(const Choice& choice)) {
  return {.collective = Collective::allgather,
          .name = "test",
          .summary = "Of a test.",
          .paper = "none",
          .claims = claims,
          .schedule = find(Collective::allgather, "linear")->schedule};
}

TEST(Claims, ThatThrowAreAFailure) {
  const Algorithm wrong = gathering(
      [](const Choice& /*choice*/) -> Claims { throw std::runtime_error("no claims today"); });
  EXPECT_EQ(prove(Choice(wrong), 3).error, "p = 3: it throws an exception: no claims today");
  const Algorithm other = gathering([](const Choice& /*choice*/) -> Claims { throw 3; });
  EXPECT_EQ(prove(Choice(other), 3).error, "p = 3: it throws what is no std::exception");
}

// To rank 0, which combines from the left, or from the right if rank 1 is on another node.
Schedule fold(Problem x) {
  const Group g = x.group;
  const Units n = x.data.length();
  const auto place = [n](int rank) { return Slice(Space::scratch, rank * n, n); };
  if (g.rank > 0) {
    co_yield round(send(x.input, g[0]));
    co_yield round(recv(x.data, g[0]));
    co_return;
  }
  co_yield round(copy(x.input, place(0)));
  const int last = g.size - 1;
  for (int from = 1; from <= last; ++from) co_yield round(recv(place(from), g[from]));
  const Partition& nodes = x.topology->nodes;
  if (last > 0 && nodes.part_of(0) == nodes.part_of(1)) {
    for (int rank = 1; rank <= last; ++rank) co_yield round(combine(place(rank - 1), place(rank)));
  } else {
    for (int rank = last; rank-- > 0;) co_yield round(combine(place(rank), place(last)));
  }
  co_yield round(copy(place(last), x.data));
  for (int to = 1; to <= last; ++to) co_yield round(send(x.data, g[to]));
}

TEST(Claims, AFixedOrderDoesNotDependOnWhereTheRanksAre) {
  const Algorithm wrong{
      .collective = Collective::allreduce,
      .name = "test",
      .summary = "Of a test.",
      .paper = "none",
      .restrictions = {Restriction::several_parts},
      .parameters = {level_parameter()},
      .fixed_order = true,
      .claims = [](const Choice& /*choice*/) -> Claims {
        return {.scratch = m() * p(), .rounds = 2 * (p() - 1), .volume = m() * (p() - 1)};
      },
      .schedule = [](const Problem& x) { return fold(x); }};
  EXPECT_EQ(prove(Choice(wrong), 2).error, "");
  EXPECT_EQ(prove(Choice(wrong), 4).error,
            "p = 4: it claims a fixed order, but results were combined in 2 different ones");
}

}  // namespace
}  // namespace roundelay::interpret
