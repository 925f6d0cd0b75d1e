// SPDX-License-Identifier: Apache-2.0
// What the library would choose, and the prices behind it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "choose/candidates.hpp"
#include "choose/chooser.hpp"
#include "choose/machine_file.hpp"
#include "choose/model/cost.hpp"
#include "choose/model/least_time.hpp"
#include "choose/nonblocking.hpp"
#include "choose/profile.hpp"
#include "choose/usual_machine.hpp"
#include "interpret/stopped.hpp"

namespace nb = nanobind;

namespace roundelay::python {

namespace {

using choose::Candidate;
using choose::Facts;
using choose::Library;
using choose::Machine;
using choose::Wishes;

Library library_of(std::string_view name) {
  if (name == "openmpi") return Library::open_mpi;
  return name == "mpich" ? Library::mpich : Library::other;
}

nb::dict as_dict(const Candidate& candidate) {
  nb::dict one;
  one["algorithm"] = candidate.choice->text();
  one["seconds"] = candidate.seconds > 0 ? nb::cast(candidate.seconds) : nb::none();
  one["startup_seconds"] = candidate.startups ? nb::cast(*candidate.startups) : nb::none();
  return one;
}

nb::list as_list(const std::vector<Candidate>& candidates) {
  nb::list all;
  for (const Candidate& candidate : candidates) all.append(as_dict(candidate));
  return all;
}

nb::dict explain(std::string_view name, std::int64_t bytes, const std::vector<int>& node_of,
                 std::string_view mpi, double alpha, double beta, bool oversubscribed,
                 std::string_view forced, const std::string& profile, bool deterministic,
                 const std::string& machine_file, const std::stop_source& stop) {
  const Topology topology{.nodes = Partition::by(node_of), .sites = {}};
  const Partition& nodes = topology.nodes;
  const bool one_node = nodes.count() == 1;
  Wishes wishes;
  wishes.forced = choose::parse_choices(forced);
  wishes.deterministic = deterministic;
  if (!profile.empty()) {
    wishes.profile = std::make_shared<const choose::Profile>(choose::Profile::load(profile));
  }
  const Collective collective = collective_of(name);
  std::optional<Graph> neighbours;
  if (among_neighbours(collective)) neighbours = Graph::ring(nodes.ranks());
  const Facts facts{.collective = collective,
                    .bytes = bytes,
                    .ranks = nodes.ranks(),
                    .one_node = one_node,
                    .shares_memory = nodes.count() < nodes.ranks(),
                    .oversubscribed = oversubscribed,
                    .topology = &topology,
                    .nodes = nodes.count(),
                    .ranks_per_node = nodes.largest() == nodes.smallest() ? nodes.largest() : 0,
                    .graph = neighbours ? &*neighbours : nullptr};
  std::optional<choose::MachineFile> said;
  if (!machine_file.empty()) said = choose::MachineFile::load(machine_file);
  const double startup = said ? said->startup().value_or(alpha) : alpha;
  Machine machine = one_node ? choose::machine_in_memory(library_of(mpi))
                             : choose::usual_machine(library_of(mpi), startup);
  if (!one_node) {
    machine.beta = beta;
    machine.gap = alpha / 4;
  }
  if (said) one_node ? said->apply_in_memory(machine) : said->apply_between_nodes(machine);
  choose::Verdict verdict;
  std::vector<Candidate> prices;
  std::vector<Candidate> candidates;
  bool nonblocking_gains = false;
  std::chrono::duration<double> decision{};
  {
    const nb::gil_scoped_release unlocked;
    const interpret::Stoppable stoppable(stop.get_token());
    const auto start = std::chrono::steady_clock::now();
    verdict = choose::choose(facts, wishes, machine);
    decision = std::chrono::steady_clock::now() - start;
    if (verdict.choice != nullptr) prices = choose::prices(facts, machine);
    const auto priced = [&] { return prices; };
    candidates = choose::candidates(facts, machine, verdict, priced);
    nonblocking_gains = verdict.choice == nullptr ||
                        verdict.source != choose::Verdict::Source::model ||
                        choose::nonblocking_gains(facts, *verdict.choice, machine, priced);
  }
  nb::dict found;
  found["algorithm"] = verdict.choice != nullptr ? verdict.choice->text() : "nothing";
  found["reason"] = verdict.reason;
  found["length_is_missing"] = verdict.length_is_missing;
  found["nonblocking"] = nonblocking_gains ? found["algorithm"] : nb::str("native");
  found["decision_seconds"] = decision.count();
  found["startup"] = machine.alpha;
  found["byte"] = machine.beta;
  found["torus"] = machine.torus;
  found["uses_torus"] = choose::is_torus(facts, machine);
  found["prices"] = as_list(prices);
  found["candidates"] = as_list(candidates);
  return found;
}

}  // namespace

void bind_explain(nb::module_& module) {
  module.def("explain", &explain, nb::arg("collective"), nb::arg("nbytes"), nb::arg("nodes"),
             nb::kw_only(), nb::arg("mpi"), nb::arg("alpha"), nb::arg("beta"),
             nb::arg("oversubscribed"), nb::arg("forced"), nb::arg("profile"),
             nb::arg("deterministic"), nb::arg("machine"), nb::arg("stop") = std::stop_source());
  module.def(
      "least_through_a_link",
      [](std::string_view name, double bytes, const std::vector<int>& parts, int root) {
        return choose::least_through_a_link(collective_of(name), bytes, Partition::by(parts), root);
      },
      nb::arg("collective"), nb::arg("nbytes"), nb::arg("parts"), nb::arg("root"));
}

}  // namespace roundelay::python
