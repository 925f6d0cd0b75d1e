// SPDX-License-Identifier: Apache-2.0
// Facts -> algorithm, and the reason why.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/catalogue.hpp"
#include "choose/spelling.hpp"

namespace roundelay {

// What every rank of a call is guaranteed to share; nothing else may decide.
struct Facts {
  Collective collective = Collective::barrier;
  std::int64_t bytes = 0;  // of the whole message, as `m` in Claims
  int ranks = 1;
  bool commutative = true;
  bool one_node = false;        // all ranks share memory
  bool oversubscribed = false;  // some node has more ranks than cores
};

struct Verdict {
  std::shared_ptr<const Choice> choice;  // none: there is nothing to do
  std::string reason;
};

// A machine as the model sees it: seconds a message, a byte, a combined byte.
struct Machine {
  double alpha = 1e-6;
  double oversubscribed_alpha = 5e-5;  // until the other rank has the core
  double beta = 2e-10;
  double gamma = 1e-10;
  // Whether the MPI library's own algorithms are as good as any where all ranks share memory: for
  // all messages if each rank has a core, else for short ones. Open MPI's are, MPICH's are not.
  bool native_leads_on_one_node = false;
};

// A forced algorithm cannot be used for this call: names the restriction and what could be used.
class ImpossibleChoice : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// In order of authority: what is forced, then the model: native where it leads, else the cheapest
// by the closed forms of all algorithms whose restrictions hold. Throws ImpossibleChoice where what
// is forced cannot run.
[[nodiscard]] Verdict choose(const Facts& facts, const Choices& forced,
                             const Machine& machine = {});

// The MPI library's own algorithm, for that reason.
[[nodiscard]] Verdict leave_native(Collective collective, std::string reason);

}  // namespace roundelay
