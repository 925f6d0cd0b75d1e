// SPDX-License-Identifier: Apache-2.0
// Test parameters from the catalogue: every variant of every algorithm that has a schedule.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "interpret/variants.hpp"

namespace roundelay {

// Where GoogleTest looks for it.
inline void PrintTo(const Choice& choice, std::ostream* out) { *out << choice.text(); }

namespace interpret {

// Up to how many ranks everything is tried; with assertions and sanitizers, which take ten times as
// long, up to fewer.
#ifdef NDEBUG
inline constexpr bool slow = false;
#else
inline constexpr bool slow = true;
#endif
inline constexpr int most_ranks_tried = slow ? 7 : 40;

// Whether it is made of two algorithms, each of which has tests of its own.
inline bool is_of_parts(const Choice& choice) {
  return choice.values.size() > 1 && choice.values[1].algorithm != nullptr;
}

// Between two groups there are many numbers of receivers for each (`make verify-inter` tries all),
// and where nodes or sites count many of these.
inline std::vector<int> ranks_tried(const Choice& choice) {
  const bool between = choice.algorithm->groups == Groups::two;
  if (between || choice.algorithm->uses_topology()) {
    if (slow) return {1, 2, 3};
    if (reduces(choice.algorithm->collective) && is_of_parts(choice)) return {1, 2, 3, 5, 8};
    return {1, 2, 3, 4, 5, 6, 7, 9, 12, 17};
  }
  std::vector<int> ranks;
  for (int p = 1; p <= most_ranks_tried; ++p) ranks.push_back(p);
  return ranks;
}

inline std::vector<Choice> all_variants() {
  std::vector<Choice> all;
  for (const Algorithm* algorithm : catalogue()) {
    for (const Choice& choice : variants(*algorithm)) all.push_back(choice);
  }
  return all;
}

// GoogleTest wants letters, digits and underscores.
inline std::string test_name(const testing::TestParamInfo<Choice>& info) {
  std::string name(name_of(info.param.algorithm->collective));
  name += "_" + info.param.text();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace interpret

}  // namespace roundelay
