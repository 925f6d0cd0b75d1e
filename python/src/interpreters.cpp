// SPDX-License-Identifier: Apache-2.0
// verify, price and mutants. They run without the interpreter's lock: call them from many threads.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stop_token>
#include <vector>

#include "bindings.hpp"
#include "interpret/cases.hpp"
#include "interpret/crossing.hpp"
#include "interpret/exact_length.hpp"
#include "interpret/mutants.hpp"
#include "interpret/price.hpp"
#include "interpret/prove.hpp"
#include "interpret/verify.hpp"

namespace nb = nanobind;

namespace roundelay::python {

using interpret::Case;
using interpret::Distribution;
using interpret::Mutants;
using interpret::Network;
using interpret::Proof;

void bind_interpreters(nb::module_& module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;

  nb::enum_<Distribution>(module, "Distribution")
      .value("even", Distribution::even)
      .value("uneven", Distribution::uneven)
      .value("degenerate", Distribution::degenerate);

  nb::class_<Case>(module, "Case")
      .def(
          "__init__",
          [](Case* self, int p, int root, Units m, bool commutative, bool in_place,
             Distribution distribution, int ports, int q, const std::vector<int>& nodes,
             const std::vector<int>& sites, double startup, double gap, double longest_message) {
            new (self) Case{.p = p,
                            .root = root,
                            .m = m,
                            .commutative = commutative,
                            .in_place = in_place,
                            .distribution = distribution,
                            .ports = ports,
                            .q = q,
                            .topology = {Partition::by(nodes), Partition::by(sites)},
                            .network = {startup, gap, longest_message}};
          },
          nb::arg("p"), nb::kw_only(), nb::arg("root") = 0, nb::arg("m") = 0,
          nb::arg("commutative") = true, nb::arg("in_place") = false,
          nb::arg("distribution") = Distribution::even, nb::arg("ports") = 0, nb::arg("q") = 0,
          nb::arg("nodes") = std::vector<int>(), nb::arg("sites") = std::vector<int>(),
          nb::arg("startup") = NetworkLengths().startup, nb::arg("gap") = NetworkLengths().gap,
          nb::arg("longest_message") = NetworkLengths().longest_message)
      .def_ro("p", &Case::p)
      .def_ro("root", &Case::root)
      .def_ro("m", &Case::m)
      .def_ro("commutative", &Case::commutative)
      .def_ro("in_place", &Case::in_place)
      .def_ro("distribution", &Case::distribution)
      .def_ro("ports", &Case::ports)
      .def_ro("q", &Case::q)
      .def_prop_ro("nodes", [](const Case& self) { return self.topology.nodes.parts(); })
      .def_prop_ro("sites", [](const Case& self) { return self.topology.sites.parts(); });

  nb::class_<Proof>(module, "Proof")
      .def_ro("ok", &Proof::ok)
      .def_ro("error", &Proof::error)
      .def_ro("cases", &Proof::cases)
      .def_ro("rounds", &Proof::rounds)
      .def_ro("volume", &Proof::volume)
      .def_ro("far_messages", &Proof::far_messages)
      .def_ro("far_volume", &Proof::far_volume);

  nb::class_<Mutants>(module, "Mutants")
      .def_ro("count", &Mutants::count)
      .def_ro("killed", &Mutants::killed)
      .def_ro("harmless", &Mutants::harmless)
      .def_ro("survivors", &Mutants::survivors);

  module.def(
      "exact_length",
      [](std::string_view name, int p) { return interpret::exact_length(choice_of(name), p); },
      nb::arg("name"), nb::arg("p"));
  [[maybe_unused]] const nb::exception<interpret::Stopped> stopped(module, "Stopped");
  nb::class_<std::stop_source>(module, "Stop")
      .def(nb::init<>())
      .def("request", [](std::stop_source& self) { self.request_stop(); });

  module.def(
      "cases", [](std::string_view name, int p) { return interpret::cases_of(choice_of(name), p); },
      nb::arg("name"), nb::arg("p"));
  module.def(
      "verify", [](std::string_view name, const Case& of) { return verify(choice_of(name), of); },
      nb::arg("name"), nb::arg("case"), Unlocked());
  module.def(
      "prove",
      [](std::string_view name, int p, std::optional<int> root, const std::stop_source& stop) {
        return interpret::prove(choice_of(name), p, {root, stop.get_token()});
      },
      nb::arg("name"), nb::arg("p"), nb::arg("root").none() = nb::none(),
      nb::arg("stop") = std::stop_source(), Unlocked());
  module.def(
      "prove_shape",
      [](std::string_view name, const Case& shape, std::optional<int> root,
         const std::stop_source& stop) {
        return interpret::prove(choice_of(name), shape, {root, stop.get_token()});
      },
      nb::arg("name"), nb::arg("shape"), nb::arg("root").none() = nb::none(),
      nb::arg("stop") = std::stop_source(), Unlocked());
  module.def(
      "mutants",
      [](std::string_view name, const Case& of, std::size_t most, std::uint32_t seed) {
        return mutants(choice_of(name), of, most, seed);
      },
      nb::arg("name"), nb::arg("case"), nb::arg("most"), nb::arg("seed") = 0, Unlocked());
  module.def(
      "crossing",
      [](std::string_view name, const Case& of, const std::vector<std::vector<int>>& partitions) {
        std::vector<Partition> all(partitions.size());
        std::ranges::transform(partitions, all.begin(), &Partition::by<int>);
        return interpret::crossing(choice_of(name), of, all);
      },
      nb::arg("name"), nb::arg("case"), nb::arg("partitions"), Unlocked());
  module.def(
      "price",
      [](std::string_view name, const Case& of, double alpha, double beta, double gamma, int ports,
         const std::stop_source& stop) {
        const Network network{.alpha = alpha, .beta = beta, .gamma = gamma, .ports = ports};
        return price(choice_of(name), of, network, stop.get_token());
      },
      nb::arg("name"), nb::arg("case"), nb::arg("alpha"), nb::arg("beta"), nb::arg("gamma"),
      nb::arg("ports") = 1, nb::arg("stop") = std::stop_source(), Unlocked());
}

}  // namespace roundelay::python
