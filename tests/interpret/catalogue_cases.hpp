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

inline void PrintTo(const Choice& choice, std::ostream* out) { *out << choice.text(); }

}  // namespace roundelay
