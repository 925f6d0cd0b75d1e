// SPDX-License-Identifier: Apache-2.0
// What else a parameter of a composed algorithm may be, when the best of its ways is looked for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::choose {

// Algorithms that fit, with what is standard for them; all words; numbers that double from the
// least on.
template <typename Fits>
[[nodiscard]] std::vector<Choice::Value> alternatives(const Parameter& parameter, Fits fits) {
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
      for (std::int64_t number = parameter.least; number <= parameter.most; number *= 2) {
        values.push_back({number, nullptr});
      }
      break;
  }
  return values;
}

}  // namespace roundelay::choose
