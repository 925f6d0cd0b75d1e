// SPDX-License-Identifier: Apache-2.0
// What a parameter of an algorithm may be, for those that try its ways.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// Algorithms that fit, with what is standard for them; all words; of the numbers those given.
template <typename Fits>
[[nodiscard]] std::vector<Choice::Value> values_of(const Parameter& parameter,
                                                   const std::vector<std::int64_t>& numbers,
                                                   Fits fits) {
  std::vector<Choice::Value> values;
  switch (parameter.kind) {
    case Parameter::Kind::algorithm:
      for (const Algorithm* part : algorithms_of(parameter.collective, Groups::one)) {
        if (fits(*part)) values.push_back({0, std::make_shared<const Choice>(*part)});
      }
      break;
    case Parameter::Kind::word:
      for (std::size_t word = 0; word < parameter.words.size(); ++word) {
        values.push_back({static_cast<std::int64_t>(word), nullptr});
      }
      break;
    case Parameter::Kind::number:
      for (const std::int64_t number : numbers) values.push_back({number, nullptr});
      break;
  }
  return values;
}

// The numbers of a parameter that double from the least positive one on.
[[nodiscard]] inline std::vector<std::int64_t> doubling(const Parameter& parameter) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = std::max<std::int64_t>(1, parameter.least); number <= parameter.most;
       number *= 2) {
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace roundelay
