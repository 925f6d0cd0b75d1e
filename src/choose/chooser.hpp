// SPDX-License-Identifier: Apache-2.0
// Facts -> algorithm, and the reason why.
#pragma once

#include <memory>
#include <stdexcept>

#include "choose/facts.hpp"
#include "choose/machine.hpp"
#include "choose/spelling.hpp"
#include "choose/verdict.hpp"

namespace roundelay::choose {

class Profile;

// What the user asked for.
struct Wishes {
  Choices forced;
  std::shared_ptr<const Profile> profile;  // or none
  // Where data is combined, the order must depend on nothing but the number of ranks.
  bool deterministic = false;
};

// What the user asked for cannot be done for this call: names the restriction and what could be
// used.
class ImpossibleChoice : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// In order of authority: what is forced; where data is combined and that has to be deterministic,
// the one algorithm for it; the first rule of the profile that matches; then the model: native
// where it leads, else the cheapest of all algorithms whose restrictions hold, by their critical
// paths; in memory with more ranks than cores, of those that send least, unless a call waits for
// all ranks. Where the ranks neither share the length of the message nor have agreed on one, the
// model leaves the MPI library's own. So does everybody where there is no graph to run over. Throws
// ImpossibleChoice where what is forced, or what the profile says, cannot run.
//
// Between two groups the length is that of both directions together and may be split in any way:
// the model takes an algorithm only if it is cheaper than the MPI library's whichever way all of it
// goes. What that costs is taken to be what the catalogue's algorithm costs that is the library's
// own, too (Algorithm::common).
[[nodiscard]] Verdict choose(const Facts& facts, const Wishes& wishes, const Machine& machine = {});

// The lengths that messages of this choice may have.
[[nodiscard]] NetworkLengths network_for(const Choice& choice, const Facts& facts,
                                         const Machine& machine);

// Whether anything but the MPI library's own may be chosen for a communicator of this shape: for
// facts that differ from `shape` in the call only (collective, bytes, operation).
[[nodiscard]] bool may_leave_native(const Facts& shape, const Wishes& wishes,
                                    const Machine& machine);

}  // namespace roundelay::choose
