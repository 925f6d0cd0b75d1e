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

std::string wrong(const char* name, const Placement& placement) {
  if (fits(placement)) return {};
  return std::string(name) + "=" + placement.text() + " is for " +
         std::to_string(placement.ranks()) + " ranks, but MPI_COMM_WORLD has " +
         std::to_string(world_size());
}

// The part of this process; none if the user does not say it.
std::optional<int> part_by(const Placement& placement) {
  if (!placement.given() || !fits(placement)) return std::nullopt;
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
