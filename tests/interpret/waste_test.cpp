// SPDX-License-Identifier: Apache-2.0
#include "waste.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalogue_cases.hpp"
#include "interpret/cases.hpp"
#include "interpret/exact_length.hpp"
#include "interpret/shapes.hpp"

namespace roundelay::interpret {
namespace {

// Whether it is said of the algorithm, or of one that it is made of.
bool is_redundant(const Choice& choice) {
  return choice.algorithm->redundant ||
         std::ranges::any_of(choice.values, [](const Choice::Value& value) {
           return value.algorithm != nullptr && is_redundant(*value.algorithm);
         });
}

class WasteOf : public testing::TestWithParam<Choice> {};

// Of a length that all ranks share evenly, in which no message is empty.
TEST_P(WasteOf, Nothing) {
  if (GetParam().algorithm->collective == Collective::barrier) GTEST_SKIP();
  if (is_redundant(GetParam())) GTEST_SKIP();
  for (const int p : {2, 3, 4, 5, 6, 7, 8}) {
    for (const Case& shape : shapes_of(GetParam(), p)) {
      if (shape.ranks() > 12) continue;
      for (Case of : cases_of(GetParam(), shape)) {
        const bool one = of.distribution == Distribution::even &&
                         of.m == exact_length(GetParam(), p) && of.network == NetworkLengths();
        if (!one || (of.root != 0 && of.root != p - 1)) continue;
        const std::vector<std::string> found = waste(trace(GetParam(), of));
        EXPECT_TRUE(found.empty())
            << "p = " << p << ", q = " << of.q << ", nodes " << of.topology.nodes.text()
            << ", root " << of.root << (of.commutative ? ": " : ", not commutative: ")
            << found.front();
        if (!found.empty()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, WasteOf, testing::ValuesIn(all_variants()), test_name);

}  // namespace
}  // namespace roundelay::interpret
