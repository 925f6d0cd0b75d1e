// SPDX-License-Identifier: Apache-2.0
// The catalogue as dictionaries, with formulas as texts, and the spelling of choices.
#include "algorithms/catalogue.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/mistakes.hpp"
#include "bindings.hpp"
#include "choose/listed.hpp"
#include "choose/placement.hpp"
#include "choose/spelling.hpp"
#include "interpret/call.hpp"
#include "interpret/variants.hpp"

namespace nb = nanobind;

namespace roundelay::python {
namespace {

std::string_view kind_name(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::number: return "number";
    case Parameter::Kind::word: return "word";
    case Parameter::Kind::algorithm: return "algorithm";
  }
  return {};
}

nb::dict describe(const Parameter& parameter) {
  nb::dict out;
  out["name"] = parameter.name;
  out["summary"] = parameter.summary;
  out["kind"] = kind_name(parameter.kind);
  out["default"] = parameter.standard;
  switch (parameter.kind) {
    case Parameter::Kind::number:
      out["least"] = parameter.least;
      out["most"] = parameter.most;
      break;
    case Parameter::Kind::word: out["words"] = nb::cast(parameter.words); break;
    case Parameter::Kind::algorithm:
      out["collective"] = roundelay::name_of(parameter.collective);
      break;
  }
  return out;
}

nb::dict describe(const Algorithm& algorithm) {
  nb::dict out;
  out["name"] = name_of(Choice(algorithm));
  out["collective"] = roundelay::name_of(algorithm.collective);
  out["algorithm"] = algorithm.name;
  out["summary"] = algorithm.summary;
  out["paper"] = algorithm.paper;
  out["native"] = algorithm.native();
  out["groups"] = algorithm.groups == Groups::two ? 2 : 1;
  nb::list restrictions;
  for (const Restriction restriction : algorithm.restrictions) {
    restrictions.append(roundelay::name_of(restriction));
  }
  out["restrictions"] = restrictions;
  nb::list parameters;
  for (const Parameter& parameter : algorithm.parameters) parameters.append(describe(parameter));
  if (!algorithm.native()) parameters.append(describe(discipline_parameter()));
  out["parameters"] = parameters;
  if (algorithm.native()) return out;

  const Claims claims = Choice(algorithm).claims();
  out["scratch"] = claims.scratch.text();
  out["rounds"] = claims.rounds.text();
  out["volume"] = claims.volume.text();
  out["ports"] = claims.ports.text();
  out["at_most"] = claims.at_most;
  const auto if_claimed = [](const std::optional<Formula>& formula) -> nb::object {
    return formula.has_value() ? nb::cast(formula->text()) : nb::none();
  };
  out["far_messages"] = if_claimed(claims.far_messages);
  out["far_volume"] = if_claimed(claims.far_volume);
  out["fixed_order"] = algorithm.fixed_order;
  out["symmetric"] = claims.symmetric;
  return out;
}

nb::list describe_all() {
  nb::list all;
  for (const Algorithm* algorithm : catalogue()) all.append(describe(*algorithm));
  return all;
}

// What is claimed for a case; of it only ranks, receivers, length and topology count.
nb::dict claims(std::string_view name, const interpret::Case& of_case) {
  const Choice choice = choice_of(name);
  if (choice.algorithm->native()) {
    throw std::invalid_argument(std::string(name) +
                                ": the MPI library's own algorithm has no schedule");
  }
  const Claims claims = choice.claims();
  const Dimensions of{.p = of_case.p,
                      .m = static_cast<double>(of_case.m),
                      .q = of_case.q,
                      .topology = &of_case.topology};
  nb::dict out;
  out["scratch"] = claims.scratch(of);
  out["rounds"] = claims.rounds(of);
  out["volume"] = claims.volume(of);
  out["ports"] = claims.ports(of);
  return out;
}

nb::list describe_collectives() {
  nb::list all;
  for (const CollectiveFacts& facts : collective_table) {
    nb::dict out;
    out["name"] = facts.name;
    out["reduces"] = facts.reduces;
    out["rooted"] = facts.rooted;
    out["length_is_shared"] = facts.length_is_shared;
    all.append(out);
  }
  return all;
}

// Of the choices for calls within one group, or of those between two.
nb::dict parse(std::string_view text, bool between) {
  const choose::Choices choices = choose::parse_choices(text);
  nb::dict out;
  for (const Collective collective : collectives) {
    const auto& choice = between ? choices.between(collective) : choices[collective];
    if (choice != nullptr) out[nb::cast(roundelay::name_of(collective))] = choice->text();
  }
  return out;
}

std::vector<std::string> variant_names(std::string_view name) {
  std::vector<std::string> names;
  for (const Choice& choice : interpret::variants(*choice_of(name).algorithm))
    names.push_back(name_of(choice));
  return names;
}

}  // namespace

std::string name_of(const Choice& choice) {
  return std::string(roundelay::name_of(choice.algorithm->collective)) + "." + choice.text();
}

namespace {

std::string collectives_like(std::string_view name) {
  return choose::valid_for(name, collectives | std::views::transform([](auto each) {
                                   return roundelay::name_of(each);
                                 }));
}

}  // namespace

Collective collective_of(std::string_view name) {
  const Collective* collective = find_collective(name);
  if (collective != nullptr) return *collective;
  throw choose::SpellingError("'" + std::string(name) + "' is no collective; there are " +
                              collectives_like(name));
}

Choice choice_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  const Collective* collective = find_collective(name.substr(0, dot));
  if (dot == std::string_view::npos || collective == nullptr) {
    throw choose::SpellingError("'" + std::string(name) +
                                "' does not begin with a collective and a point; there are " +
                                collectives_like(name.substr(0, dot)));
  }
  return choose::parse_algorithm(*collective, name.substr(dot + 1));
}

void bind_catalogue(nb::module_& module) {
  module.def("catalogue", &describe_all);
  module.def("mistakes", [] { return mistakes_in(catalogue()); });
  module.def("collectives", &describe_collectives);
  module.def("claims", &claims, nb::arg("name"), nb::arg("case"));
  module.def("placement", &choose::parse_placement, nb::arg("text"));
  module.def(
      "ranks_placed",
      [](const std::string& value) { return choose::Placement::read(value).ranks(); },
      nb::arg("value"));
  module.def(
      "level_of",
      [](std::string_view name) -> nb::object {
        const Choice choice = choice_of(name);
        if (!choice.algorithm->uses_topology()) return nb::none();
        return nb::cast(level_parameter().words.at(static_cast<std::size_t>(level_of(choice))));
      },
      nb::arg("name"));
  module.def(
      "canonical", [](std::string_view name) { return name_of(choice_of(name)); }, nb::arg("name"));
  module.def("parse", &parse, nb::arg("text"), nb::kw_only(), nb::arg("between") = false);
  module.def("variants", &variant_names, nb::arg("name"));
  module.def(
      "nearest",
      [](std::string_view wrong, const std::vector<std::string>& names) {
        return choose::nearest(wrong, names);
      },
      nb::arg("wrong"), nb::arg("names"));
}

}  // namespace roundelay::python
