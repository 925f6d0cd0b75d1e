// SPDX-License-Identifier: Apache-2.0
// neighbor_alltoall.aggregated: what a node has for another node crosses in one message.
//
// Bienz, Gropp, Olson 2019, Node aware sparse matrix-vector multiplication, three-step
// communication, as alltoall.aggregated: the ranks of a node share the other nodes among
// themselves. Three rounds, and one message from a node to each other node to which it has an edge.
// What an agent collects and hands out moves twice more inside its node. Where a rank sends all
// neighbours the same block, that is once in every message. The lengths of the blocks go first, by
// the same rounds (Problem::passing). For ranks with many neighbours on other nodes.
//
//   p = 5, nodes 0 1 2, 3 4, an edge from every rank to every other; 0 and 3 are agents:
//     collect:    1 and 2 give 0 what they have for 3 4, 4 gives 3 what it has for 0 1 2. The
//                 blocks that ranks of a node have for each other go along
//     between:    0 <-> 3
//     hand out:   0 gives 1 and 2 what came for them, 3 gives 4
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/agents.hpp"
#include "algorithms/parts/levels.hpp"
#include "algorithms/parts/parcel_round.hpp"

namespace roundelay {
namespace {

// Another node with which this rank exchanges.
struct Route {
  int node;
  int partner;
  std::vector<Passing> leaving = {};
  std::vector<Passing> entering = {};
};

class Aggregation {
  // Which ranks.
  static auto is(int rank) {
    return [rank](int peer) { return peer == rank; };
  }
  [[nodiscard]] auto at(int node) const {
    return [this, node](int peer) { return nodes_.part_of(peer) == node; };
  }

 public:
  explicit Aggregation(const Problem& x)
      : g_(x.group),
        graph_(*x.graph),
        nodes_(parts_of(x)),
        node_(nodes_.part_of(g_.rank)),
        here_(nodes_.members(node_)),
        x_(static_cast<std::size_t>(nodes_.place_of(g_.rank))),
        me_(here_.subspan(x_, 1)),
        places_(x) {
    for (const int other : nodes_of(nodes_, node_, x_)) {
      routes_.push_back({other, g_[nodes_.members(other)[agent(nodes_, other, node_)]]});
    }
  }

  // All that this rank has for ranks of its node or, for other nodes, for their agents. It is one
  // of those itself.
  [[nodiscard]] ParcelRound collect() {
    ParcelRound round = places_.begin_round();
    for (std::size_t y = 0; y < here_.size(); ++y) {
      ParcelMessage& going = round.next();
      for (const Parcel& parcel : parcels_to(is(here_[y]), graph_, me_)) pack(going, parcel);
      for (const int other : nodes_of(nodes_, node_, y)) {
        for (const Parcel& parcel : parcels_to(at(other), graph_, me_)) pack(going, parcel);
      }
      if (y != x_) round.add_send(going, g_[here_[y]]);
    }
    for (std::size_t w = 0; w < here_.size(); ++w) {
      ParcelMessage& coming = round.next();
      if (w == x_) {
        places_.keep_own(round);
      } else {
        unpack(round, coming, is(here_[w]));
      }
      for (Route& route : routes_) {
        for (const Parcel& parcel : parcels_to(at(route.node), graph_, here_.subspan(w, 1))) {
          route.leaving.push_back(
              {parcel, w == x_ ? places_.own(parcel) : places_.wait(coming, parcel)});
        }
      }
      if (w != x_) round.add_recv(coming, g_[here_[w]]);
    }
    return round;
  }

  [[nodiscard]] ParcelRound cross() {
    ParcelRound round = places_.begin_round();
    for (Route& route : routes_) {
      ParcelMessage& going = round.next();
      for (const Passing& of : route.leaving) going.add(of.parcel.from, of.place);
      round.add_send(going, route.partner);
      ParcelMessage& coming = round.next();
      for (const Parcel& parcel : parcels_from(at(route.node), graph_, here_)) {
        route.entering.push_back({parcel, places_.take(round, coming, parcel)});
      }
      round.add_recv(coming, route.partner);
    }
    return round;
  }

  [[nodiscard]] ParcelRound hand_out() {
    ParcelRound round = places_.begin_round();
    for (std::size_t y = 0; y < here_.size(); ++y) {
      if (y == x_) continue;
      ParcelMessage& going = round.next();
      for (const Route& route : routes_) {
        for (const Passing& of : route.entering) {
          if (of.parcel.to == here_[y]) going.add(of.parcel.from, of.place);
        }
      }
      round.add_send(going, g_[here_[y]]);
      ParcelMessage& coming = round.next();
      for (const int other : nodes_of(nodes_, node_, y)) unpack(round, coming, at(other));
      round.add_recv(coming, g_[here_[y]]);
    }
    return round;
  }

 private:
  void pack(ParcelMessage& going, const Parcel& parcel) const {
    going.add(parcel.from, places_.own(parcel));
  }
  template <typename Some>
  void unpack(ParcelRound& round, ParcelMessage& coming, const Some& senders) const {
    for (const Parcel& parcel : parcels_from(senders, graph_, me_)) {
      places_.put(round, coming, parcel);
    }
  }

  Group g_;
  const Graph& graph_;
  const Partition& nodes_;
  int node_;
  std::span<const int> here_;
  std::size_t x_;  // the own place among them
  std::span<const int> me_;
  Places places_;
  std::vector<Route> routes_;
};

Schedule aggregated(Aggregation x) {
  const ParcelRound collecting = x.collect();
  if (!collecting.all.empty()) co_yield collecting.all;
  const ParcelRound crossing = x.cross();
  if (!crossing.all.empty()) co_yield crossing.all;
  const ParcelRound handing_out = x.hand_out();
  if (!handing_out.all.empty()) co_yield handing_out.all;
}

const Registered entry{
    {.collective = Collective::neighbor_alltoall,
     .name = "aggregated",
     .summary = "What a node has for another node is collected at one rank, crosses in one message "
                "and is handed out.",
     .paper = "Bienz, Gropp, Olson 2019, Node aware sparse matrix-vector multiplication",
     .restrictions = {Restriction::several_parts},
     .parameters = level_parameters({}),
     .claims = [](const Choice& choice) -> Claims {
       const LevelClaims parts(choice);
       const Formula passing = Formula::of(
           "passed_on(graph, parts)", [level = level_of(choice)](const Dimensions& of) -> double {
             if (of.graph == nullptr || of.topology == nullptr) return of.p;
             return parcels_passed_on(*of.graph, of.topology->at(level));
           });
       const Formula others = parts.of_parts(
           "other_parts", [](const Partition& nodes) -> double { return nodes.count() - 1; });
       return {.scratch = longest_block() * passing,
               .rounds = 3,
               .volume = (degree() + passing) * m() / p(),
               .ports = max(max(1, parts.largest() - 1), ceil(others / parts.smallest())),
               .at_most = true};
     },
     .passes_on = true,
     .schedule = [](const Problem& x) { return aggregated(Aggregation(x)); }},
    {Collective::neighbor_allgather, Collective::neighbor_allgatherv,
     Collective::neighbor_alltoallv, Collective::neighbor_alltoallw}};

}  // namespace
}  // namespace roundelay
