// SPDX-License-Identifier: Apache-2.0
// The calls of one decision, while the ranks of the communicator learn what is fastest for them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "choose/learner.hpp"
#include "mpi/running.hpp"
#include "preload/decision.hpp"
#include "preload/policy.hpp"
#include "preload/reconsidering.hpp"

namespace roundelay::preload {

// All ranks make the same calls of a decision in the same order, and learn from numbers that they
// have agreed on, so that each call runs the same algorithm on all of them.
class Learning {
 public:
  // For calls with these facts, which `first` was decided for. Both have to outlive it, as the
  // communicator has, which can run schedules, and `attention`, which is paid by finish(). Sends
  // nothing.
  Learning(Communicator& comm, const Policy& policy, const Facts& call, Lengths lengths,
           Decision& first, Attention& attention);

  // What the next call runs. Every rank comes here with every call. Collective now and then.
  Decision& of_next_call() {
    if (--calls_left_ > 0) [[likely]]
      return *now_;
    return go_on();
  }
  // What runs in a call that is not one of those: what was learned until now. Sends nothing.
  Decision& best_so_far() { return learner_ ? best() : first_; }
  // Waits for the agreement under way. All ranks come here after the same call of the communicator.
  void finish();
  // Passes on what came of it since this was last asked. `is_rank_0`: this process is rank 0 of the
  // communicator.
  void settle(bool is_rank_0);

 private:
  using Window = choose::Learner::Window;

  Decision& go_on();
  Decision& next_decision();
  bool begin();
  bool search();
  bool search_if_it_is_time();
  bool end();
  void note_time();
  void negate_where_most_counts(std::size_t times);
  void start_agreement();
  void agree_on(std::size_t numbers);
  bool is_agreed();
  template <typename Visit>
  void for_each_made(const Visit& visit) const;
  [[nodiscard]] bool calls_are_alike() const;
  bool learn();
  Decision& measured(int candidate);
  Decision& best();
  Decision& made(std::unique_ptr<Decision>& decision, int candidate, const std::string& reason);

  Communicator& comm_;
  const Policy& policy_;
  Facts call_;
  Lengths lengths_;
  Decision& first_;
  Attention& attention_;
  // Until there was a search, the first guess and the MPI library's own.
  std::vector<choose::Candidate> candidates_;
  bool has_searched_ = false;
  bool all_remember_ = false;  // what a search finds: no rank takes time for it
  std::vector<std::unique_ptr<Decision>> measured_;  // of each candidate, if it was needed
  std::vector<std::unique_ptr<Decision>> best_;
  std::vector<std::unique_ptr<Decision>> best_before_search_;
  std::optional<choose::Learner> learner_;  // none until enough calls were made

  std::optional<Plan> plan_of_agreement_;
  std::int64_t calls_before_;  // the first that is measured
  std::int64_t calls_left_;    // before the next has to be looked at
  Decision* now_;
  int position_ = 0;  // in the window: calls that were handed out
  // Which of the window's measurements is being made, and how many calls of it were handed out.
  std::size_t measurement_ = 0;
  int of_measurement_ = 0;
  std::int64_t longest_ = 0;  // nanoseconds of the longest of these
  // Before the call that is measured:
  std::uint64_t ticks_before_ = 0;
  std::uint64_t timed_before_ = 0;

  // What the ranks agree on: two times of each measurement, that of the last agreement and that of
  // the search, whether all calls were about as long, and whether all remember what a search finds.
  std::array<std::int64_t, 2 * choose::Learner::most_measurements + 4> agreed_{};
  std::optional<mpi::Running> agreement_;  // under way
  std::uint64_t ticks_of_agreement_ = 0;
  std::uint64_t ticks_of_search_ = 0;  // that the others have not been told
  bool told_ = false;
};

}  // namespace roundelay::preload
