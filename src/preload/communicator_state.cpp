// SPDX-License-Identifier: Apache-2.0
#include "preload/communicator_state.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "mpi/neighbours.hpp"
#include "preload/abort_program.hpp"
#include "preload/report.hpp"
#include "preload/trace.hpp"

namespace roundelay::preload {

bool CommunicatorState::may_run(Collective collective) {
  return wishes_between_.may_run(comm.user(), collective, Configuration::instance().settings());
}

void CommunicatorState::agree(bool attends) {
  const Settings& settings = Configuration::instance().settings();
  const std::uint64_t start = ticks();
  if (settings_ == &settings) {
    if (attends) attend();
    add_setup(ticks() - start);
    return;
  }
  arrange_leaving();
  // Freed when all ranks have come here.
  const std::unique_ptr<mpi::BackgroundSharing> given_up = std::move(sharing_);
  if (given_up != nullptr) given_up->finish();
  later_calls_ = 0;
  forget_decisions();
  drop_decisions();
  agree_on(settings, {});
  reconsidering_.begin(policy_->may_change());
  add_setup(ticks() - start);
}

void CommunicatorState::agree_on(const Settings& settings, std::optional<Spent> spent) {
  // A call that does not wait finds no graph, and one that made the ranks agree has had it before.
  const bool needs_graph = comm.graph() != nullptr || later_calls_need_graph(settings);
  comm.know(std::shared_ptr<const Graph>());
  adopt(agree_on_properties(comm, settings, spent), settings);
  if (needs_graph) find_graph();
}

bool CommunicatorState::later_calls_need_graph(const Settings& settings) const {
  return settings.nonblocking == NonblockingCalls::on && !comm.inter() &&
         mpi::has_neighbours(comm.user());
}

// On which all ranks have agreed.
void CommunicatorState::adopt(CommunicatorProperties properties, const Settings& settings) {
  policy_.emplace(std::move(properties), settings);
  policy_->leave_on_device(device_calls_.of_all());
  double& search = reconsidering_.attention().search;
  search = std::max(search, policy_->seconds_of_search());
  settings_ = &settings;
}

// Where nobody may be asked, it has no edges.
void CommunicatorState::find_graph() {
  const auto size = static_cast<std::size_t>(comm.size());
  graph_to_run_ = nullptr;
  runs_graph_later_ = false;
  if (policy_->leaves_all_native()) {
    comm.know(std::make_shared<const Graph>(std::vector<Graph::Neighbours>(size)));
  } else {
    comm.know(mpi::graph_of(comm.user()));
    const Graph& graph = *comm.graph();
    if (graph.consistent() && mpi::pairs_as_standard(graph)) graph_to_run_ = comm.graph();
    runs_graph_later_ = policy_->leaves_later_native(comm) == nullptr && graph_to_run_ != nullptr &&
                        mpi::pairs_as_standard_later(graph);
  }
}

// All ranks come here with the same call.
void CommunicatorState::forget_decisions() {
  for (const auto& learning : learning_) learning->finish();
  table_ = {};
  left_native_.clear();
}

// What was forgotten, if no call that is under way or may be started refers to it.
void CommunicatorState::drop_decisions() {
  if (comm.any_pending() || comm.any_persistent()) return;
  settle();
  learning_.clear();
  decisions_.clear();
}

// All ranks come here with the same call: each counts those that it makes.
void CommunicatorState::attend() {
  const bool is_due = reconsidering_.is_due();
  for (const auto& learning : learning_) learning->finish();
  if (is_due) reconsider();
}

void CommunicatorState::reconsider() {
  std::uint64_t spent = 0;
  const auto add = [&](const Decision& decision) { spent += decision.tally.ticks_of_all(); };
  for (const auto& decision : decisions_) {
    add(*decision);
    if (decision->nonblocking != nullptr) add(*decision->nonblocking);
  }
  reconsider(spent);
}

void CommunicatorState::reconsider(std::uint64_t spent) {
  if (policy_->set_up_waits()) {
    const std::string before = policy_->native_because();
    agree_on(*settings_, Spent{spent, reconsidering_.calls()});
    if (policy_->native_because() != before) forget_decisions();
  } else if (policy_->reconsider(comm, spent)) {
    forget_decisions();
  }
  if (!policy_->may_change()) sharing_.reset();
  reconsidering_.plan_next(policy_->may_change(), policy_->calls_until_set_up());
}

// To share memory takes as long as hundreds of short calls, and calls that do not wait are not
// measured.
bool CommunicatorState::share_in_background() {
  constexpr std::int64_t many_calls = 256;
  if (++later_calls_ == many_calls) begin_to_share_in_background();
  if (later_calls_ <= many_calls || sharing_ == nullptr) return false;
  const std::uint64_t start = ticks();
  const bool shares = sharing_->one_more_call();
  if (shares) {
    forget_decisions();
    drop_decisions();
    adopt(properties_of_sharing(comm, *sharing_), *settings_of_sharing_);
    reconsidering_.begin(policy_->may_change());
  }
  if (shares || sharing_->is_given_up()) sharing_.reset();
  add_setup(ticks() - start);
  return shares && settings_ == &Configuration::instance().settings();
}

void CommunicatorState::begin_to_share_in_background() {
  if (comm.inter()) return;
  settings_of_sharing_ = &Configuration::instance().settings();
  if (settings_ == nullptr && later_calls_need_graph(*settings_of_sharing_)) return;
  const std::uint64_t start = ticks();
  sharing_ = begin_to_share(comm, *settings_of_sharing_);
  add_setup(ticks() - start);
}

// All ranks come here with the same call.
void CommunicatorState::expect_many_calls() {
  if (policy_->leaves_later_native(comm) != nullptr) return;
  const std::uint64_t start = ticks();
  reconsider(std::numeric_limits<std::uint64_t>::max());
  add_setup(ticks() - start);
}

Decision& CommunicatorState::decide_anew(Collective collective, std::int64_t bytes,
                                         OperationKind kind, Unevenness unevenness) {
  if (Decision* known = table_.find(collective, bytes, kind, unevenness); known != nullptr) {
    return *known;
  }
  const std::uint64_t start = ticks();
  const Lengths alike = policy_->alike(collective, bytes);
  const std::int64_t middle = alike.middle();
  const Facts call{.collective = collective,
                   .bytes = middle,
                   .longest = exchanges(collective)
                                  ? unevenness.longest_of_calls(middle, comm.size())
                                  : unevenness.longest(middle, comm.size()),
                   .commutative = kind.commutative(),
                   .predefined = kind.predefined(),
                   .graph = among_neighbours(collective) ? graph_to_run_.get() : nullptr};
  try {
    decisions_.push_back(std::make_unique<Decision>(policy_->decide(call)));
  } catch (const ImpossibleChoice& impossible) {
    abort_program(comm, impossible.what());
  }
  Decision& made = *decisions_.back();
  // All ranks know this length, so that they come here with the same call.
  if (policy_->may_change() && length_is_shared(collective) && policy_->is_long(middle)) {
    reconsidering_.begin_long_calls();
  }
  if (made.may_learn && !made.length_is_missing && comm.can_run() && !comm.inter()) {
    learning_.push_back(
        std::make_unique<Learning>(comm, *policy_, call, alike, made, reconsidering_.attention()));
    made.learning = learning_.back().get();
  }
  table_.add(collective, alike, kind, unevenness, made);
  add_setup(ticks() - start);
  return made;
}

Decision& CommunicatorState::leave_native(Collective collective, const char* reason) {
  Decision*& known = left_native_[collective];
  if (known == nullptr) {
    decisions_.push_back(
        std::make_unique<Decision>(Policy::left_native(Form::blocking, collective, reason)));
    known = decisions_.back().get();
  }
  return *known;
}

CommunicatorState* CommunicatorState::if_agreed(MPI_Comm user, Collective collective) {
  CommunicatorState* state = PerCommunicator<CommunicatorState>::instance().of(user);
  if (state == nullptr || state->comm.inter()) return nullptr;
  return state->agreed_before(collective);
}

CommunicatorState* CommunicatorState::between_if_agreed(MPI_Comm user, Collective collective) {
  CommunicatorState* state = PerCommunicator<CommunicatorState>::instance().of(user);
  if (state == nullptr || !state->comm.inter()) return nullptr;
  const bool asked = state->wishes_between_.known(Configuration::instance().settings());
  if (asked && !state->may_run(collective)) return nullptr;
  return state->agreed_before(collective);
}

CommunicatorState* CommunicatorState::agreed_before(Collective collective) {
  if (settings_ == &Configuration::instance().settings()) [[likely]] {
    if (policy_->sharing_waits() && share_in_background()) return this;
    if (policy_->may_change()) reconsidering_.one_more_later();
    return this;
  }
  if (settings_ == nullptr && share_in_background()) return this;
  auto early = too_early_.find(collective);
  if (early == too_early_.end()) {
    Decision native =
        Policy::left_native(Form::nonblocking, collective, "the ranks have not agreed yet");
    early = too_early_.emplace(collective, std::move(native)).first;
  }
  Decision& decision = early->second;
  if (decision.tally.wants_time()) decision.tally.add_time(0);
  note(*this, decision, 0);
  return nullptr;
}

Decision& CommunicatorState::decide_by_known_part(Collective collective) {
  Decision& unknown = decide(collective);
  if (!unknown.length_is_missing) return unknown;
  return decide_by(lengths_.at(static_cast<std::size_t>(collective)), collective);
}

Decision& CommunicatorState::decide_by_told_part(Collective collective, std::int64_t received,
                                                 std::int64_t longest) {
  if (policy_->leaves_later_native(comm) != nullptr) return decide_by_known_part(collective);
  Decision& unknown = decide(collective);
  if (!unknown.length_is_missing) return unknown;
  CallLengths of_call;
  const std::uint64_t start = ticks();
  of_call.agree(comm, received, longest);
  add_setup(ticks() - start);
  return decide_by(of_call, collective);
}

Decision& CommunicatorState::later(Form form, Decision& decided) {
  Decision& blocking = decided.learning != nullptr ? decided.learning->best_so_far() : decided;
  std::unique_ptr<Decision>& known = blocking.later(form);
  if (known == nullptr) [[unlikely]] {
    const Collective collective = blocking.outcome->collective;
    const bool reads_otherwise = among_neighbours(collective) &&
                                 blocking.plan.way == Plan::Way::schedule && !runs_graph_later_;
    known = std::make_unique<Decision>(
        reads_otherwise ? Policy::left_native(form, collective, choose::graph_read_otherwise)
                        : policy_->later(form, blocking, comm));
  }
  return *known;
}

int CommunicatorState::after_schedule(Collective collective, HostCopies& copies, int error) {
  if (copies.any()) {
    add_device_call();
    device_calls_.add(collective);
    const int error_of_copies = copies.finish();
    if (error == MPI_SUCCESS) error = error_of_copies;
  }
  if (device_calls_.is_due()) {
    const std::uint64_t start = ticks();
    device_calls_.exchange(comm);
    if (policy_->leave_on_device(device_calls_.of_all())) {
      forget_decisions();
      device_calls_.count_anew();  // more collectives are likely to follow
    }
    add_setup(ticks() - start);
  }
  return error;
}

void CommunicatorState::exchange(CallLengths& lengths) {
  const std::uint64_t start = ticks();
  lengths.exchange(comm);
  add_setup(ticks() - start);
}

// Every call is counted once, by the first rank of its communicator.
void CommunicatorState::settle() {
  for (const auto& learning : learning_) learning->settle(comm.rank() == 0);
  for (const auto& decision : decisions_) Policy::observe(*decision, comm.rank() == 0);
  for (auto& [collective, decision] : too_early_) Policy::observe(decision, comm.rank() == 0);
}

void CommunicatorState::finish_agreements() {
  for (const auto& learning : learning_) learning->finish();
  for (CallLengths& lengths : lengths_) lengths.finish();
  device_calls_.finish();
  if (sharing_ != nullptr) sharing_->finish();
}

bool CommunicatorState::ended() {
  settle();
  finish_agreements();
  if (comm.any_pending() || comm.any_persistent()) {
    comm.outlive_user();
    return false;
  }
  comm.free_own();
  return true;
}

}  // namespace roundelay::preload
