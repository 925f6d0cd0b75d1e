// SPDX-License-Identifier: Apache-2.0
// Profiles as the library reads them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "choose/deterministic.hpp"
#include "choose/machine_file.hpp"
#include "choose/profile.hpp"

namespace nb = nanobind;

namespace roundelay::python {

using choose::Profile;
using choose::Rule;

namespace {

nb::dict describe(const std::string& name) {
  const Profile profile = Profile::load(name);
  nb::list rules;
  for (const Collective collective : collectives) {
    for (const Rule& rule : profile.rules(collective)) {
      nb::dict one;
      one["collective"] = roundelay::name_of(collective);
      one["number"] = rule.number;
      one["line"] = rule.line;
      one["algorithm"] = rule.choice->text();
      one["conditions"] = rule.conditions.text();
      rules.append(one);
    }
  }
  nb::dict all;
  all["name"] = profile.name();
  all["file"] = profile.file();
  all["text"] = profile.text();
  all["rules"] = rules;
  return all;
}

// Which algorithm the rules say from which length on, ascending; empty where no rule matches.
nb::list profile_at(const std::string& name, std::string_view collective, int ranks,
                    int ranks_per_node) {
  const Profile profile = Profile::load(name);
  choose::Facts facts{.collective = collective_of(collective),
                      .ranks = ranks,
                      .nodes = (ranks + ranks_per_node - 1) / ranks_per_node,
                      .ranks_per_node = ranks % ranks_per_node == 0 ? ranks_per_node : 0};
  std::vector<std::int64_t> lengths = profile.boundaries(facts.collective, ranks);
  lengths.insert(lengths.begin(), 0);
  nb::list all;
  for (const std::int64_t length : lengths) {
    facts.bytes = length;
    const Rule* rule = profile.match(facts);
    all.append(nb::make_tuple(length, rule != nullptr ? rule->choice->text() : ""));
  }
  return all;
}

}  // namespace

void bind_profiles(nb::module_& module) {
  module.def("built_in_profiles", &Profile::built_in);
  module.def("profile", &describe, nb::arg("name"));
  module.def("profile_at", &profile_at, nb::arg("name"), nb::arg("collective"), nb::arg("ranks"),
             nb::arg("ranks_per_node"));
  module.def(
      "require_deterministic",
      [](std::string_view forced) { choose::require_deterministic(choose::parse_choices(forced)); },
      nb::arg("forced"));
  module.def(
      "require_machine_file",
      [](const std::string& file) { static_cast<void>(choose::MachineFile::load(file)); },
      nb::arg("file"));
}

}  // namespace roundelay::python
