// SPDX-License-Identifier: Apache-2.0
#include "preload/communicator_properties.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "choose/learner.hpp"
#include "mpi/agree.hpp"
#include "mpi/device_memory.hpp"
#include "mpi/duplicates.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/put_window.hpp"
#include "mpi/rank_properties.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/waiting.hpp"
#include "mpi/worlds.hpp"
#include "preload/abort_program.hpp"
#include "preload/known_network.hpp"
#include "preload/native.hpp"
#include "preload/persistent.hpp"
#include "preload/places.hpp"
#include "preload/record.hpp"
#include "preload/this_machine.hpp"

namespace roundelay::preload {

namespace {

bool use_topology(const Wishes& wishes) {
  return std::ranges::any_of(collectives, [&](Collective collective) {
    const auto uses = [](const std::shared_ptr<const Choice>& choice) {
      return choice != nullptr && choice->algorithm->uses_topology();
    };
    return uses(wishes.forced[collective]) ||
           (wishes.profile != nullptr &&
            std::ranges::any_of(wishes.profile->rules(collective), uses, &Rule::choice));
  });
}

// Also where all ranks are on one node.
bool ask_for_places(const Settings& settings) {
  const Profile* profile = settings.wishes.profile.get();
  return Configuration::instance().sites().given() || use_topology(settings.wishes) ||
         (profile != nullptr && profile->asks_for_nodes());
}

// Whom the ranks share a node and a site with; all of them get the same.
void locate(Communicator& comm) {
  if (comm.topology().nodes.known()) return;
  struct Place {
    std::uint64_t node;
    std::uint64_t site;
  };
  const Place mine{node_of_process(), site_of_process()};
  std::vector<Place> places(static_cast<std::size_t>(comm.size()));
  PMPI_Allgather(&mine, 2, MPI_UINT64_T, places.data(), 2, MPI_UINT64_T, comm.everybody());
  std::vector<std::uint64_t> node_of;
  std::vector<std::uint64_t> site_of;
  for (const Place& place : places) {
    node_of.push_back(place.node);
    site_of.push_back(place.site);
  }
  Topology topology{.nodes = Partition::by(node_of), .sites = {}};
  if (Configuration::instance().sites().given()) topology.sites = Partition::by(site_of);
  comm.know(std::move(topology));
}

void count_nodes(Facts& shape, const Communicator& comm) {
  const Partition& nodes = comm.topology().nodes;
  shape.topology = &comm.topology();
  if (nodes.known()) {
    shape.nodes = nodes.count();
    shape.ranks_per_node = nodes.largest() == nodes.smallest() ? nodes.largest() : 0;
  } else if (shape.one_node) {
    shape.nodes = 1;
    shape.ranks_per_node = shape.ranks;
  }
}

// SMPI's ranks are threads of one process.
bool may_share_memory(const Facts& shape, CarriedBy carried_by) {
  if (carried_by == CarriedBy::put && shape.one_node) return false;
  return !ROUNDELAY_SIMGRID && carried_by != CarriedBy::messages && shape.nodes != shape.ranks;
}

// Where there is no window, all ranks use messages.
void put_if_possible(Communicator& comm) {
  if (ROUNDELAY_SIMGRID || comm.size() == 1 || comm.put() != nullptr) return;
  auto [window, why_not] = mpi::open_put_window(comm);
  comm.put_into(std::move(window));
  static std::once_flag said;
  if (why_not == nullptr || world_rank() != 0) return;
  std::call_once(said, [why = why_not] {
    std::fprintf(stderr, "roundelay: ROUNDELAY_TRANSPORT=put, but %s; messages are used\n", why);
  });
}

// The user says what is to run, from the first call on.
bool insists(const Settings& settings) {
  const Wishes& wishes = settings.wishes;
  return wishes.deterministic || settings.carried_by == CarriedBy::memory ||
         settings.carried_by == CarriedBy::put ||
         std::ranges::any_of(collectives, [&](Collective collective) {
           return wishes.forced[collective] != nullptr;
         });
}

// It is expected, or wanted, to be worth its time from the first call on.
bool shares_at_once(const Communicator& comm, const CommunicatorProperties& properties,
                    const Settings& settings) {
  const Facts& shape = properties.shape;
  Facts without = shape;
  without.shares_memory = false;
  return settings.carried_by == CarriedBy::memory || comm.shared() != nullptr ||
         choose::may_leave_native(without, settings.wishes, properties.machine);
}

// How long the last sharing of this process took.
std::atomic<std::uint64_t> ticks_of_sharing{0};
// And the last set-up between nodes, without measuring the network; 0: there was none.
std::atomic<std::uint64_t> ticks_of_set_up{0};
// And the longest search for what may be faster.
std::atomic<std::uint64_t> nanoseconds_of_search{0};

// How many more calls, as long as those until now, it takes until a set-up costs no more than the
// share of their time that learning may cost as well; 0: no more.
std::uint64_t calls_until_set_up(const Spent& spent) {
  constexpr double many = 1e9;
  const auto ticks_in_calls = static_cast<double>(spent.ticks);
  const double missing =
      static_cast<double>(ticks_of_set_up) / choose::Learner::usual_share - ticks_in_calls;
  if (ROUNDELAY_SIMGRID || missing <= 0) return 0;
  const double calls = std::ceil(missing * static_cast<double>(spent.calls) / ticks_in_calls);
  return static_cast<std::uint64_t>(calls < many ? calls : many);
}

// Whether the user expects to see what is to run from the first call on.
bool wants_set_up_at_once(const Settings& settings) {
  return insists(settings) || settings.wishes.profile != nullptr ||
         settings.nonblocking == NonblockingCalls::on;
}

void use_memory_if_shared(const Communicator& comm, CommunicatorProperties& properties) {
  Facts& shape = properties.shape;
  shape.shares_memory = comm.shared() != nullptr;
  if (shape.shares_memory && shape.one_node) properties.machine = machine_in_memory();
}

// Whether ranks of a node have it now.
bool share_memory(Communicator& comm, CommunicatorProperties& properties, CarriedBy carried_by) {
  if (comm.shared() == nullptr) {
    const std::uint64_t start = ticks();
    auto [memory, why_not] = mpi::share_memory(comm, properties.shape.oversubscribed);
    if (memory == nullptr && carried_by == CarriedBy::memory) {
      abort_program(comm, std::string("ROUNDELAY_TRANSPORT=memory, but ") + why_not);
    }
    comm.share(std::move(memory));
    ticks_of_sharing = ticks() - start;
  }
  use_memory_if_shared(comm, properties);
  return properties.shape.shares_memory;
}

void report_difference(const Communicator& comm, const Settings& settings) {
  if (comm.rank() != 0) return;
  std::fprintf(stderr,
               "roundelay: the settings differ between the %d ranks of a communicator (its rank 0 "
               "has %s); its collectives are left to the MPI library\n",
               comm.size(), settings.text.c_str());
}

bool sees_op_free() {
  static const bool does = comes_here("MPI_Op_free");
  return does;
}

// Also if this library does not see all duplicates: then some may be under way.
bool others_are_duplicated(MPI_Comm comm) {
#if ROUNDELAY_OPEN_MPI
  static const bool sees_all = comes_here("MPI_Comm_idup") && comes_here("MPI_Comm_idup_with_info");
  if (!sees_all) return true;
#endif
  return mpi::others_are_duplicated(comm);
}

mpi::EncodedProperties properties_of_rank(const Communicator& comm, const Settings& settings,
                                          const Spent& spent) {
  return mpi::EncodedProperties(
      {.settings = settings.fingerprint,
       .node = node_of_process(),
       .spins = mpi::waiting() == Waiting::spin,
       .can_have_another = Communicator::may_make_own(),
       .calls_until_set_up = calls_until_set_up(spent),
       .search = nanoseconds_of_search,
       .users = Communicator::users(),
       .others_are_duplicated = others_are_duplicated(comm.user()),
       .may_use_device = mpi::may_use_device_memory(),
       .makes_progress = settings.nonblocking != NonblockingCalls::off && mpi::has_progress_hook(),
       .sees_starts = sees_starts(),
       .sees_op_free = sees_op_free(),
       .network = known_network()});
}

// Collective over the ranks, which tell each other their properties. Returns what they have in
// common; nothing if they cannot talk to each other.
std::optional<mpi::CommonProperties> common_properties(const Communicator& comm,
                                                       const Settings& settings,
                                                       const Spent& spent) {
  mpi::EncodedProperties encoded = properties_of_rank(comm, settings, spent);
  if (comm.size() > 1 &&
      PMPI_Allreduce(MPI_IN_PLACE, encoded.data(), mpi::EncodedProperties::size(), MPI_UINT64_T,
                     MPI_MIN, comm.everybody()) != MPI_SUCCESS) {
    return std::nullopt;
  }
  return encoded.common();
}

// Collective over both groups of an intercommunicator: whether a rank of it duplicates others.
[[maybe_unused]] bool others_are_duplicated_between(MPI_Comm inter) {
  std::array<std::uint64_t, 1> nobody{others_are_duplicated(inter) ? 0U : 1U};
  mpi::agree_between(nobody, inter);
  return nobody[0] == 0;
}

// What all ranks of a communicator know, and so decide alike.
struct Agreement {
  Communicator& comm;
  const Settings& settings;
  bool is_first;  // with these settings
  const mpi::CommonProperties& common;
  CommunicatorProperties& properties;

  // Collective. What has to be there before schedules run: places, shared memory, a communicator,
  // windows, and the speed of the network. Returns why all calls are native, or nullptr.
  const char* set_up() {
    Facts& shape = properties.shape;
    const bool may_wait = !common.one_node && comm.own() == MPI_COMM_NULL;
    if (may_wait && common.calls_until_set_up > 0 && !wants_set_up_at_once(settings)) {
      properties.machine = machine_with(common.network);
      properties.set_up_waits = true;
      properties.calls_until_set_up = common.calls_until_set_up;
      return "few calls on the communicator";
    }
    const std::uint64_t start = ticks();
    find_places();
    const bool may_share = may_share_memory(shape, settings.carried_by);
    if (may_share && shape.one_node && !shares_at_once(comm, properties, settings)) {
      properties.sharing_waits = !shape.inter;
      return nullptr;
    }
    shape.shares_memory = may_share;
    if (all_is_native()) return nullptr;
    const bool memory_carries_all = may_share && shape.one_node && !shape.inter;
    if (memory_carries_all &&
        (share_memory(comm, properties, settings.carried_by) || all_is_native())) {
      return nullptr;
    }
    if (const char* why_not = make_communicator(); why_not != nullptr) return why_not;
    if (may_share && !memory_carries_all) share_memory(comm, properties, settings.carried_by);
    if (settings.carried_by == CarriedBy::put && !common.others_are_duplicated) {
      put_if_possible(comm);
    }
    if (may_wait) ticks_of_set_up = ticks() - start;
    if (!common.one_node) {
      properties.machine = machine_with(measured_or_said(comm, common.network));
    }
    return nullptr;
  }

 private:
  void find_places() {
    if (!common.one_node || ask_for_places(settings)) locate(comm);
    count_nodes(properties.shape, comm);
  }
  [[nodiscard]] bool all_is_native() const {
    return !choose::may_leave_native(properties.shape, settings.wishes, properties.machine);
  }
  // One of this library, for messages. Returns why there is none, or nullptr.
  const char* make_communicator() {
    if (comm.own() != MPI_COMM_NULL) return nullptr;
    if (common.others_are_duplicated) {
      properties.set_up_waits = true;
      return "communicators are being duplicated";
    }
    const mpi::Users users = insists(settings) ? mpi::Users::one_thread : common.users;
    if (users == mpi::Users::several_threads) return "several threads use communicators";
    properties.set_up_waits =
        is_first && users == mpi::Users::perhaps_several && comm.user() != MPI_COMM_WORLD;
    if (properties.set_up_waits) return "threads may be making communicators";
    if (!common.can_have_another || !comm.make_own()) return "too many communicators";
    return nullptr;
  }
};

CommunicatorProperties before_agreement(const Communicator& comm) {
  return {.native_because = {},
          .shape = {.ranks = comm.size(),
                    .inter = comm.inter(),
                    .other_ranks = comm.remote_size(),
                    .topology = &comm.topology()},
          .machine = machine_with({})};
}

CommunicatorProperties after_agreement(const Communicator& comm,
                                       const mpi::CommonProperties& common) {
  CommunicatorProperties properties = before_agreement(comm);
  properties.seconds_of_search = 1e-9 * static_cast<double>(common.search);
  properties.may_use_device = common.may_use_device;
  properties.makes_progress = common.makes_progress;
  properties.sees_starts = common.sees_starts;
  properties.sees_op_free = common.sees_op_free;
  properties.shape.one_node = common.one_node;
  properties.shape.oversubscribed = !common.all_spin;
  return properties;
}

// Whether calls of ranks on one node run through memory that they share.
bool gain_by_sharing(const Communicator& comm, const mpi::CommonProperties& common,
                     const Settings& settings) {
  Facts shape = after_agreement(comm, common).shape;
  shape.shares_memory = true;
  // Wrong settings end the program in the first call that waits.
  return common.same_settings && common.makes_progress && !common.may_use_device &&
         Configuration::instance().error().empty() && wrong_placement().empty() &&
         may_share_memory(shape, settings.carried_by) && !ask_for_places(settings) &&
         choose::may_leave_native(shape, settings.wishes, machine_in_memory());
}

}  // namespace

CommunicatorProperties agree_on_properties(Communicator& comm, const Settings& settings,
                                           std::optional<Spent> spent) {
  CommunicatorProperties properties = before_agreement(comm);
  const auto left_native = [&](const char* because) {
    properties.native_because = because;
    return properties;
  };
  // Ranks of another world may be without this library.
  if (!comm.inter() && !mpi::is_one_world(comm.user())) return left_native("several worlds");
#if ROUNDELAY_OPEN_MPI
  if (comm.inter() && comm.own() == MPI_COMM_NULL && others_are_duplicated_between(comm.user())) {
    properties.set_up_waits = true;
    return left_native("communicators are being duplicated");
  }
#endif
  // Only there can all ranks of both groups be addressed.
  if (comm.inter() && !comm.make_own()) return left_native("too many communicators");
  const auto common = common_properties(comm, settings, spent.value_or(Spent()));
  if (!common) return left_native("the ranks could not agree");
  if (!common->same_settings) {
    report_difference(comm, settings);
    return left_native("settings differ between ranks");
  }
  const std::string& wrong_settings = Configuration::instance().error();
  if (!wrong_settings.empty()) abort_program(comm, wrong_settings);
  if (const std::string wrong = wrong_placement(); !wrong.empty()) abort_program(comm, wrong);

  properties = after_agreement(comm, *common);
  const char* const why_native = Agreement{comm, settings, !spent, *common, properties}.set_up();
  if (why_native != nullptr) properties.native_because = why_native;
  return properties;
}

std::unique_ptr<mpi::BackgroundSharing> begin_to_share(const Communicator& comm,
                                                       const Settings& settings) {
  if (ROUNDELAY_SIMGRID || comm.size() == 1 || comm.can_run() || !mpi::is_one_world(comm.user())) {
    return nullptr;
  }
  return std::make_unique<mpi::BackgroundSharing>(
      comm, properties_of_rank(comm, settings, {}),
      [&](const mpi::CommonProperties& common) { return gain_by_sharing(comm, common, settings); });
}

CommunicatorProperties properties_of_sharing(Communicator& comm, mpi::BackgroundSharing& sharing) {
  CommunicatorProperties properties = after_agreement(comm, sharing.common());
  count_nodes(properties.shape, comm);
  comm.share(sharing.take());
  use_memory_if_shared(comm, properties);
  return properties;
}

void note_search(std::uint64_t nanoseconds) noexcept {
  std::uint64_t longest = nanoseconds_of_search;
  while (longest < nanoseconds &&
         !nanoseconds_of_search.compare_exchange_weak(longest, nanoseconds)) {
  }
}

bool share_if_worth_it(Communicator& comm, CommunicatorProperties& properties,
                       std::uint64_t ticks_in_calls) {
  if (!mpi::all_agree(ticks_in_calls > ticks_of_sharing, comm.user())) return false;
  properties.sharing_waits = false;
  return share_memory(comm, properties, CarriedBy::automatic);
}

}  // namespace roundelay::preload
