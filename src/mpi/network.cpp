// SPDX-License-Identifier: Apache-2.0
#include "mpi/network.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "algorithms/parts/pipeline.hpp"
#include "mpi/executor_of_thread.hpp"
#include "mpi/ping.hpp"
#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

constexpr double least_byte = 1e-12;  // seconds
constexpr int long_message = 1 << 16;

std::uint64_t power_below(double seconds) {
  return static_cast<std::uint64_t>(std::clamp(std::round(-std::log2(seconds)), 1.0, 62.0));
}

// The others wait as suits the machine: where they share its cores they would be what is measured.
void barrier(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(comm, &request);
  wait_for(request);
}

// Of messages that only some ranks send: not a tag of calls.
constexpr int pipeline_tag = 4;

// Collective: seconds a byte in a paced pipeline among some ranks whose messages are so long.
double seconds_a_byte(Units message, const Group& g, Communicator& comm) {
  constexpr Units whole = 32 * short_message;
  const auto blocks = static_cast<int>(whole / message);
  ExecutorOfThread executor;
  std::byte* bytes = executor->memory(whole);
  const Memory memory{.base = {bytes, bytes, bytes}, .type = describe(MPI_BYTE), .op = MPI_OP_NULL};
  std::array<double, 3> seconds{};
  for (double& one : seconds) {
    barrier(comm.own());
    one = -PMPI_Wtime();
    executor->run(
        {circulant_bcast(g, 0, Blocks::even(Slice(Space::output, 0, whole), blocks), &comm.memo()),
         &memory},
        {comm.own(), pipeline_tag}, Discipline::paced);
    barrier(comm.own());
    one += PMPI_Wtime();
  }
  std::ranges::sort(seconds);
  const Pipeline pipeline(g.size, blocks);
  return seconds[1] / static_cast<double>((pipeline.end() - pipeline.begin()) * message);
}

// Collective: where a rank of each node sends at once to the one 2, 4, 8, .. further on, how many
// times as long a byte takes as to the next one, in the mean. Not to the one half of them further
// on: these send each other, which takes longer by itself. Right at rank 0, if its start-up is;
// none where there are few nodes.
std::vector<double> far_to_next(double startup, Communicator& comm) {
  const Partition& nodes = comm.topology().nodes;
  constexpr int fewest = 5;
  if (comm.inter() || comm.topology().sites.count() > 1 || nodes.count() < fewest) return {};
  // Of 1, 2, 4, ..
  std::vector<double> seconds(std::bit_width(static_cast<unsigned>(nodes.count() - 1) / 2));
  if (nodes.place_of(comm.rank()) == 0) {
    std::vector<int> leaders;
    for (int node = 0; node < nodes.count(); ++node) leaders.push_back(nodes.members(node).front());
    const Group everybody(comm.rank(), comm.size());
    const Subgroup g = everybody.listed(leaders.data(), nodes.count(), nodes.part_of(comm.rank()));
    int distance = 1;
    for (double& one : seconds) {
      one = shift_of_all(long_message, distance, g, comm.own());
      distance *= 2;
    }
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const bool first = comm.rank() == 0;
  PMPI_Ireduce(first ? MPI_IN_PLACE : seconds.data(), first ? seconds.data() : nullptr,
               static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_SUM, 0, comm.own(), &request);
  wait_for(request);
  const auto of_bytes = [&](double all) {
    return std::max(least_byte * long_message, all / nodes.count() - startup);
  };
  std::vector<double> ratios;
  for (const double all : std::span(seconds).subspan(1)) {
    ratios.push_back(of_bytes(all) / of_bytes(seconds.front()));
  }
  return ratios;
}

// The others wait as in barrier().
void broadcast(NetworkSpeed& speed, int root, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(&speed, sizeof speed, MPI_BYTE, root, comm, &request);
  wait_for(request);
}

// The first rank that is a candidate; comm.size() if there is none.
int first_of(bool candidate, Communicator& comm) {
  int first = candidate ? comm.rank() : comm.size();
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm.everybody());
  return first;
}

}  // namespace

NetworkSpeed measure_network(Communicator& comm, std::uint64_t node) {
  std::uint64_t first_node = node;
  PMPI_Bcast(&first_node, 1, MPI_UINT64_T, 0, comm.everybody());
  const bool elsewhere = node != first_node;
  const Group everybody(comm.rank(), comm.size());
  const Partition& sites = comm.topology().sites;
  bool inside = !comm.inter() && sites.count() > 1;
  int peer = comm.size();
  if (inside) {
    peer = first_of(elsewhere && sites.part_of(comm.rank()) == sites.part_of(0), comm);
    inside = peer < comm.size();
  }
  if (!inside) peer = first_of(elsewhere, comm);
  if (peer == comm.size() || comm.own() == MPI_COMM_NULL) return {};
  const int site = inside ? sites.part_of(comm.rank()) : 0;
  const Subgroup near = inside ? everybody.listed(sites.members(site).data(), sites.size(site),
                                                  sites.place_of(comm.rank()))
                               : everybody.strided(0, 1, comm.size());
  const MPI_Comm own = comm.own();
  const bool first = comm.rank() == 0;
  const bool measures = first || comm.rank() == peer;
  const int other = first ? peer : 0;
  const auto startup_now = [&] { return one_way(8, 20, other, first, own); };
  NetworkSpeed speed;
  double startup = 0;
  if (measures) {
    startup = startup_now();
    const double whole = one_way(long_message, 5, other, first, own);
    speed.beta = power_below(std::max(least_byte, (whole - startup) / long_message));
    speed.gap = power_below(gap(startup, other, first, own));
  }
  barrier(own);
  const double round = round_of_all(near, own);
  const double paced_round = paced_round_of_all(near, own);
  // Once more, later: the number of blocks hangs on it, and the machine may have been busy.
  if (measures) startup = std::min(startup, startup_now());
  barrier(own);
  const std::vector<double> far = far_to_next(startup, comm);
  if (first) {
    speed.alpha = power_below(startup);
    speed.paced = NetworkSpeed::coded(paced_round / round);
    speed.crowd = NetworkSpeed::coded(std::max(1.0, round / startup));
    speed.gamma = power_below(std::max(least_byte, combined_byte()));
    speed.taper = NetworkSpeed::coded_taper(far);
  }
  broadcast(speed, 0, own);
  speed.pipelines = NetworkSpeed::of_any;
  // Else short messages are not worth their start-ups in any case.
  if (2 * speed.startup_seconds() <= short_message * speed.byte_seconds()) {
    constexpr double clearly = 1.06;
    const double of_short = seconds_a_byte(short_message, near, comm);
    const double of_long = seconds_a_byte(4 * short_message, near, comm);
    if (of_long > clearly * of_short) speed.pipelines = NetworkSpeed::of_short;
    broadcast(speed, 0, own);
  }
  return speed;
}

void measure_inside_a_node(Communicator& comm, NetworkSpeed& speed) {
  const Partition& nodes = comm.topology().nodes;
  if (comm.own() == MPI_COMM_NULL || comm.inter() || nodes.count() == nodes.ranks()) return;
  int node = 0;
  while (nodes.size(node) < 2) ++node;
  const auto members = nodes.members(node);
  const bool first = comm.rank() == members[0];
  if (first || comm.rank() == members[1]) {
    // Either often enough that some of them find both ranks on a core, where many share a few.
    constexpr int times = 20;
    const int other = members[first ? 1 : 0];
    const double startup = one_way(8, times, other, first, comm.own());
    const double whole = one_way(long_message, times, other, first, comm.own());
    speed.near_alpha = power_below(startup);
    speed.near_beta = power_below(std::max(least_byte, (whole - startup) / long_message));
  }
  broadcast(speed, members[0], comm.own());
}

void measure_between_sites(Communicator& comm, NetworkSpeed& speed) {
  const MPI_Comm own = comm.own();
  if (own == MPI_COMM_NULL) return;
  constexpr int most_lanes = 16;
  const Partition& sites = comm.topology().sites;
  const int lanes = std::min({sites.size(0), sites.size(1), most_lanes});
  const int site = sites.part_of(comm.rank());
  const auto lane = static_cast<std::size_t>(sites.place_of(comm.rank()));
  const bool first = site == 0;
  const bool crosses = site < 2 && sites.place_of(comm.rank()) < lanes;
  const int other = crosses ? sites.members(1 - site)[lane] : 0;
  double startup = 0;
  if (crosses && lane == 0) startup = one_way(8, 3, other, first, own);
  barrier(own);
  // Several in turn, for a connection that was idle begins slowly.
  const double whole = crosses ? one_way(long_message, 4, other, first, own) : 0;
  if (comm.rank() == 0) {
    speed.far_alpha = power_below(startup);
    speed.far_beta = power_below(std::max(least_byte, (whole - startup) / long_message / lanes));
  }
  broadcast(speed, 0, own);
}

}  // namespace roundelay::mpi
