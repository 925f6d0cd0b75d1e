// SPDX-License-Identifier: Apache-2.0
// Blocks that lie where a rank says: no two of them are one slice.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "interpret/cases.hpp"
#include "interpret/rehearsal.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

// What verify says of schedules in place of an algorithm's, of blocks of 0, 3 and 6 units; the
// rehearsal says whether it is right.
std::string allgatherv_error(Schedule (*schedule)(const Problem& x)) {
  const Call call(Choice(*find(Collective::allgatherv, "ring")),
                  {.p = 3, .m = 9, .distribution = Distribution::uneven, .apart = true});
  const Schedules schedules = [&](int rank) { return schedule(call.problem(rank)); };
  const Proof proof = verify(call, schedules);
  EXPECT_EQ(rehearse(call, schedules, DeliveryTime::as_soon_as_matched), proof.ok);
  return proof.error;
}

// To rank 0, which sends all of it as one slice.
Schedule all_as_one(const Problem& x) {
  const Group g = x.group;
  if (g.rank > 0) {
    co_yield round(send(x.blocks[g.rank], g[0]));
    co_yield round(recv(x.blocks.whole(), g[0]));
    co_return;
  }
  for (int from = 1; from < g.size; ++from) co_yield round(recv(x.blocks[from], g[from]));
  for (int to = 1; to < g.size; ++to) co_yield round(send(x.blocks.whole(), g[to]));
}

// A ring, after which rank 0 writes a unit that is after its block 2 and before its block 1.
Schedule ring_beside_blocks(const Problem& x) {
  co_yield all(find(Collective::allgatherv, "ring")->schedule(x));
  if (x.group.rank == 0) co_yield round(copy(x.blocks[1].part(0, 1), Slice(Space::output, 6, 1)));
}

TEST(Apart, SeveralBlocksAreNoSlice) {
  EXPECT_EQ(allgatherv_error(all_as_one),
            "rank 1, round 1: output[0, 10) would be written, but output[3, 4) must be left alone");
}

TEST(Apart, WhatIsBetweenBlocksIsLeftAlone) {
  EXPECT_EQ(allgatherv_error(ring_beside_blocks),
            "rank 0, round 2: output[6, 7) would be written, but output[6, 7) must be left alone");
}

TEST(Apart, IsTriedWhereARankSaysWhereItsBlocksLie) {
  for (const Collective collective : collectives) {
    for (const Algorithm* algorithm : algorithms_of(collective)) {
      if (algorithm->native() || algorithm->uses_topology()) continue;
      const bool tried = std::ranges::any_of(cases_of(Choice(*algorithm), 3), &Case::apart);
      EXPECT_EQ(tried, laid_out(collective)) << name_of(collective) << "." << algorithm->name;
    }
  }
}

}  // namespace
}  // namespace roundelay::interpret
