// SPDX-License-Identifier: Apache-2.0
#include "preload/places.hpp"

#include <mpi.h>

#include <cstdio>
#include <fstream>
#include <optional>

#include "mpi/host.hpp"
#include "preload/configuration.hpp"

namespace roundelay::preload {

namespace {

bool fits(const Placement& placement) {
  return placement.ranks() == 0 || placement.ranks() == world_size();
}

// Where it says ranks, they are those of the world that the launcher started: a world that
// MPI_Comm_spawn starts inherits the variable.
bool is_of_this_world(const Placement& placement) {
  return placement.ranks() == 0 || !was_spawned();
}

void say_if_ignored(const char* name, const Placement& placement) {
  if (is_of_this_world(placement)) return;
  std::fprintf(stderr,
               "roundelay: %s=%s is ignored in a world that MPI_Comm_spawn started: it names ranks "
               "of another world; names of hosts are valid in both\n",
               name, placement.text().c_str());
}

std::string wrong(const char* name, const Placement& placement) {
  if (!is_of_this_world(placement) || fits(placement)) return {};
  return std::string(name) + "=" + placement.text() + " is for " +
         std::to_string(placement.ranks()) + " ranks, but MPI_COMM_WORLD has " +
         std::to_string(world_size());
}

// The part of this process; none if the user does not say it.
std::optional<int> part_by(const Placement& placement) {
  if (!placement.given() || !is_of_this_world(placement) || !fits(placement)) return std::nullopt;
  return placement.part_of(world_rank(), mpi::host_name());
}

// The same; none for a host that no pattern matches.
std::optional<int> node_by(const Placement& placement) {
  if (!placement.given() || placement.mentions(mpi::host_name())) return part_by(placement);
  if (world_rank() == 0) {
    std::fprintf(
        stderr,
        "roundelay: ROUNDELAY_NODES=%s has no pattern that matches the host %s; such hosts "
        "are nodes of their own\n",
        placement.text().c_str(), mpi::host_name().c_str());
  }
  return std::nullopt;
}

}  // namespace

int world_size() {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

bool was_spawned() {
  static const bool has_parent = [] {
    MPI_Comm parent = MPI_COMM_NULL;
    if (!ROUNDELAY_SIMGRID) PMPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
  }();
  return has_parent;
}

void notice_parent() {
  if (!was_spawned() || world_rank() != 0) return;
  const Configuration& configuration = Configuration::instance();
  say_if_ignored("ROUNDELAY_NODES", configuration.nodes());
  say_if_ignored("ROUNDELAY_SITES", configuration.sites());
}

std::uint64_t node_of_process() {
  static const std::uint64_t mine = [] {
    if (const auto part = node_by(Configuration::instance().nodes()); part.has_value()) {
      return fingerprint_of("node " + std::to_string(*part));
    }
    // The system's identity since it started, and the host name, for containers that share it.
    std::string identity;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> identity;
    return fingerprint_of(identity + mpi::host_name());
  }();
  return mine;
}

std::uint64_t site_of_process() {
  return static_cast<std::uint64_t>(part_by(Configuration::instance().sites()).value_or(0));
}

std::string wrong_placement() {
  const Configuration& configuration = Configuration::instance();
  const std::string nodes = wrong("ROUNDELAY_NODES", configuration.nodes());
  return nodes.empty() ? wrong("ROUNDELAY_SITES", configuration.sites()) : nodes;
}

}  // namespace roundelay::preload
