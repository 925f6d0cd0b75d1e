// SPDX-License-Identifier: Apache-2.0
#include "schedule/circulant.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "schedule/circulant_conditions.hpp"
#include "schedule/circulant_ranges.hpp"
#include "schedule/circulant_table.hpp"

namespace roundelay {
namespace {

using Rows = std::vector<std::vector<int>>;  // [k][v]

struct Printed {
  std::vector<int> base;
  Rows receive;
  Rows send;
};

Printed computed(int p) {
  const Skips skip = Skips::halving(p);
  const auto q = static_cast<std::size_t>(skip.rounds());
  Printed out{{}, Rows(q), Rows(q)};
  for (int v = 0; v < p; ++v) {
    CirculantEntries receive;
    CirculantEntries send;
    receive_schedule(skip, v, receive);
    send_schedule(skip, v, send);
    out.base.push_back(base_block(skip, v));
    for (std::size_t k = 0; k < q; ++k) {
      out.receive[k].push_back(receive[k]);
      out.send[k].push_back(send[k]);
    }
  }
  return out;
}

TEST(Circulant, TheTablesOfThePaper) {
  const std::vector<Printed> tables{
      {.base = {4, 0, 1, 2, 0, 3, 0, 1, 2},
       .receive = {{-2, 0, -4, -3, -2, -4, -1, -4, -3},
                   {-3, -2, 1, -4, -3, -2, -2, -1, -4},
                   {-1, -3, -2, 2, 0, -3, -3, -2, -1},
                   {-4, -1, -1, -1, -1, 3, 0, 1, 2}},
       .send = {{0, -4, -3, -2, -4, -1, -4, -3, -2},
                {1, -4, -3, -2, -2, -1, -4, -3, -2},
                {2, 0, -3, -3, -2, -1, -1, -3, -2},
                {3, 0, 1, 2, -4, -1, -1, -1, -1}}},
      {.base = {5, 0, 1, 2, 0, 3, 0, 1, 2, 4, 0, 1, 2, 0, 3, 0, 1},
       .receive = {{-4, 0, -5, -4, -3, -5, -2, -5, -4, -3, -1, -5, -4, -3, -5, -2, -5},
                   {-5, -4, 1, -5, -4, -3, -3, -2, -5, -4, -3, -1, -5, -4, -3, -3, -2},
                   {-2, -2, -2, 2, 0, -4, -4, -3, -2, -2, -4, -3, -1, -1, -4, -4, -3},
                   {-1, -3, -3, -2, -2, 3, 0, 1, 2, -5, -2, -2, -2, -2, -1, -1, -1},
                   {-3, -1, -1, -1, -1, -1, -1, -1, -1, 4, 0, 1, 2, 0, 3, 0, 1}},
       .send = {{0, -5, -4, -3, -5, -2, -5, -4, -3, -1, -5, -4, -3, -5, -2, -5, -4},
                {1, -5, -4, -3, -3, -2, -5, -4, -3, -1, -5, -4, -3, -3, -2, -5, -4},
                {2, 0, -4, -4, -3, -2, -2, -4, -3, -1, -1, -4, -4, -3, -2, -2, -2},
                {3, 0, 1, 2, -5, -2, -2, -2, -2, -1, -1, -1, -1, -3, -3, -2, -2},
                {4, 0, 1, 2, 0, 3, 0, 1, -3, -1, -1, -1, -1, -1, -1, -1, -1}}},
      {.base = {5, 0, 1, 2, 0, 3, 0, 1, 2, 4, 0, 1, 2, 0, 3, 0, 1, 2},
       .receive = {{-3, 0, -5, -4, -3, -5, -2, -5, -4, -3, -1, -5, -4, -3, -5, -2, -5, -4},
                   {-4, -3, 1, -5, -4, -3, -3, -2, -5, -4, -3, -1, -5, -4, -3, -3, -2, -5},
                   {-2, -4, -3, 2, 0, -4, -4, -3, -2, -2, -4, -3, -1, -1, -4, -4, -3, -2},
                   {-5, -2, -2, -2, -2, 3, 0, 1, 2, -5, -2, -2, -2, -2, -1, -1, -1, -1},
                   {-1, -1, -1, -1, -1, -1, -1, -1, -1, 4, 0, 1, 2, 0, 3, 0, 1, 2}},
       .send = {{0, -5, -4, -3, -5, -2, -5, -4, -3, -1, -5, -4, -3, -5, -2, -5, -4, -3},
                {1, -5, -4, -3, -3, -2, -5, -4, -3, -1, -5, -4, -3, -3, -2, -5, -4, -3},
                {2, 0, -4, -4, -3, -2, -2, -4, -3, -1, -1, -4, -4, -3, -2, -2, -4, -3},
                {3, 0, 1, 2, -5, -2, -2, -2, -2, -1, -1, -1, -1, -5, -2, -2, -2, -2},
                {4, 0, 1, 2, 0, 3, 0, 1, 2, -1, -1, -1, -1, -1, -1, -1, -1, -1}}},
  };
  for (const Printed& table : tables) {
    const Printed mine = computed(static_cast<int>(table.base.size()));
    EXPECT_EQ(mine.base, table.base);
    EXPECT_EQ(mine.receive, table.receive);
    EXPECT_EQ(mine.send, table.send);
  }
}

std::uint32_t checksum(const Rows& rows) {
  std::uint32_t sum = 0;
  const auto q = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t k = 0; k < q; ++k) {
    for (std::uint32_t v = 0; v < rows[k].size(); ++v) {
      sum += (static_cast<std::uint32_t>(rows[k][v]) + q + 1) * (31 * v + 7 * k + 1);
    }
  }
  return sum;
}

// Made by the paper's own algorithms, line by line: the schedules are the same.
TEST(Circulant, TheChecksumsOfThePapersAlgorithms) {
  struct {
    int p;
    std::uint32_t receive;
    std::uint32_t send;
  } const sums[]{{2, 65, 34},
                 {3, 527, 372},
                 {5, 3168, 2548},
                 {9, 17272, 14885},
                 {17, 90423, 80968},
                 {100, 5466734, 5146411},
                 {1000, 1009179942, 978164566},
                 {3000, 3974596724, 3664166506}};
  for (const auto& sum : sums) {
    const Printed mine = computed(sum.p);
    EXPECT_EQ(checksum(mine.receive), sum.receive) << "p = " << sum.p;
    EXPECT_EQ(checksum(mine.send), sum.send) << "p = " << sum.p;
  }
}

#ifdef NDEBUG
constexpr int most_ranks = 4000;
#else
constexpr int most_ranks = 600;  // slow without optimisation, slower under sanitizers
#endif

TEST(Circulant, TheConditionsOfThePaperForAllRanks) {
  const CirculantFindings findings = check_circulants(every(1, 1, most_ranks));
  EXPECT_EQ(findings.broken, "");
  EXPECT_LE(findings.searches, most_searches);
}

// Where 2 p is no int.
TEST(Circulant, TheLargestCommunicators) {
  const int largest = std::numeric_limits<int>::max();
  for (const int p : {largest, largest - 1, (1 << 30) + 1, 1 << 30, (1 << 30) - 1, 2040109465}) {
    CirculantConditions conditions(p);
    for (int i = 0; i < 500; ++i) {
      const auto anywhere = static_cast<int>(std::int64_t{i} * 7919 * 104729 % p);
      for (const int v : {i, p - 1 - i, p / 2 - i, p / 2 + i, p / 4 + i, anywhere}) {
        conditions.check_alone(v);
      }
    }
    EXPECT_EQ(conditions.findings().broken, "");
    EXPECT_LE(conditions.findings().searches, most_searches);
  }
}

TEST(CirculantTable, HasTheScheduleOfEveryRank) {
  for (const int p :
       {1,   2,   3,   4,   5,   6,   7,   9,    17,   31,   32,   33,   64,   65,   100,
        127, 129, 255, 257, 511, 513, 685, 1000, 1023, 1025, 1365, 2049, 2731, 4095, 4097}) {
    const CirculantTable table(p);
    const Rows receive = computed(p).receive;
    for (std::size_t k = 0; k < receive.size(); ++k) {
      const auto row = table.round(static_cast<int>(k));
      EXPECT_EQ(std::vector<int>(row.begin(), row.end()), receive[k]) << p << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace roundelay
