// SPDX-License-Identifier: Apache-2.0
// alltoall.aggregated: what a node has for another node crosses in one message.
//
// Bienz, Gropp, Olson 2019, Node aware sparse matrix-vector multiplication, three-step
// communication. The ranks of a node share the other nodes among themselves: each collects what all
// of its node have for its own ones, exchanges one message with each, and hands out what arrived.
// So there is one message for each pair of nodes, each way, in place of n1 n2. What an agent
// collects and hands out moves twice more inside its node. For short blocks where nodes have
// several ranks. Of blocks of any lengths the lengths go first, by the same rounds
// (Problem::passing).
//
//   nodes 0 1, 2 3, 4 5:
//     collect:    0 gets what 1 has for 2 3, 1 gets what 0 has for 4 5; so do the other nodes. The
//                 blocks that ranks of a node have for each other go along
//     between:    0 <-> 3   1 <-> 4   2 <-> 5
//     hand out:   0 gives 1 what came from 2 3, 1 gives 0 what came from 4 5; so do the others
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/agents.hpp"
#include "algorithms/parts/levels.hpp"
#include "algorithms/parts/passing.hpp"

namespace roundelay {
namespace {

// Another node, and where the blocks are between its ranks and those of the own node.
struct Route {
  std::span<const int> there;
  int partner;
  std::vector<Slice> leaving;   // from place w here to place y there: y n + w
  std::vector<Slice> entering;  // from place w there to place y here: y there.size() + w
};

Schedule aggregated(Group g, const Partition& nodes, Blocks given, Blocks blocks,
                    WaitingRoom room) {
  const int node = nodes.part_of(g.rank);
  const auto x = static_cast<std::size_t>(nodes.place_of(g.rank));
  const std::span<const int> here = nodes.members(node);
  const std::size_t n = here.size();
  std::vector<Route> routes;
  for (const int other : nodes_of(nodes, node, x)) {
    const std::span<const int> there = nodes.members(other);
    const std::vector<Slice> none(n * there.size());
    routes.push_back({there, g[there[agent(nodes, other, node)]], none, none});
    for (std::size_t y = 0; y < there.size(); ++y) {
      routes.back().leaving[y * n + x] = given[there[y]];
    }
  }
  SliceRoom sent;
  SliceRoom received;
  co_yield round(copy(given[g.rank], blocks[g.rank]));

  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t to = (x + i) % n;
    const std::size_t from = (x + n - i) % n;
    sent.clear();
    received.clear();
    Slices going = given[here[to]];
    Slices coming = blocks[here[from]];
    for (const int other : nodes_of(nodes, node, to)) {
      for (const int rank : nodes.members(other)) going.add(given[rank], sent);
    }
    for (Route& route : routes) {
      for (std::size_t y = 0; y < route.there.size(); ++y) {
        coming.add(route.leaving[y * n + from] = room.next(), received);
      }
    }
    co_yield round(send(going, g[here[to]]), recv(coming, g[here[from]]));
  }

  RoundList crossing;
  std::vector<SliceRoom> rooms(2 * routes.size());
  for (std::size_t i = 0; i < routes.size(); ++i) {
    Route& route = routes[i];
    Slices going;
    Slices coming;
    for (const Slice block : route.leaving) going.add(block, rooms[2 * i]);
    for (std::size_t y = 0, j = 0; y < n; ++y) {
      for (const int rank : route.there) {
        route.entering[j] = y == x ? blocks[rank] : room.next();
        coming.add(route.entering[j++], rooms[2 * i + 1]);
      }
    }
    crossing.add(send(going, route.partner)).add(recv(coming, route.partner));
  }
  if (!crossing.empty()) co_yield crossing;

  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t to = (x + i) % n;
    const std::size_t from = (x + n - i) % n;
    sent.clear();
    received.clear();
    Slices going;
    Slices coming;
    for (const Route& route : routes) {
      const std::size_t k = route.there.size();
      for (const Slice block : std::span(route.entering).subspan(to * k, k)) going.add(block, sent);
    }
    for (const int other : nodes_of(nodes, node, from)) {
      for (const int rank : nodes.members(other)) coming.add(blocks[rank], received);
    }
    co_yield round(send(going, g[here[to]]), recv(coming, g[here[from]]));
  }
}

const Registered entry{
    {.collective = Collective::alltoall,
     .name = "aggregated",
     .summary = "What a node has for another node is collected at one rank, crosses in one message "
                "and is handed out.",
     .paper = "Bienz, Gropp, Olson 2019, Node aware sparse matrix-vector multiplication",
     .restrictions = {Restriction::several_parts},
     .parameters = level_parameters({}),
     .claims = [](const Choice& choice) -> Claims {
       const LevelClaims parts(choice);
       const Formula passing = parts.of_parts("passed_on(parts)", blocks_passed_on);
       const Formula others = parts.of_parts(
           "other_parts", [](const Partition& nodes) -> double { return nodes.count() - 1; });
       return {.scratch = longest_block() * passing,
               .rounds = if_many(2 * parts.largest() - 1),
               .volume = m() / p() * (p() - 1 + passing),
               .ports = max(1, ceil(others / parts.smallest()))};
     },
     .passes_on = true,
     .schedule =
         [](const Problem& x) {
           return aggregated(x.group, parts_of(x), x.given, x.blocks, WaitingRoom(x));
         }},
    {Collective::alltoallv, Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
