// SPDX-License-Identifier: Apache-2.0
// The best algorithm between nodes that have several ranks, by running what may be it.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "choose/candidates.hpp"
#include "choose/model/remembered.hpp"
#include "choose/model/run_limits.hpp"
#include "choose/model/shared_nodes_runs.hpp"

namespace roundelay::choose {

class SharedNodesSearch {
 public:
  // For what takes less than `most` seconds. `links` and `network` are those of this machine.
  SharedNodesSearch(const Facts& facts, const Machine& machine, const interpret::NodeLinks& links,
                    const NetworkLengths& network,
                    double most = std::numeric_limits<double>::infinity());

  void run();
  // Without a choice: nothing takes less than `most` seconds.
  [[nodiscard]] Candidate best() const { return {best_.choice, best_.seconds}; }
  // Whether nothing was run to its end, or until it took too long, that might be better.
  [[nodiscard]] bool gave_up() const noexcept;
  // Whether start-ups are more than such a share of what the best takes.
  [[nodiscard]] bool starts_up_for_long(double share) const;
  // Whether an algorithm that MPI libraries have, too, does about as well, at its best: where rank
  // 0 is the root, and both ways of a link are used at once.
  [[nodiscard]] bool native_may_do_as_well() const;

  // In place of run(): what each of them takes.
  [[nodiscard]] std::vector<Candidate> all();
  // In place of run(), of short blocks: what passes them on in fewer messages, where that takes
  // less than such a share of the time of all that MPI libraries have, too; else without a choice.
  [[nodiscard]] Candidate much_cheaper_than_common(double share);

 private:
  struct Best {
    std::shared_ptr<const Choice> choice = nullptr;
    double seconds = std::numeric_limits<double>::infinity();
    double in_step = 0;  // seconds of its run alone
    Over over = Over::all;
  };

  // Algorithms composed of others, each with the best of these for its stages.
  struct Composed {
    std::vector<Choice> choices = {};
    int transfers_left = most_transfers_between_nodes;
  };

  void choose_stages();
  [[nodiscard]] std::vector<const Algorithm*> in_order() const;
  [[nodiscard]] double rounds_of(const Algorithm& algorithm) const;
  [[nodiscard]] bool is_flat(const Algorithm& algorithm) const;
  [[nodiscard]] bool can_run(const Algorithm& flat) const;
  [[nodiscard]] Over all_of(const Algorithm& algorithm) const;
  void try_one(const Algorithm& algorithm, Best& best);
  void try_composed(const Algorithm& algorithm, Best& best);
  [[nodiscard]] Choice with_best_stages(const Choice& standard);
  void vary(std::size_t which, Best& best);
  void vary_ways(Best& best);
  void compare_stages(const Choice& choice, Best& best, double times);
  bool take_if_cheaper(const Choice& choice, Best& best);
  bool take_if_cheaper(const Choice& choice, Best& best, double times, Over over,
                       int& transfers_left);

  static Remembered<Composed>& remembered();

  const Facts& facts_;
  const Machine& machine_;
  const NetworkLengths& network_;
  SharedNodesRuns runs_;
  int transfers_ = most_transfers_between_nodes;
  Composed composed_;
  Best best_;
  bool knows_any_ = false;  // what one takes, or that it takes too long
  bool gave_up_ = false;    // one, because it was too much work
};

}  // namespace roundelay::choose
