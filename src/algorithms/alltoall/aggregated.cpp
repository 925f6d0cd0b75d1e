// SPDX-License-Identifier: Apache-2.0
// alltoall.aggregated: what a node has for another node crosses in few messages.
//
// Bienz, Gropp, Olson 2019, Node aware sparse matrix-vector multiplication, three-step
// communication (messages=nodes). The ranks of a node share the other nodes among themselves: each
// collects what all of its node have for its own ones, exchanges one message with each, and hands
// out what arrived: one message for each pair of nodes, each way, in place of n1 n2. In lanes as
// Fan, Domke, Ba, Kumar 2024 (TuNA, arXiv:2411.02581, hierarchical, coalesced): each collects what
// is for ranks at its own place in other nodes (modulo n, where these have more), and sends it
// there; nothing is handed out. Inside the node all goes by digits as in alltoallv.tuna, by default
// straight. For short blocks where nodes have several ranks. Blocks of any lengths wait until their
// lengths have gone the same way (Problem::passing).
//
//   nodes 0 1, 2 3, 4 5:
//     collect:    0 gets what 1 has for 2 3, 1 gets what 0 has for 4 5; so do the other nodes. The
//                 blocks that ranks of a node have for each other go along
//     between:    0 <-> 3   1 <-> 4   2 <-> 5
//     hand out:   0 gives 1 what came from 2 3, 1 gives 0 what came from 4 5; so do the others
//   in lanes: 0 collects what is for 2 4, 1 what is for 3 5 ..; then 0 <-> 2 4   1 <-> 3 5 ..
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/agents.hpp"
#include "algorithms/parts/levels.hpp"
#include "algorithms/parts/passing.hpp"

namespace roundelay {
namespace {

CrossingKind kind_of(const Choice& choice) { return static_cast<CrossingKind>(choice.number(1)); }

Schedule aggregated(Group g, const Partition& nodes, Blocks given, Blocks blocks, WaitingRoom room,
                    CrossingKind kind, int radix) {
  const int node = nodes.part_of(g.rank);
  const std::span<const int> here = nodes.members(node);
  const Subgroup own = within_part(g, nodes);
  const int x = own.rank;
  const int n = own.size;
  const auto distance = [=](int from, int to) {
    return static_cast<std::size_t>((to + n - from) % n);
  };
  const std::vector<std::vector<int>> served = ranks_served(nodes, node, kind);

  std::vector<Bundle> bundles(here.size());
  for (int to = 0; to < n; ++to) {
    const auto place = static_cast<std::size_t>(to);
    Bundle& bundle = bundles[distance(x, to)];
    bundle.push_back(given[here[place]]);
    for (const int rank : served[place]) bundle.push_back(given[rank]);
  }
  const auto collected = [&](std::size_t from, int left) {
    Bundle bundle{left > 0 ? room.next() : blocks[here[from]]};
    const auto end = static_cast<std::size_t>((x + left) % n);
    for (std::size_t i = 0; i < served[end].size(); ++i) bundle.push_back(room.next());
    return bundle;
  };
  co_yield all(by_digits(own, copy(given[g.rank], blocks[g.rank]),
                         Travelling{x, n, radix, bundles, collected}, radix));

  RoundList crossing;
  std::deque<SliceRoom> rooms;
  std::vector<Bundle> handed(here.size());
  std::size_t i = 0;
  for (int other = 0; other < nodes.count(); ++other) {
    if (other == node) continue;
    for (const CrossingMessage& message : messages_between(nodes, node, other, kind)) {
      if (message.from != g.rank) continue;
      Slices going;
      SliceRoom& its = rooms.emplace_back();
      for (const std::size_t end = i + message.ends.size(); i < end;) {
        ++i;
        for (int from = 0; from < n; ++from) going.add(bundles[distance(from, x)][i], its);
      }
      crossing.add(send(going, g[message.to]));
    }
    for (const CrossingMessage& message : messages_between(nodes, other, node, kind)) {
      if (message.to != g.rank) continue;
      Slices coming;
      SliceRoom& its = rooms.emplace_back();
      for (const int end : message.ends) {
        for (const int rank : nodes.members(other)) {
          const Slice place = end == g.rank ? blocks[rank] : room.next();
          handed[distance(x, nodes.place_of(end))].push_back(place);
          coming.add(place, its);
        }
      }
      crossing.add(recv(coming, g[message.from]));
    }
  }
  if (!crossing.empty()) co_yield crossing;
  if (kind == CrossingKind::of_lanes) co_return;

  const auto handed_on = [&](std::size_t from, int left) {
    Bundle bundle;
    for (const int rank : served[from]) bundle.push_back(left > 0 ? room.next() : blocks[rank]);
    return bundle;
  };
  co_yield all(by_digits(own, std::nullopt, Travelling{x, n, radix, handed, handed_on}, radix));
}

const Registered entry{
    {.collective = Collective::alltoall,
     .name = "aggregated",
     .summary =
         "What a node has for another one is collected, crosses in one message for each pair "
         "of nodes or for each rank, and is handed out.",
     .paper = "Bienz, Gropp, Olson 2019, Node aware sparse matrix-vector multiplication; in lanes "
              "Fan, Domke, Ba, Kumar 2024 (TuNA)",
     .restrictions = {Restriction::several_parts},
     .parameters = {level_parameter(),
                    {.name = "messages",
                     .summary =
                         "nodes: one for each pair of nodes; lanes: one for each rank at its "
                         "place in another node, and nothing is handed out",
                     .kind = Parameter::Kind::word,
                     .words = {"nodes", "lanes"},
                     .standard = "nodes"},
                    digits_parameter("64")},
     .claims = [](const Choice& choice) -> Claims {
       const LevelClaims parts(choice);
       const CrossingKind kind = kind_of(choice);
       const auto radix = static_cast<int>(choice.number(2));
       const Formula passing = parts.of_parts("passed_on(parts)", [=](const Partition& nodes) {
         return blocks_passed_on(nodes, kind, radix);
       });
       const Formula others = parts.of_parts(
           "other_parts", [](const Partition& nodes) -> double { return nodes.count() - 1; });
       const Formula inside = Formula::of_part(DigitClaims(radix).rounds, parts.largest(), 1);
       const bool lanes = kind == CrossingKind::of_lanes;
       return {.scratch = longest_block() * passing,
               .rounds = if_many((lanes ? 1 : 2) * inside + 1),
               .volume = m() / p() * (p() - 1 + passing),
               .ports = lanes ? others * ceil(parts.largest() / parts.smallest())
                              : max(1, ceil(others / parts.smallest()))};
     },
     .passes_on = true,
     .schedule =
         [](const Problem& x) {
           return aggregated(x.group, parts_of(x), x.given, x.blocks, WaitingRoom(x),
                             kind_of(*x.choice), static_cast<int>(x.choice->number(2)));
         }},
    {Collective::alltoallv, Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
