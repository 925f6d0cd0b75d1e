// SPDX-License-Identifier: Apache-2.0
// What a call takes where nodes hold several ranks, by running the schedules over their links.
#pragma once

#include <cstdint>
#include <optional>

#include "choose/facts.hpp"
#include "choose/machine.hpp"
#include "choose/model/excerpts.hpp"
#include "interpret/node_links.hpp"

namespace roundelay::choose {

// Whether it is known which ranks of a group share nodes, and all nodes are at one site.
[[nodiscard]] bool knows_shared_nodes(const Facts& shape);

// What a call takes there by a run of the schedules of all ranks; without a root, `root` does not
// matter. No value: the run was given up.
[[nodiscard]] std::optional<interpret::Traffic> run_on_shared_nodes(
    const Choice& choice, const Facts& facts, int root, const interpret::NodeLinks& links,
    const NetworkLengths& network, interpret::RunBudget& budget);

// What is run: all ranks, or excerpts, if the ranks are so many that there are any.
enum class Over : std::uint8_t { all, excerpts };

// The runs of calls with the same facts.
class SharedNodesRuns {
 public:
  SharedNodesRuns(const Facts& facts, const Machine& machine, const interpret::NodeLinks& links,
                  const NetworkLengths& network);

  [[nodiscard]] bool has_excerpts() const noexcept { return excerpts_.has_value(); }
  // Of an early message, as they were given; and of this discipline.
  [[nodiscard]] const interpret::NodeLinks& links() const noexcept { return links_; }
  [[nodiscard]] interpret::NodeLinks links_of(Discipline discipline) const;
  // No value: the run was given up.
  [[nodiscard]] std::optional<interpret::Traffic> traffic(const Choice& choice, Over over,
                                                          const interpret::NodeLinks& links,
                                                          interpret::RunBudget& budget) const;
  // Seconds that it takes where ranks are not as much in step as those of a run, and still less
  // where they have too many rounds to run.
  [[nodiscard]] double expected(const interpret::Traffic& traffic) const;

 private:
  [[nodiscard]] Facts on(const Topology& excerpt) const;

  const Facts& facts_;
  const Machine& machine_;
  const interpret::NodeLinks& links_;
  const NetworkLengths& network_;
  std::optional<Excerpts> excerpts_;
};

}  // namespace roundelay::choose
