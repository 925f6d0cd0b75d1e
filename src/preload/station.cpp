// SPDX-License-Identifier: Apache-2.0
#include "preload/station.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>

#include "choose/chooser.hpp"
#include "mpi/waiting.hpp"
#include "preload/report.hpp"

namespace roundelay {

namespace {

// What the user asked for cannot be done: one rank says so and all end. Before any message.
[[noreturn]] void give_up(const Communicator& comm, const std::string& why) {
  if (comm.rank() == 0) {
    std::fprintf(stderr, "roundelay: error: %s\n", why.c_str());
    std::fflush(stderr);
    // A launcher may drop what it has not passed on when the job ends.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    PMPI_Abort(comm.user(), 1);
  }
  PMPI_Barrier(comm.user());  // until the end that rank 0 brings
  std::abort();
}

// Equal on ranks that share memory: the system's identity since it started, and its host name for
// containers that share it.
std::uint64_t node_fingerprint() {
  static const std::uint64_t mine = [] {
    std::string identity;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> identity;
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return fingerprint_of(identity + host.data());
  }();
  return mine;
}

constexpr Machine machine{.native_leads_on_one_node = ROUNDELAY_OPEN_MPI != 0};

}  // namespace

Decision& Station::decide_anew(Collective collective, std::size_t size_class, bool commutative) {
  const std::uint64_t start = ticks();
  const Configuration& configuration = Configuration::instance();
  if (epoch_ != epoch) agree();
  // A middling size stands for all of its class, so that every rank and every call decides alike.
  const std::int64_t least = size_class == 0 ? 0 : std::int64_t{1} << (size_class - 1);
  const Facts facts{collective,  least + least / 2, comm.size(),
                    commutative, one_node_,         oversubscribed_};
  Verdict verdict;
  try {
    verdict = aside_ ? leave_native(collective, "settings differ between ranks")
                     : choose(facts, configuration.forced(), machine);
  } catch (const ImpossibleChoice& impossible) {
    give_up(comm, impossible.what());
  }
  const Outcome* what = outcome(
      collective, verdict.choice != nullptr ? verdict.choice->text() : "nothing", verdict.reason);
  Decision& made = *decisions_.emplace_back(
      std::make_unique<Decision>(Decision{Plan(std::move(verdict.choice)), what, {}, {}}));
  if (made.plan.way == Plan::Way::schedule) comm.own();  // now, not in the time of the call
  table_[static_cast<std::size_t>(collective)][size_class][static_cast<std::size_t>(commutative)] =
      &made;
  add_setup(ticks() - start);
  return made;
}

// All ranks compare their settings once; whoever decided differently would wait for ever. With the
// same message they find out what else they share.
void Station::agree() {
  const Configuration& configuration = Configuration::instance();
  arrange_conclusion();
  epoch_ = epoch;
  table_ = {};
  const std::uint64_t settings = configuration.fingerprint();
  const std::uint64_t node = node_fingerprint();
  // The least of a value and of its complement: equal on all ranks where the two still fit.
  enum : std::size_t { own_settings, not_settings, own_node, not_node, spins, values };
  std::array<std::uint64_t, values> least{settings, ~settings, node, ~node,
                                          waiting() == Waiting::spin ? 1U : 0U};
  if (comm.size() > 1) {
    PMPI_Allreduce(MPI_IN_PLACE, least.data(), values, MPI_UINT64_T, MPI_MIN, comm.user());
  }
  aside_ = least[own_settings] != ~least[not_settings];
  one_node_ = least[own_node] == ~least[not_node];
  oversubscribed_ = least[spins] == 0;
  if (aside_) {
    if (comm.rank() == 0) {
      std::fprintf(
          stderr,
          "roundelay: the settings differ between the %d ranks of a communicator (its rank 0 has "
          "ROUNDELAY=\"%s\"); its collectives are left to the MPI library\n",
          comm.size(), configuration.forced().text().c_str());
    }
    return;
  }
  if (!configuration.error().empty()) give_up(comm, configuration.error());
}

void Station::settle() {
  for (const auto& decision : decisions_) {
    // Once per communicator, by its first rank.
    if (comm.rank() == 0 && decision->tally.calls > 0) {
      roundelay::settle(decision->outcome, std::exchange(decision->tally, {}));
    }
  }
}

void Station::ended() {
  settle();
  comm.free_own();
}

}  // namespace roundelay
