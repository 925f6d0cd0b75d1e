// SPDX-License-Identifier: Apache-2.0
// Lengths at which an algorithm begins to cut a message otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "interpret/cases.hpp"
#include "interpret/trace.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

// An algorithm with another one for its parameter of that number.
Choice composed(Collective collective, const char* name, std::size_t parameter, const char* part) {
  const Algorithm& algorithm = *find(collective, name);
  Choice choice(algorithm);
  choice.values[parameter].algorithm =
      std::make_shared<const Choice>(*find(algorithm.parameters[parameter].collective, part));
  return choice;
}

std::vector<int> parts(const std::vector<int>& sizes) {
  std::vector<int> labels;
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    labels.insert(labels.end(), static_cast<std::size_t>(sizes[part]), static_cast<int>(part));
  }
  return labels;
}

Case on_nodes(const std::vector<int>& sizes) {
  Case of{.p = std::reduce(sizes.begin(), sizes.end())};
  of.topology.nodes = Partition::by(parts(sizes));
  return of;
}

// Without a failure, with no more scratch memory than is claimed, and with as much as a dry run
// says.
void expect_proven(const Choice& choice, Case of, Units first, Units last) {
  for (of.m = first; of.m <= last; ++of.m) {
    const Proof proof = verify(choice, of);
    EXPECT_TRUE(proof.ok) << choice.text() << ", m = " << of.m << ": " << proof.error;
    const Trace traced = trace(choice, of);
    for (const RankTrace& rank : traced.ranks) {
      EXPECT_EQ(rank.scratch, scratch_used(replay(rank))) << of.m;
    }
  }
}

struct OnNodes {
  std::vector<int> sizes;
  Units first;
  Units last;
};

TEST(Switches, OfCirculantReduceWithinANode) {
  const Choice allreduce = composed(Collective::allreduce, "hier", 1, "circulant");
  const Choice reduce = composed(Collective::reduce, "hier", 1, "circulant");
  for (const auto& [sizes, first, last] :
       {OnNodes{{6, 1}, 5615, 5626}, OnNodes{{5, 1}, 5619, 5626}, OnNodes{{3, 1}, 11243, 11251},
        OnNodes{{7, 7}, 5599, 5630}}) {
    expect_proven(allreduce, on_nodes(sizes), first, last);
    expect_proven(reduce, on_nodes(sizes), first, last);
  }
}

TEST(Switches, OfCirculantReduceBetweenGroups) {
  const Choice allreduce = composed(Collective::allreduce, "inter_root", 0, "circulant");
  expect_proven(allreduce, {.p = 6, .q = 5}, 5620, 5627);
  const Choice scatter = composed(Collective::reduce_scatter, "inter_root", 0, "circulant");
  expect_proven(scatter, {.p = 6, .q = 3}, 5620, 5627);
}

// Trees for short messages have another shape for each latency.
TEST(Switches, OfPostalTrees) {
  const Choice allgather = composed(Collective::allgather, "hier", 3, "postal");
  const Choice bcast = composed(Collective::bcast, "hier", 1, "postal");
  for (Units m = 300; m < 12000; m += 97) {
    expect_proven(allgather, on_nodes({12, 11}), m, m);
    expect_proven(bcast, on_nodes({1, 30}), m, m);
  }
}

// Every switch is among the cases of a proof, with the length before it.
TEST(Switches, AreAmongTheCases) {
  const Choice bcast(*find(Collective::bcast, "circulant"));
  std::vector<Units> lengths;
  for (const Case& of : cases_of(bcast, 6)) {
    if (of.root == 0 && of.network == NetworkLengths()) lengths.push_back(of.m);
  }
  for (const Units m : {5624, 5625, 15624, 15625}) {
    EXPECT_NE(std::ranges::find(lengths, m), lengths.end()) << m;
  }
}

}  // namespace
}  // namespace roundelay::interpret
