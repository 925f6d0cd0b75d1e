// SPDX-License-Identifier: Apache-2.0
// Ranks that begin to use what they share, each at its own speed. They are threads here, so that
// ThreadSanitizer sees what they do (shared_tests_threads).
#include "shared/meeting.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "shared/memory.hpp"

namespace roundelay::shared {
namespace {

// The first call that each rank makes with the memory; 0: it has made none.
std::vector<std::uint32_t> begins(int ranks, std::uint32_t calls, unsigned seed, bool one_is_out) {
  Meeting meeting{};
  std::vector<std::uint32_t> first(static_cast<std::size_t>(ranks));
  on_each(ranks, [&](int rank) {
    std::minstd_rand random(seed + static_cast<unsigned>(rank));
    const std::uint32_t signs_in = 1 + random() % (calls / 2);
    bool ready = false;
    for (std::uint32_t call = 1; call <= calls; ++call) {
      if (random() % 8 == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
      }
      if (one_is_out && rank == ranks - 1) continue;
      if (call == signs_in) meeting.sign();
      bool with = false;
      if (ready) {
        with = meeting.has_begun(call, ranks);
      } else if (call > signs_in && meeting.all_signed(ranks)) {
        meeting.be_ready(call, 10U + static_cast<unsigned>(rank), 20);
        ready = true;
      }
      std::uint32_t& own = first[static_cast<std::size_t>(rank)];
      EXPECT_TRUE(with || own == 0) << "rank " << rank << " goes back in call " << call;
      if (with && own == 0) own = call;
    }
  });
  return first;
}

TEST(Meeting, BeginsAtTheSameCallOnAllRanks) {
  int begun = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 4);
    const std::vector<std::uint32_t> first = begins(ranks, 200, 100 * seed, false);
    // A rank that made all its calls before the others were ready makes none with the memory; then
    // they decide for a call that nobody makes.
    for (const std::uint32_t call : first) EXPECT_EQ(call, first.front()) << "seed " << seed;
    begun += first.front() > 0 ? 1 : 0;
  }
  EXPECT_GT(begun, 0);
}

TEST(Meeting, DoesNotBeginWithoutARank) {
  for (const std::uint32_t call : begins(3, 200, 1, true)) EXPECT_EQ(call, 0U);
}

TEST(Meeting, BeginsWithACallThatNobodyHasMade) {
  Meeting meeting{};
  meeting.be_ready(7, 5, 1);
  EXPECT_FALSE(meeting.has_begun(8, 2)) << "the other one is not ready";
  EXPECT_FALSE(meeting.has_begun(9, 2));
  meeting.be_ready(3, 4, 2);
  EXPECT_FALSE(meeting.has_begun(4, 2)) << "the other one has made call 9";
  EXPECT_FALSE(meeting.has_begun(9, 2));
  EXPECT_TRUE(meeting.has_begun(10, 2));
  EXPECT_TRUE(meeting.has_begun(11, 2));
  EXPECT_EQ(meeting.one_way(), 5U);
  EXPECT_EQ(meeting.both_ways(), 2U);
}

TEST(Meeting, BeginsAtOnceWhereNobodyIsAhead) {
  Meeting meeting{};
  meeting.be_ready(3, 0, 0);
  meeting.be_ready(3, 0, 0);
  EXPECT_TRUE(meeting.has_begun(4, 2));
}

}  // namespace
}  // namespace roundelay::shared
