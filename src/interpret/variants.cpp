// SPDX-License-Identifier: Apache-2.0
#include "interpret/variants.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace roundelay::interpret {

namespace {

std::vector<std::int64_t> numbers_of(const Parameter& parameter, const Choice::Value& standard) {
  std::vector<std::int64_t> numbers{standard.number};
  if (parameter.tried.empty()) {
    numbers.push_back(parameter.least);
    numbers.push_back(parameter.most);
  } else {
    std::ranges::copy(parameter.tried, std::back_inserter(numbers));
  }
  return numbers;
}

std::vector<Choice::Value> values_of(const Parameter& parameter, const Choice::Value& standard) {
  std::vector<Choice::Value> values;
  switch (parameter.kind) {
    case Parameter::Kind::number:
      for (const std::int64_t number : numbers_of(parameter, standard)) {
        if (std::ranges::find(values, number, &Choice::Value::number) == values.end())
          values.push_back({number, nullptr});
      }
      break;
    case Parameter::Kind::word:
      for (std::size_t word = 0; word < parameter.words.size(); ++word) {
        values.push_back({static_cast<std::int64_t>(word), nullptr});
      }
      break;
    case Parameter::Kind::algorithm:
      for (const Algorithm* algorithm : algorithms_of(parameter.collective, Groups::one)) {
        if (!algorithm->native() && !algorithm->uses_topology())
          values.push_back({0, std::make_shared<const Choice>(*algorithm)});
      }
      break;
  }
  return values;
}

// One for each value that is tried of a parameter.
std::vector<Choice> with_each_value(const Choice& choice, std::size_t parameter) {
  std::vector<Choice> all;
  for (Choice::Value& value :
       values_of(choice.algorithm->parameters[parameter], choice.values[parameter])) {
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
