// SPDX-License-Identifier: Apache-2.0
#include "interpret/variants.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "algorithms/values.hpp"

namespace roundelay::interpret {

namespace {

// The standard one and those that stand for all, each once.
std::vector<std::int64_t> numbers_of(const Parameter& parameter, const Choice::Value& standard) {
  std::vector<std::int64_t> numbers{standard.number};
  const std::vector<std::int64_t> ends{parameter.least, parameter.most};
  for (const std::int64_t number : parameter.tried.empty() ? ends : parameter.tried) {
    if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
  }
  return numbers;
}

// One for each value that is tried of a parameter.
std::vector<Choice> with_each_value(const Choice& choice, std::size_t parameter) {
  std::vector<Choice> all;
  const Parameter& of = choice.algorithm->parameters[parameter];
  for (Choice::Value& value :
       values_of(of, numbers_of(of, choice.values[parameter]),
                 [](const Algorithm& part) { return !part.native() && !part.uses_topology(); })) {
    all.emplace_back(choice).values[parameter] = std::move(value);
  }
  return all;
}

}  // namespace

std::vector<Choice> variants(const Algorithm& algorithm) {
  if (algorithm.native()) return {};
  const std::size_t count = algorithm.parameters.size();
  const auto alone = [&](std::size_t i) {
    return algorithm.uses_topology() || algorithm.parameters[i].kind == Parameter::Kind::algorithm;
  };
  std::vector<Choice> combined{Choice(algorithm)};
  for (std::size_t i = 0; i < count; ++i) {
    if (alone(i)) continue;
    std::vector<Choice> extended;
    for (const Choice& choice : combined) {
      std::ranges::move(with_each_value(choice, i), std::back_inserter(extended));
    }
    combined = std::move(extended);
  }
  std::vector<Choice> all = combined;
  for (std::size_t i = 0; i < count; ++i) {
    if (!alone(i)) continue;
    for (const Choice& choice : combined) {
      std::ranges::copy_if(with_each_value(choice, i), std::back_inserter(all),
                           [&](const Choice& one) { return one.text() != choice.text(); });
    }
  }
  return all;
}

}  // namespace roundelay::interpret
