// SPDX-License-Identifier: Apache-2.0
// What this library keeps for one communicator of the program: it finds what was decided for the
// calls on it.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/neighbours.hpp"
#include "preload/call_lengths.hpp"
#include "preload/configuration.hpp"
#include "preload/decision.hpp"
#include "preload/device_calls.hpp"
#include "preload/learning.hpp"
#include "preload/names.hpp"
#include "preload/policy.hpp"
#include "preload/reconsidering.hpp"
#include "preload/wishes_between.hpp"

namespace roundelay::preload {

// The functions that find the state of a communicator take part in the agreement of its ranks when
// they are called for the first time, and again after roundelay_force(): then they are collective.
// Call them before anything that only this rank knows can make the call return, fail or go native.
class CommunicatorState {
 public:
  explicit CommunicatorState(MPI_Comm user) : comm(user) {}
  CommunicatorState(const CommunicatorState&) = delete;
  CommunicatorState& operator=(const CommunicatorState&) = delete;
  ~CommunicatorState() = default;

  // The state of an intracommunicator. Null for anything else: then pass the call on.
  static CommunicatorState* of(MPI_Comm user) {
    CommunicatorState* state = PerCommunicator<CommunicatorState>::instance().of(user);
    if (state == nullptr || state->comm.inter()) [[unlikely]]
      return nullptr;
    return state->agreed();
  }

  // The state, or null, for a call that the program is going to start many times: what is worth its
  // time only for many calls is done at once. Collective as of().
  static CommunicatorState* for_many_calls(CommunicatorState* state) {
    if (state != nullptr && state->policy_->may_change()) state->expect_many_calls();
    return state;
  }

  // The state of an intercommunicator on which this library may run the collective. Null for
  // anything else: then pass the call on.
  static CommunicatorState* between(MPI_Comm user, Collective collective) {
    CommunicatorState* state = PerCommunicator<CommunicatorState>::instance().of(user);
    if (state == nullptr || !state->comm.inter() || !state->may_run(collective)) {
      return nullptr;
    }
    return state->agreed();
  }

  // The state of a communicator of either kind: what of() or between() would return.
  static CommunicatorState* any(MPI_Comm user, Collective collective) {
    CommunicatorState* state = PerCommunicator<CommunicatorState>::instance().of(user);
    if (state == nullptr) [[unlikely]]
      return nullptr;
    if (state->comm.inter() && !state->may_run(collective)) [[unlikely]]
      return nullptr;
    return state->agreed();
  }

  // The state of an intracommunicator whose ranks have neighbours; comm.graph() is not null then.
  // Collective as of().
  static CommunicatorState* with_neighbours(MPI_Comm user) {
    CommunicatorState* state = PerCommunicator<CommunicatorState>::instance().of(user);
    if (state == nullptr || state->comm.inter()) return nullptr;
    if (state->comm.graph() == nullptr && !mpi::has_neighbours(user)) return nullptr;
    state->agreed();
    if (state->comm.graph() == nullptr) [[unlikely]] {
      const std::uint64_t start = ticks();
      state->find_graph();
      add_setup(ticks() - start);
    }
    return state;
  }

  // The state of an intracommunicator for a call that does not wait. Sends nothing. Null also until
  // the ranks have agreed, in a blocking call or in the background of others, and after
  // roundelay_force() until they have agreed again. It is null at the same calls on all ranks.
  static CommunicatorState* if_agreed(MPI_Comm user, Collective collective);
  // The same for an intercommunicator, as between() does for a call that waits.
  static CommunicatorState* between_if_agreed(MPI_Comm user, Collective collective);

  // What to do with a call whose whole message has so many bytes (as `m` in Claims). Sends nothing.
  Decision& decide(Collective collective, std::int64_t bytes, OperationKind kind = {}) {
    Decision* known = table_.find(collective, bytes, kind);
    if (known != nullptr) [[likely]]
      return *known;
    return decide_anew(collective, bytes, kind, {});
  }
  Decision& decide(Collective collective, std::int64_t bytes, OperationKind kind,
                   Unevenness unevenness) {
    return unevenness == Unevenness() ? decide(collective, bytes, kind)
                                      : decide_anew(collective, bytes, kind, unevenness);
  }

  // Leaves a call to the MPI library, for a reason that all ranks see in their arguments.
  Decision& leave_native(Collective collective, const char* reason);

  // What to do with a call of which no rank knows the length of the whole message.
  Decision& decide(Collective collective) { return decide(collective, 0); }
  // The same where a rank knows how many bytes it receives in all (`received`) and in the longest
  // block (`longest`; 0: blocks do not matter). The ranks agree on these lengths in the background.
  // So every rank must come here with every call, also with one that it will not run.
  Decision& decide_by_part(Collective collective, std::int64_t received, std::int64_t longest) {
    Decision& unknown = decide(collective);
    if (!unknown.length_is_missing) return unknown;
    CallLengths& lengths = lengths_[static_cast<std::size_t>(collective)];
    if (lengths.note(received, longest)) exchange(lengths);
    return decide_by(lengths, collective);
  }

  // The same for a call that may wait for the other ranks. They agree at once on its length, unless
  // it is native whatever its length is.
  Decision& decide_by_told_part(Collective collective, std::int64_t received, std::int64_t longest);

  // The same for a call that does not wait: decides by the lengths that the ranks last agreed on.
  Decision& decide_by_known_part(Collective collective);

  // What a call that does not wait runs, where a call that waits runs what was decided.
  Decision& later(Form form, Decision& decided);

  // Whether some rank may use memory of a GPU.
  [[nodiscard]] bool may_use_device() const noexcept { return policy_->may_use_device(); }
  // To be called after each call that a schedule ran, if may_use_device(). Ends the copies of the
  // call. Returns the error of the call or of the copies. Now and then the ranks agree here on
  // whether one had memory of a GPU in calls of a collective; such calls are then left to the MPI
  // library.
  int after_schedule(Collective collective, HostCopies& copies, int error);

  // Waits until the agreements in the background are complete. All ranks must come here after the
  // same call on the communicator.
  void finish_agreements();
  // For a communicator that is being freed, or has been. Whether nothing is pending on it; if
  // something is, ask again later.
  bool ended();
  // Adds what happened here to the outcomes and starts counting anew.
  void settle();

  Communicator comm;

 private:
  CommunicatorState* agreed() {
    const bool attends = reconsidering_.one_more_call();
    if (attends || settings_ != settings_of_thread) [[unlikely]]
      agree(attends);
    return this;
  }
  void agree(bool attends);
  // In a call that does not wait: whether all ranks of one node share memory from this one on.
  bool share_in_background();
  void begin_to_share_in_background();
  // What was decided before is forgotten.
  void agree_on(const Settings& settings, std::optional<Spent> spent);
  void adopt(CommunicatorProperties properties, const Settings& settings);
  CommunicatorState* agreed_before(Collective collective);
  // Whether calls that do not wait are to run between neighbours: then the ranks have to find out
  // in one that waits who these are.
  [[nodiscard]] bool later_calls_need_graph(const Settings& settings) const;
  void find_graph();
  void attend();
  void reconsider();
  void reconsider(std::uint64_t spent);
  void expect_many_calls();
  void forget_decisions();
  void drop_decisions();
  Decision& decide_anew(Collective collective, std::int64_t bytes, OperationKind kind,
                        Unevenness unevenness);
  void exchange(CallLengths& lengths);
  Decision& decide_by(const CallLengths& lengths, Collective collective) {
    return decide(collective, lengths.mean(comm.size()), {}, lengths.unevenness(comm.size()));
  }
  bool may_run(Collective collective);

  const Settings* settings_ = nullptr;         // for which the ranks agreed
  std::shared_ptr<const Graph> graph_to_run_;  // of the communicator; null: run no schedule over it
  bool runs_graph_later_ = false;              // also in calls that do not wait
  Reconsidering reconsidering_;
  // Calls that did not wait and ran nothing of this library, since the ranks last agreed.
  std::int64_t later_calls_ = 0;
  std::unique_ptr<mpi::BackgroundSharing> sharing_;  // under way
  const Settings* settings_of_sharing_ = nullptr;
  std::optional<Policy> policy_;
  DecisionTable<Decision> table_;
  std::array<CallLengths, collectives.size()> lengths_;
  DeviceCalls device_calls_;
  std::vector<std::unique_ptr<Decision>> decisions_;
  std::map<Collective, Decision*> left_native_;  // of decisions_, for their only reason
  std::vector<std::unique_ptr<Learning>> learning_;
  // Calls that did not wait before the ranks had agreed.
  std::map<Collective, Decision> too_early_;
  WishesBetween wishes_between_;
};

}  // namespace roundelay::preload
