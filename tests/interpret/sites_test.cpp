// SPDX-License-Identifier: Apache-2.0
// What alltoall.lg claims of the network between sites.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

#ifdef NDEBUG
constexpr int most_ranks_at_a_site = 24;
#else
constexpr int most_ranks_at_a_site = 8;
#endif

// By the definition: a message to each rank of the greater site and one from it, no unit twice.
void expect_proven(const Choice& choice, const std::vector<int>& sizes, std::vector<int> labels) {
  Case shape{.p = static_cast<int>(labels.size()), .m = 2 * static_cast<Units>(labels.size())};
  shape.topology.sites = Partition::by(labels);
  const Proof proof = verify(choice, shape);
  ASSERT_TRUE(proof.ok) << shape.topology.sites.text() << ": " << proof.error;
  Units messages = 0;
  Units pairs = 0;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      messages += 2 * std::max(sizes[a], sizes[b]);
      pairs += 2 * sizes[a] * sizes[b];
    }
  }
  EXPECT_EQ(proof.far_messages, messages) << shape.topology.sites.text();
  EXPECT_EQ(proof.far_volume, 2 * pairs) << shape.topology.sites.text();
}

std::vector<int> labels_of(const std::vector<int>& sizes) {
  std::vector<int> labels;
  for (std::size_t site = 0; site < sizes.size(); ++site) {
    labels.insert(labels.end(), static_cast<std::size_t>(sizes[site]), static_cast<int>(site));
  }
  return labels;
}

const Choice& lg() {
  static const Choice choice(*find(Collective::alltoall, "lg"));
  return choice;
}

TEST(Lg, CrossesTwiceTheGreaterSiteForAnyTwoSites) {
  for (int n1 = 1; n1 <= most_ranks_at_a_site; ++n1) {
    for (int n2 = 1; n2 <= most_ranks_at_a_site; ++n2) {
      expect_proven(lg(), {n1, n2}, labels_of({n1, n2}));
    }
  }
}

TEST(Lg, CrossesAsOftenWithMoreSitesAndAnyPlacement) {
  std::mt19937 random(1);
  for (const std::vector<int>& sizes :
       {std::vector{3, 7, 5}, {1, 2, 9}, {8, 8, 1}, {4, 6, 6, 11}, {1, 1, 2, 5}, {9, 4, 7, 2}}) {
    std::vector<int> labels = labels_of(sizes);
    expect_proven(lg(), sizes, labels);
    for (int i = 0; i < 3; ++i) {
      std::ranges::shuffle(labels, random);
      expect_proven(lg(), sizes, labels);
    }
  }
}

// Long exchanges of pairs take twice the time over TCP.
TEST(Lg, NoTwoRanksSendToEachOtherBetweenSites) {
  for (const std::vector<int>& sizes : {std::vector{4, 4}, {2, 2}, {5, 10}, {7, 3}, {3, 2, 5}}) {
    const int p = std::accumulate(sizes.begin(), sizes.end(), 0);
    Case shape{.p = p, .m = p};
    shape.topology.sites = Partition::by(labels_of(sizes));
    const Partition& sites = shape.topology.sites;
    const Call call(lg(), shape);
    std::set<std::pair<int, int>> pairs;
    for (int rank = 0; rank < p; ++rank) {
      Schedule schedule = call.schedule(rank);
      while (schedule.next()) {
        for (const Transfer* transfer : schedule.round().transfers) {
          if (transfer->sends() && sites.part_of(rank) != sites.part_of(transfer->peer)) {
            pairs.insert({rank, transfer->peer});
          }
        }
      }
    }
    for (const auto& [from, to] : pairs) EXPECT_FALSE(pairs.contains({to, from})) << from;
  }
}

TEST(Lg, SendsNoMoreThanTwoBlocksForEachRankOfTheLesserSite) {
  Case shape{.p = 10, .m = 10};
  shape.topology.sites = Partition::by(labels_of({3, 7}));
  const Call call(lg(), shape);
  for (int rank = 0; rank < 10; ++rank) {
    Schedule schedule = call.schedule(rank);
    while (schedule.next()) {
      for (const Transfer* transfer : schedule.round().transfers) {
        if ((rank < 3) == (transfer->peer < 3)) continue;
        EXPECT_LE(transfer->data.length(), 2 * 3 - 1);
      }
    }
  }
}

TEST(Sites, AreAskedFor) {
  const Restriction* restriction = violated(lg(), {.ranks = 4});
  ASSERT_NE(restriction, nullptr);
  EXPECT_EQ(name_of(*restriction), "several_sites");
  Topology one{.nodes = {}, .sites = Partition::by(std::vector{1, 1, 1, 1})};
  EXPECT_NE(violated(lg(), {.ranks = 4, .topology = &one}), nullptr);
  Topology two{.nodes = {}, .sites = Partition::by(std::vector{1, 1, 2, 1})};
  EXPECT_EQ(violated(lg(), {.ranks = 4, .topology = &two}), nullptr);
}

// All that is direct crosses n1 n2 times each way.
TEST(Sites, CrossingsAreCountedOfAnyAlgorithm) {
  Case shape{.p = 7, .m = 14};
  shape.topology.sites = Partition::by(labels_of({3, 4}));
  const Proof proof = verify(Choice(*find(Collective::alltoall, "pairwise")), shape);
  ASSERT_TRUE(proof.ok) << proof.error;
  EXPECT_EQ(proof.far_messages, 2 * 3 * 4);
  EXPECT_EQ(proof.far_volume, 2 * 2 * 3 * 4);
}

TEST(Sites, AreOfAllRanks) {
  Case shape{.p = 5, .m = 10};
  shape.topology.sites = Partition::by(labels_of({3, 3}));
  EXPECT_THROW(verify(lg(), shape), std::invalid_argument);
}

}  // namespace
}  // namespace roundelay::interpret
