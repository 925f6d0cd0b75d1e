// SPDX-License-Identifier: Apache-2.0
// Total exchange by Bruck's algorithm and by TuNA, for every radix.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catalogue_cases.hpp"
#include "choose/spelling.hpp"
#include "interpret/prove.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {
namespace {

void proven_for_every_radix(Collective collective, const std::string& name) {
  for (const int p : slow ? std::vector{9} : std::vector{17, 41, 64}) {
    for (int radix = 2; radix <= p; ++radix) {
      const std::string text = name + "(radix=" + std::to_string(radix) + ")";
      const Proof proof = prove(choose::parse_algorithm(collective, text), p);
      EXPECT_TRUE(proof.ok) << text << " for " << p << ": " << proof.error;
      EXPECT_GE(proof.cases, irregular(collective) ? 3 : 1) << text << " for " << p;
    }
  }
}

TEST(EveryRadix, OfBruck) { proven_for_every_radix(Collective::alltoall, "bruck"); }

TEST(EveryRadix, OfTunaWithUnevenAndEmptyBlocks) {
  proven_for_every_radix(Collective::alltoallv, "tuna");
}

}  // namespace
}  // namespace roundelay::interpret
