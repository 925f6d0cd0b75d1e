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

  // Null for what is no intracommunicator: pass the call on.
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

  // Of an intercommunicator where the collective may be run otherwise than by the MPI library; null
  // for any other: pass the call on.
  static CommunicatorState* between(MPI_Comm user, Collective collective) {
    CommunicatorState* state = PerCommunicator<CommunicatorState>::instance().of(user);
    if (state == nullptr || !state->comm.inter() || !state->may_run(collective)) {
      return nullptr;
    }
    return state->agreed();
  }

  // Of either kind.
  static CommunicatorState* any(MPI_Comm user, Collective collective) {
    CommunicatorState* state = PerCommunicator<CommunicatorState>::instance().of(user);
    if (state == nullptr) [[unlikely]]
      return nullptr;
    if (state->comm.inter() && !state->may_run(collective)) [[unlikely]]
      return nullptr;
    return state->agreed();
  }

  // Of an intracommunicator whose ranks have neighbours; comm.graph() is there. Collective as of().
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

  // For a call that does not wait. Sends nothing. Null also before the ranks have agreed, in a
  // blocking call, and after roundelay_force() until they have done so again: at the same call on
  // all of them.
  static CommunicatorState* if_agreed(MPI_Comm user, Collective collective);
  // The same of an intercommunicator, as between().
  static CommunicatorState* between_if_agreed(MPI_Comm user, Collective collective);

  // What to do with a call of so many bytes (as `m` in Claims). Sends nothing.
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

  // To leave it to the MPI library, for a reason that all ranks see in their arguments.
  Decision& leave_native(Collective collective, const char* reason);

  // The same where the ranks do not share the length of the message.
  Decision& decide(Collective collective) { return decide(collective, 0); }
  // And where a rank knows how many bytes it receives itself, and in the longest block; 0: blocks
  // do not matter. Every rank has to come here with every call, also with one that it will not run:
  // collective now and then.
  Decision& decide_by_part(Collective collective, std::int64_t received, std::int64_t longest) {
    Decision& unknown = decide(collective);
    if (!unknown.length_is_missing) return unknown;
    CallLengths& lengths = lengths_[static_cast<std::size_t>(collective)];
    if (lengths.note(received, longest)) exchange(lengths);
    return decide_by(lengths, collective);
  }

  // Of a call that may wait for the other ranks: they agree at once on how long it is, if it is not
  // native in any case.
  Decision& decide_by_told_part(Collective collective, std::int64_t received, std::int64_t longest);

  // And of a call that does not wait: by what the ranks have agreed on until now.
  Decision& decide_by_known_part(Collective collective);

  // The same for calls that do not wait.
  Decision& later(Form form, Decision& decided);

  // Whether some rank may use memory of a GPU.
  [[nodiscard]] bool may_use_device() const noexcept { return policy_->may_use_device(); }
  // After each call that a schedule ran, where some rank may: ends its copies and returns its error
  // or theirs. Collective now and then. As soon as all ranks know that one had memory of a GPU in
  // calls of a collective, these are left to the MPI library.
  int after_schedule(Collective collective, HostCopies& copies, int error);

  // Waits for what the ranks agree on in the background. All of them come here after the same call
  // on the communicator.
  void finish_agreements();
  // The communicator is being freed, or has been. Whether all is over: as long as calls are pending
  // this has to be asked again.
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
  // What was decided before is forgotten.
  void agree_on(const Settings& settings, std::optional<Spent> spent);
  CommunicatorState* agreed_before(Collective collective);
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
