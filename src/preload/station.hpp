// SPDX-License-Identifier: Apache-2.0
// Where the calls on one communicator pass: what was decided for them, and what came of it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "choose/length_class.hpp"
#include "mpi/agreed_length.hpp"
#include "mpi/collectives.hpp"
#include "mpi/communicator.hpp"
#include "mpi/network.hpp"
#include "mpi/operation.hpp"
#include "mpi/per_communicator.hpp"
#include "preload/configuration.hpp"
#include "preload/record.hpp"

namespace roundelay::preload {

struct Decision {
  Plan plan;
  const Outcome* outcome;  // what reports say of it
  Tally tally;
  Accepted accepted;
  bool length_is_missing;  // as in Verdict
};

// How many times as long as the mean the longest block of a call is, as a power of two.
class Unevenness {
 public:
  constexpr Unevenness() noexcept = default;
  Unevenness(std::int64_t all, std::int64_t longest, int ranks) noexcept
      : power_(all == 0
                   ? 0
                   : std::ilogb(static_cast<double>(longest) * ranks / static_cast<double>(all))) {}

  // Of a middling one of a whole message of so many bytes; 0 for those that count as even.
  [[nodiscard]] std::int64_t longest(std::int64_t bytes, int ranks) const noexcept {
    const double times = std::min(std::ldexp(1.5, power_), static_cast<double>(ranks));
    return power_ == 0 ? 0 : static_cast<std::int64_t>(times * static_cast<double>(bytes) / ranks);
  }
  friend constexpr bool operator==(Unevenness, Unevenness) noexcept = default;

 private:
  int power_ = 0;
};

class Station {
 public:
  explicit Station(MPI_Comm user) : comm(user) {}
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  ~Station() = default;

  // Null for what is no intracommunicator: pass it on.
  static Station* of(MPI_Comm user) {
    Station* station = PerCommunicator<Station>::instance().of(user);
    return station != nullptr && !station->comm.inter() ? station : nullptr;
  }

  // Of an intercommunicator where the collective may be run otherwise than by the MPI library; null
  // for any other: pass it on. Collective on both groups when it is asked for the first time.
  static Station* between(MPI_Comm user, Collective collective) {
    Station* station = PerCommunicator<Station>::instance().of(user);
    return station != nullptr && station->comm.inter() && station->may_run(collective) ? station
                                                                                       : nullptr;
  }

  // Of either kind, for calls that differ between them only in what runs, and in that none is in
  // place between groups.
  static Station* any(MPI_Comm user, Collective collective, bool in_place) {
    Station* station = PerCommunicator<Station>::instance().of(user);
    if (station == nullptr || !station->comm.inter()) [[likely]]
      return station;
    return !in_place && station->may_run(collective) ? station : nullptr;
  }

  // What to do with a call of so many bytes (as `m` in Claims). Collective on the communicator when
  // it is asked for the first time.
  Decision& decide(Collective collective, std::int64_t bytes, OperationKind kind = {}) {
    Decision* known =
        table_[static_cast<std::size_t>(collective)][LengthClass(bytes).index()][kind.index()];
    if (known != nullptr && epoch_ == epoch.load(std::memory_order_acquire)) [[likely]]
      return *known;
    return decide_slowly(collective, bytes, kind, {});
  }
  Decision& decide(Collective collective, std::int64_t bytes, OperationKind kind,
                   Unevenness unevenness) {
    return unevenness == Unevenness() ? decide(collective, bytes, kind)
                                      : decide_slowly(collective, bytes, kind, unevenness);
  }

  // The same where the ranks do not share the length of the message.
  Decision& decide(Collective collective) { return decide(collective, 0); }
  // And where what each rank knows, what it receives and sends, tells how long the whole is.
  template <typename Received, typename Sent>
  Decision& decide_by_parts(Collective collective, const Received& received, const Sent& sent) {
    Decision& unknown = decide(collective);
    if (!unknown.length_is_missing) return unknown;
    AgreedLength& agreed = agreed_[static_cast<std::size_t>(collective)];
    if (agreed.note(received(), sent())) ask(agreed);
    return decide(collective, agreed.bytes());
  }

  // The communicator is being freed.
  void ended();
  // Adds what happened here to the outcomes and starts counting anew.
  void settle();

  Communicator comm;

 private:
  // Calls that are decided alike but for those of a whole size class with even blocks.
  struct Lengths {
    std::int64_t least;
    std::int64_t most;
  };
  struct Part {
    Lengths lengths;
    OperationKind kind;
    Unevenness unevenness;
    Decision* decision;
  };

  Decision& decide_slowly(Collective collective, std::int64_t bytes, OperationKind kind,
                          Unevenness unevenness);
  Decision& decide_anew(Collective collective, std::int64_t bytes, OperationKind kind,
                        Unevenness unevenness);
  void ask(AgreedLength& agreed);
  bool may_run(Collective collective);
  void ask_both_groups();
  void agree();
  void locate();
  [[nodiscard]] Machine machine() const;

  using BySize = std::array<std::array<Decision*, OperationKind::kinds>, LengthClass::count>;
  std::array<BySize, collectives.size()> table_{};  // none where the class is cut
  std::array<std::vector<Part>, collectives.size()> parts_;
  std::array<AgreedLength, collectives.size()> agreed_;
  std::uint32_t epoch_ = 0;
  // Between two groups:
  std::uint32_t asked_epoch_ = 0;
  bool wished_ = false;   // some rank has a wish
  bool distant_ = false;  // they are of one world, but not on one node
  // What the ranks agreed on:
  bool aside_ = false;  // their settings differ
  bool one_node_ = false;
  bool oversubscribed_ = false;
  int nodes_ = 0;
  int ranks_per_node_ = 0;
  NetworkSpeed speed_;  // between nodes
  std::vector<std::unique_ptr<Decision>> decisions_;
};

// For a reduce between groups that is forced, or that a profile says: ends the program if the
// choice cannot keep the order of an operation that needs one. Elsewhere that is found when all
// decide, but here not all ranks know the operation. One rank `speaks`.
void require_order(const Plan& plan, const Communicator& comm, bool commutative, bool speaks);

}  // namespace roundelay::preload
