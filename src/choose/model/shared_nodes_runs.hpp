// SPDX-License-Identifier: Apache-2.0
// What a call takes where nodes hold several ranks, by running the schedules over their links.
#pragma once

#include <cstdint>
#include <optional>

#include "choose/facts.hpp"
#include "choose/machine.hpp"
#include "choose/model/excerpts.hpp"
#include "choose/model/fewer_nodes.hpp"
#include "interpret/node_links.hpp"

namespace roundelay::choose {

// Whether it is known which ranks of a group share nodes, and all nodes are at one site.
[[nodiscard]] bool knows_shared_nodes(const Facts& shape);

// Of a call there, for what algorithms claim.
[[nodiscard]] Dimensions dimensions_of(const Facts& facts, const NetworkLengths& network);

// What a call takes there by a run of the schedules of all ranks; without a root, `root` does not
// matter. No value: the run was given up.
[[nodiscard]] std::optional<interpret::Traffic> run_on_shared_nodes(
    const Choice& choice, const Facts& facts, int root, const interpret::NodeLinks& links,
    const NetworkLengths& network, interpret::RunBudget& budget);

// What is run: all ranks; or if they are so many that there are any, excerpts, or fewer nodes.
enum class Over : std::uint8_t { all, excerpts, fewer_nodes };

// The runs of calls with the same facts.
class SharedNodesRuns {
 public:
  SharedNodesRuns(const Facts& facts, const Machine& machine, const interpret::NodeLinks& links,
                  const NetworkLengths& network);

  [[nodiscard]] bool has_excerpts() const noexcept { return excerpts_.has_value(); }
  [[nodiscard]] const std::optional<FewerNodes>& fewer_nodes() const noexcept {
    return fewer_nodes_;
  }
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
  [[nodiscard]] std::optional<interpret::Traffic> run(const Choice& choice, const Facts& facts,
                                                      const interpret::NodeLinks& links,
                                                      interpret::RunBudget& budget) const;
  [[nodiscard]] std::optional<interpret::Traffic> by_excerpts(const Choice& choice,
                                                              const interpret::NodeLinks& links,
                                                              interpret::RunBudget& budget) const;
  [[nodiscard]] std::optional<interpret::Traffic> by_fewer_nodes(
      const Choice& choice, const interpret::NodeLinks& links, interpret::RunBudget& budget) const;
  [[nodiscard]] double growth(const Choice& choice) const;
  [[nodiscard]] Facts on_fewer_nodes(const Topology& excerpt) const;
  [[nodiscard]] Facts on(const Topology& excerpt, std::int64_t bytes) const;

  const Facts& facts_;
  const Machine& machine_;
  const interpret::NodeLinks& links_;
  const NetworkLengths& network_;
  std::optional<Excerpts> excerpts_;
  std::optional<FewerNodes> fewer_nodes_;
};

}  // namespace roundelay::choose
