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

}  // namespace

std::vector<Choice> variants(const Algorithm& algorithm) {
  if (algorithm.native()) return {};
  const auto alone = [&](const Parameter& parameter) {
    return parameter.kind == Parameter::Kind::algorithm || algorithm.uses_topology();
  };
  const auto with = [&](const Choice& choice, std::size_t i, auto&& use) {
    for (Choice::Value& value : values_of(algorithm.parameters[i], choice.values[i])) {
      Choice changed(choice);
      changed.values[i] = std::move(value);
      use(std::move(changed));
    }
  };
  std::vector<Choice> all{Choice(algorithm)};
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
    if (alone(algorithm.parameters[i])) continue;
    std::vector<Choice> extended;
    for (const Choice& choice : all) {
      with(choice, i, [&](Choice changed) { extended.push_back(std::move(changed)); });
    }
    all = std::move(extended);
  }
  const std::vector<Choice> combined = all;
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
    if (!alone(algorithm.parameters[i])) continue;
    for (const Choice& choice : combined) {
      with(choice, i, [&](Choice changed) {
        if (changed.text() != choice.text()) all.push_back(std::move(changed));
      });
    }
  }
  return all;
}

}  // namespace roundelay::interpret
