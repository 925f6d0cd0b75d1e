// SPDX-License-Identifier: Apache-2.0
// Profiles as the library reads them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings.hpp"
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

}  // namespace

void bind_profiles(nb::module_& module) {
  module.def("built_in_profiles", &Profile::built_in);
  module.def("profile", &describe, nb::arg("name"));
  module.def(
      "require_deterministic",
      [](std::string_view forced) { choose::require_deterministic(choose::parse_choices(forced)); },
      nb::arg("forced"));
}

}  // namespace roundelay::python
