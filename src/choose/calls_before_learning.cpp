// SPDX-License-Identifier: Apache-2.0
#include "choose/calls_before_learning.hpp"

#include <algorithm>

#include "choose/learner.hpp"
#include "choose/model/cost.hpp"
#include "choose/model/margins.hpp"

namespace roundelay::choose {

// The first one may have set up connections.
std::int64_t calls_before_learning(const Facts& call, const Machine& machine) {
  constexpr double most = 4096;
  const double seconds = startup_of(call, machine) + seconds_of_bytes(call, machine);
  return 1 + static_cast<std::int64_t>(std::min(most, Learner::least_total / seconds));
}

// Where ranks wait for cores that the library keeps, its calls take so long that others are sought
// at once.
bool search_may_wait(const Facts& call, const Machine& machine) {
  return !native_waits(call, machine);
}

// Little is to be gained where a start-up takes longer than all bytes, as MPI libraries need few
// start-ups for such calls.
double share_of_learning(const Facts& call, const Machine& machine, bool is_native) {
  const bool knows_length = call.bytes > 0 || call.collective == Collective::barrier;
  const bool little = knows_length && seconds_of_bytes(call, machine) < startup_of(call, machine);
  return is_native && little ? share_of_learning_little : Learner::usual_share;
}

// Of short messages the search has to be within the share of the time of calls that learning may
// cost. Of others, calls have to take as long as it.
double seconds_before_search(const Facts& call, const Machine& machine, double seconds,
                             double search) {
  const bool is_short = seconds_of_bytes(call, machine) < bytes_of_short * seconds;
  const double share = is_short ? share_of_learning(call, machine, true) : 1;
  return search / share;
}

}  // namespace roundelay::choose
