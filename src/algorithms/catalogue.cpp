// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <tuple>
#include <utility>

namespace roundelay {

namespace {

constinit const Registered* newest = nullptr;

// Defaults are written by us: what does not parse is a mistake of the catalogue.
Choice::Value standard_value(const Parameter& parameter) {
  Choice::Value value;
  switch (parameter.kind) {
    case Parameter::Kind::number:
      std::from_chars(parameter.standard.data(),
                      parameter.standard.data() + parameter.standard.size(), value.number);
      break;
    case Parameter::Kind::word:
      value.number =
          std::ranges::find(parameter.words, parameter.standard) - parameter.words.begin();
      break;
    case Parameter::Kind::algorithm: {
      const Algorithm* algorithm = find(parameter.collective, parameter.standard);
      assert(algorithm != nullptr);
      value.algorithm = std::make_shared<const Choice>(*algorithm);
      break;
    }
  }
  return value;
}

std::string value_text(const Parameter& parameter, const Choice::Value& value) {
  switch (parameter.kind) {
    case Parameter::Kind::number:
      return parameter.automatic && value.number == 0 ? std::string(automatic_word)
                                                      : std::to_string(value.number);
    case Parameter::Kind::word:
      return std::string(parameter.words.at(static_cast<std::size_t>(value.number)));
    case Parameter::Kind::algorithm: return value.algorithm->text();
  }
  return {};
}

}  // namespace

std::string_view name_of(Groups groups) noexcept {
  return groups == Groups::two ? "inter" : "intra";
}

std::string_view name_of(Restriction restriction) noexcept {
  switch (restriction) {
    case Restriction::commutative: return "commutative";
    case Restriction::several_sites: return "several_sites";
    case Restriction::several_parts: return "several_parts";
    case Restriction::ordered_parts: return "ordered_parts";
  }
  return {};
}

std::string_view sentence_of(Restriction restriction) noexcept {
  switch (restriction) {
    case Restriction::commutative: return "the operation must be commutative";
    case Restriction::several_sites:
      return "the ranks must be at several sites (set ROUNDELAY_SITES)";
    case Restriction::several_parts:
      return "the ranks must be on several nodes, or with level=sites at several sites";
    case Restriction::ordered_parts:
      return "the operation must be commutative, or the ranks of each node or site must be "
             "consecutive";
  }
  return {};
}

bool Algorithm::needs(Restriction restriction) const noexcept {
  return std::ranges::find(restrictions, restriction) != restrictions.end();
}

const Parameter* Algorithm::parameter(std::string_view parameter_name) const noexcept {
  const auto found = std::ranges::find(parameters, parameter_name, &Parameter::name);
  return found != parameters.end() ? &*found : nullptr;
}

// What is static here is never destroyed: collectives may be called while the process ends.

const Parameter& discipline_parameter() {
  static const auto& parameter =
      *new Parameter{.name = "discipline",
                     .summary =
                         "early: receives are posted ahead, and sends start as soon as they can; "
                         "paced: synchronous sends, one round at a time",
                     .kind = Parameter::Kind::word,
                     .words = {"early", "paced"},
                     .standard = "early"};
  return parameter;
}

Choice::Choice(const Algorithm& of) : algorithm(&of) {
  values.reserve(of.parameters.size());
  for (const Parameter& parameter : of.parameters) values.push_back(standard_value(parameter));
}

std::string Choice::text() const {
  std::string inside;
  const auto add = [&](const Parameter& parameter, const std::string& text) {
    if (text == parameter.standard) return;
    inside += (inside.empty() ? "" : ", ") + std::string(parameter.name) + "=" + text;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    add(algorithm->parameters[i], value_text(algorithm->parameters[i], values[i]));
  }
  const Parameter& discipline_words = discipline_parameter();
  add(discipline_words,
      std::string(discipline_words.words.at(static_cast<std::size_t>(discipline))));
  std::string text(algorithm->name);
  return inside.empty() ? text : text + "(" + inside + ")";
}

const Parameter& level_parameter() {
  static const auto& parameter = *new Parameter{
      .name = "level",
      .summary = "nodes: ranks that share memory belong together; sites: ranks of one site do",
      .kind = Parameter::Kind::word,
      .words = {"nodes", "sites"},
      .standard = "nodes"};
  return parameter;
}

Level level_of(const Choice& choice) noexcept {
  const Parameter* parameter = choice.algorithm->parameter(level_parameter().name);
  if (parameter == nullptr) return Level::sites;
  return static_cast<Level>(
      choice.values[static_cast<std::size_t>(parameter - choice.algorithm->parameters.data())]
          .number);
}

namespace {

bool holds(Restriction restriction, const Choice& choice, const Circumstances& of) {
  static const auto& unknown = *new Partition;
  const Partition& parts = of.topology != nullptr ? of.topology->at(level_of(choice)) : unknown;
  switch (restriction) {
    case Restriction::commutative: return of.commutative;
    case Restriction::several_sites:
    case Restriction::several_parts: return parts.count() > (of.ranks > 1 ? 1 : 0);
    case Restriction::ordered_parts: return of.commutative || parts.consecutive();
  }
  return false;
}

}  // namespace

const Restriction* violated(const Choice& choice, const Circumstances& of) {
  for (const Restriction& restriction : choice.algorithm->restrictions) {
    if (!holds(restriction, choice, of)) return &restriction;
  }
  for (const Choice::Value& value : choice.values) {
    if (value.algorithm == nullptr) continue;
    if (const Restriction* inner = violated(*value.algorithm, of)) return inner;
  }
  return nullptr;
}

Registered::Registered(Algorithm algorithm, std::initializer_list<Collective> also)
    : algorithms_(*new std::vector<Algorithm>), next_(std::exchange(newest, this)) {
  algorithms_.reserve(1 + also.size());
  algorithms_.push_back(std::move(algorithm));
  for (const Collective collective : also) {
    algorithms_.push_back(algorithms_.front());
    algorithms_.back().collective = collective;
  }
}

std::span<const Algorithm* const> catalogue() {
  static const auto& all = *[] {
    auto& found = *new std::vector<const Algorithm*>;
    for (const Registered* entry = newest; entry != nullptr; entry = entry->next_) {
      for (const Algorithm& algorithm : entry->algorithms_) found.push_back(&algorithm);
    }
    std::ranges::sort(found, {},
                      [](const Algorithm* a) { return std::tuple(a->collective, a->name); });
    return &found;
  }();
  return all;
}

std::vector<const Algorithm*> algorithms_of(Collective collective) {
  std::vector<const Algorithm*> of;
  std::ranges::copy_if(catalogue(), std::back_inserter(of),
                       [&](const Algorithm* a) { return a->collective == collective; });
  return of;
}

std::vector<const Algorithm*> algorithms_of(Collective collective, Groups groups) {
  std::vector<const Algorithm*> of = algorithms_of(collective);
  std::erase_if(of, [groups](const Algorithm* a) { return !a->is_for(groups); });
  return of;
}

const Algorithm* find(Collective collective, std::string_view name) noexcept {
  for (const Algorithm* algorithm : catalogue()) {
    if (algorithm->collective == collective && algorithm->name == name) return algorithm;
  }
  return nullptr;
}

const Collective* find_collective(std::string_view name) noexcept {
  const auto* found = std::ranges::find(collectives, name, [](Collective c) { return name_of(c); });
  return found != collectives.end() ? found : nullptr;
}

}  // namespace roundelay
