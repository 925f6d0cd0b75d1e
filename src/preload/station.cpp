// SPDX-License-Identifier: Apache-2.0
#include "preload/station.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

#include "choose/profile.hpp"
#include "mpi/host.hpp"
#include "mpi/waiting.hpp"
#include "preload/events.hpp"
#include "preload/report.hpp"

namespace roundelay {

namespace {

// What the user asked for cannot be done: one rank says so and all end. Before any message.
[[noreturn]] void give_up(const Communicator& comm, const std::string& why, bool speaks) {
  if (speaks) {
    std::fprintf(stderr, "roundelay: error: %s\n", why.c_str());
    std::fflush(stderr);
    tell_error(why);
    // A launcher may drop what it has not passed on when the job ends.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    PMPI_Abort(comm.user(), 1);
  }
  PMPI_Barrier(comm.user());  // until the end that the other brings
  std::abort();
}
[[noreturn]] void give_up(const Communicator& comm, const std::string& why) {
  give_up(comm, why, comm.rank() == 0);
}

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Equal on ranks that share memory: what the user says, or the system's identity since it started,
// and its host name for containers that share it.
std::uint64_t node_fingerprint() {
  static const std::uint64_t mine = [] {
    const Placement& nodes = Configuration::instance().nodes();
    if (nodes.given()) {
      return fingerprint_of("node " + std::to_string(nodes.part_of(world_rank(), host_name())));
    }
    std::string identity;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> identity;
    return fingerprint_of(identity + host_name());
  }();
  return mine;
}

// What is said of ranks has to be said of all that there are.
std::string wrong_placement(const char* name, const Placement& placement) {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (placement.ranks() == 0 || placement.ranks() == ranks) return {};
  return std::string(name) + "=" + placement.text() + " is for " +
         std::to_string(placement.ranks()) + " ranks, but MPI_COMM_WORLD has " +
         std::to_string(ranks);
}

bool use_topology(const Wishes& wishes) {
  return std::ranges::any_of(collectives, [&](Collective collective) {
    const auto uses = [](const std::shared_ptr<const Choice>& choice) {
      return choice != nullptr && choice->algorithm->uses_topology();
    };
    return uses(wishes.forced[collective]) ||
           (wishes.profile != nullptr &&
            std::ranges::any_of(wishes.profile->rules(collective),
                                [&](const Rule& rule) { return uses(rule.choice); }));
  });
}

// PyPI's MPICH 5 has collectives in shared memory, Debian's MPICH 4 has not. Open MPI yields where
// its launcher knows that ranks outnumber the cores, MPICH never does.
// Connections buffer 128 KiB at either end as a rule: in the lab, algorithms took as long early as
// paced, or less, with messages up to 256 KiB.
[[maybe_unused]] constexpr double both_ends = 2 * 131072;
#if ROUNDELAY_OPEN_MPI
constexpr Machine usual{.absorbed = both_ends,
                        .native_leads_on_one_node = true,
                        .native_shares_cores = true,
                        .native_floods = true,
                        .native_leads_when_short = true};
#elif ROUNDELAY_MPICH
constexpr Machine usual{.absorbed = both_ends,
                        .native_leads_on_one_node = MPICH_NUMVERSION >= 50000000,
                        .native_leads_when_short = true};
#else
constexpr Machine usual;  // SMPI's stand-ins choose by the tables of old versions
#endif

// What this process last found, or was told, of the network.
std::mutex network_mutex;
NetworkSpeed network_known;

NetworkSpeed known_network() {
  const std::lock_guard lock(network_mutex);
  return network_known;
}
void know_network(NetworkSpeed speed) {
  const std::lock_guard lock(network_mutex);
  network_known = speed;
}

bool wishes_between(const Wishes& wishes) {
  return std::ranges::any_of(collectives, [&](Collective collective) {
    const auto is_between = [](const Rule& rule) { return rule.conditions.inter; };
    return wishes.forced.between(collective) != nullptr ||
           (wishes.profile != nullptr &&
            std::ranges::any_of(wishes.profile->rules(collective), is_between));
  });
}

bool is_inside(MPI_Group some, MPI_Group all) {
  MPI_Group outside = MPI_GROUP_NULL;
  int count = 0;
  PMPI_Group_difference(some, all, &outside);
  PMPI_Group_size(outside, &count);
  if (outside != MPI_GROUP_EMPTY) PMPI_Group_free(&outside);
  return count == 0;
}

// Whether all ranks of both groups are of one MPI_COMM_WORLD: then all of them know it.
bool is_one_world(MPI_Comm inter) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group local = MPI_GROUP_NULL;
  MPI_Group remote = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_group(inter, &local);
  PMPI_Comm_remote_group(inter, &remote);
  const bool is = is_inside(local, world) && is_inside(remote, world);
  for (MPI_Group* group : {&world, &local, &remote}) PMPI_Group_free(group);
  return is;
}

}  // namespace

// Ranks of one world may have different wishes; with another world, where this library may not be,
// nobody speaks unless it has to.
void Station::ask_both_groups() {
  asked_epoch_ = epoch;
  wished_ = wishes_between(Configuration::instance().wishes());
  distant_ = false;
  if (!is_one_world(comm.user())) return;
  enum : std::size_t { no_wish, own_node, not_node, values };
  const std::uint64_t node = node_fingerprint();
  std::array<std::uint64_t, values> least{wished_ ? 0U : 1U, node, ~node};
  for (int i = 0; i < 2; ++i) {  // what the others have, and what they heard
    std::array<std::uint64_t, values> theirs{};
    PMPI_Allreduce(least.data(), theirs.data(), values, MPI_UINT64_T, MPI_MIN, comm.user());
    std::ranges::transform(least, theirs, least.begin(),
                           [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
  }
  wished_ = least[no_wish] == 0;
  distant_ = least[own_node] != ~least[not_node];
}

// Where nobody has a wish and the model would leave everything to the MPI library, nothing is
// prepared.
bool Station::may_run(Collective collective) {
  if (asked_epoch_ != epoch) ask_both_groups();
  return wished_ || (distant_ && model_knows_between(collective));
}

void require_order(const Plan& plan, const Communicator& comm, bool commutative, bool speaks) {
  if (violated(*plan.choice, {comm.size(), commutative}) == nullptr) return;
  give_up(comm,
          "reduce=" + plan.choice->text() +
              " cannot keep the order of an operation that is not commutative; what can is "
              "inter_pieces(reduce_scatter=ordered)",
          speaks);
}

Machine Station::machine() const {
  Machine machine = usual;
  if (speed_.known()) {
    machine.alpha = speed_.startup_seconds();
    machine.oversubscribed_alpha = machine.alpha;
    machine.beta = speed_.byte_seconds();
    machine.gap = speed_.gap_seconds();
    machine.handshake = speed_.handshake();
    machine.crowding = speed_.crowding();
    machine.short_pipelines = speed_.short_pipelines();
    if (speed_.far_known()) {
      machine.far_alpha = speed_.far_startup_seconds();
      machine.far_beta = speed_.far_byte_seconds();
    }
  }
  return machine;
}

Decision& Station::decide_slowly(Collective collective, std::int64_t bytes, OperationKind kind,
                                 Unevenness unevenness) {
  if (epoch_ == epoch) {
    for (const Part& part : parts_[static_cast<std::size_t>(collective)]) {
      if (part.kind.index() == kind.index() && part.unevenness == unevenness &&
          part.lengths.least <= bytes && bytes <= part.lengths.most) {
        return *part.decision;
      }
    }
  }
  return decide_anew(collective, bytes, kind, unevenness);
}

Decision& Station::decide_anew(Collective collective, std::int64_t bytes, OperationKind kind,
                               Unevenness unevenness) {
  const std::uint64_t start = ticks();
  if (epoch_ != epoch) agree();
  const Wishes wishes = Configuration::instance().wishes();
  const LengthClass of_length(bytes);
  Lengths alike{of_length.least(), of_length.most()};
  bool apart = unevenness != Unevenness();
  if (wishes.profile != nullptr && !aside_) {
    for (const std::int64_t boundary : wishes.profile->boundaries(collective, comm.size())) {
      if (boundary <= alike.least || boundary > alike.most) continue;
      apart = true;
      if (boundary <= bytes) {
        alike.least = boundary;
      } else {
        alike.most = boundary - 1;
      }
    }
  }
  // A middling size stands for all that are alike, so that every rank and every call decides alike.
  const std::int64_t middling = alike.least + (alike.most - alike.least + 1) / 2;
  const Facts facts{.collective = collective,
                    .bytes = middling,
                    .ranks = comm.size(),
                    .longest = unevenness.longest(middling, comm.size()),
                    .commutative = kind.commutative(),
                    .predefined = kind.predefined(),
                    .inter = comm.inter(),
                    .other_ranks = comm.remote_size(),
                    .one_node = one_node_,
                    .oversubscribed = oversubscribed_,
                    .topology = &comm.topology(),
                    .nodes = nodes_,
                    .ranks_per_node = ranks_per_node_};
  Verdict verdict;
  try {
    verdict = aside_ ? leave_native(collective, "settings differ between ranks")
                     : choose(facts, wishes, machine());
  } catch (const ImpossibleChoice& impossible) {
    give_up(comm, impossible.what());
  }
  const Outcome* what = outcome(
      collective, verdict.choice != nullptr ? verdict.choice->text() : "nothing", verdict.reason);
  Decision& made = *decisions_.emplace_back(std::make_unique<Decision>(Decision{
      Plan(std::move(verdict.choice), verdict.network), what, {}, {}, verdict.length_is_missing}));
  if (made.plan.way == Plan::Way::schedule) comm.own();  // now, not in the time of the call
  const auto of = static_cast<std::size_t>(collective);
  if (apart) {
    parts_[of].push_back({alike, kind, unevenness, &made});
  } else {
    table_[of][of_length.index()][kind.index()] = &made;
  }
  add_setup(ticks() - start);
  return made;
}

void Station::ask(AgreedLength& agreed) {
  const std::uint64_t start = ticks();
  agreed.ask(comm);
  add_setup(ticks() - start);
}

// All ranks compare their settings once; whoever decided differently would wait for ever. With the
// same message they find out what else they share.
void Station::agree() {
  const Configuration& configuration = Configuration::instance();
  arrange_conclusion();
  epoch_ = epoch;
  table_ = {};
  parts_ = {};
  for (const auto& [name, placement] : {std::pair("ROUNDELAY_NODES", &configuration.nodes()),
                                        std::pair("ROUNDELAY_SITES", &configuration.sites())}) {
    if (const std::string wrong = wrong_placement(name, *placement); !wrong.empty()) {
      give_up(comm, wrong);
    }
  }
  const std::uint64_t settings = configuration.fingerprint();
  const std::uint64_t node = node_fingerprint();
  // The least of a value and of its complement: equal on all ranks where the two still fit.
  enum : std::size_t {
    own_settings,
    not_settings,
    own_node,
    not_node,
    spins,
    alpha,
    beta,
    gap,
    paced,
    crowd,
    pipelines,
    far_alpha,
    far_beta,
    values
  };
  const NetworkSpeed known = known_network();
  std::array<std::uint64_t, values> least{settings,
                                          ~settings,
                                          node,
                                          ~node,
                                          waiting() == Waiting::spin ? 1U : 0U,
                                          known.alpha,
                                          known.beta,
                                          known.gap,
                                          known.paced,
                                          known.crowd,
                                          known.pipelines,
                                          known.far_alpha,
                                          known.far_beta};
  const MPI_Comm everybody = comm.everybody();
  if (everybody == MPI_COMM_NULL) {
    aside_ = true;
    return;
  }
  if (comm.size() > 1) {
    PMPI_Allreduce(MPI_IN_PLACE, least.data(), values, MPI_UINT64_T, MPI_MIN, everybody);
  }
  aside_ = least[own_settings] != ~least[not_settings];
  one_node_ = least[own_node] == ~least[not_node];
  oversubscribed_ = least[spins] == 0;
  if (aside_) {
    if (comm.rank() == 0) {
      std::fprintf(
          stderr,
          "roundelay: the settings differ between the %d ranks of a communicator (its rank 0 has "
          "%s); its collectives are left to the MPI library\n",
          comm.size(), configuration.text().c_str());
    }
    return;
  }
  if (!configuration.error().empty()) give_up(comm, configuration.error());
  const Wishes wishes = configuration.wishes();
  if (configuration.sites().given() || use_topology(wishes) || (comm.inter() && !one_node_) ||
      (wishes.profile != nullptr && wishes.profile->asks_for_nodes())) {
    locate();
  }
  if (one_node_) return;
  speed_ = {least[alpha], least[beta],      least[gap],       least[paced],
            least[crowd], least[pipelines], least[far_alpha], least[far_beta]};
  if (!speed_.known()) speed_ = measure_network(comm, node);
  if (!comm.inter() && comm.topology().sites.count() > 1 && !speed_.far_known()) {
    measure_between_sites(comm, speed_);
  }
  know_network(speed_);
}

// Whom the ranks share a node and a site with; all of them get the same.
void Station::locate() {
  if (comm.topology().nodes.known()) return;
  const Placement& sites = Configuration::instance().sites();
  struct Place {
    std::uint64_t node;
    std::uint64_t site;
  };
  const auto size = static_cast<std::size_t>(comm.size());
  const Place mine{
      node_fingerprint(),
      sites.given() ? static_cast<std::uint64_t>(sites.part_of(world_rank(), host_name())) : 0};
  std::vector<Place> places(size);
  PMPI_Allgather(&mine, 2, MPI_UINT64_T, places.data(), 2, MPI_UINT64_T, comm.everybody());
  std::vector<std::uint64_t> node_of;
  std::vector<std::uint64_t> site_of;
  for (const Place& place : places) {
    node_of.push_back(place.node);
    site_of.push_back(place.site);
  }
  Topology topology{.nodes = Partition::by(node_of), .sites = {}};
  if (sites.given()) topology.sites = Partition::by(site_of);
  nodes_ = topology.nodes.count();
  ranks_per_node_ =
      topology.nodes.largest() == topology.nodes.smallest() ? topology.nodes.largest() : 0;
  comm.know(std::move(topology));
}

void Station::settle() {
  for (const auto& decision : decisions_) {
    if (decision->tally.calls > 0) {
      roundelay::settle(decision->outcome, std::exchange(decision->tally, {}), comm.rank() == 0);
    }
  }
}

void Station::ended() {
  settle();
  for (AgreedLength& agreed : agreed_) agreed.end();
  comm.free_own();
}

}  // namespace roundelay
