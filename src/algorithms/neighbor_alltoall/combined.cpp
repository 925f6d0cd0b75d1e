// SPDX-License-Identifier: Apache-2.0
// neighbor_alltoall.combined: in a grid, all that goes the same way in a dimension goes in one
// message.
//
// Traff, Carpen-Amarie, Hunold, Rougier 2016, Message-Combining Algorithms for Isomorphic, Sparse
// Collective Communication. A block goes along the first dimension of the grid to the row of its
// receiver, then along the second, and so on. So a stencil with corners, of 3^d - 1 neighbours in d
// dimensions, takes d rounds and 2 d messages; a block goes up to d times. Blocks go so over any
// graph: the grid is that in which there are the fewest messages (src/schedule/grid.hpp). Where a
// rank sends all neighbours the same block, that is once in each message. For short blocks of many
// neighbours.
//
//   p = 9, a torus of 3 rows of 3 ranks, rank 4 has blocks for all its 8 neighbours:
//     along the columns:  for 0 1 2 to rank 1, for 6 7 8 to rank 7
//     along the rows:     what it has by now for 3, from ranks of its own column, too, to rank 3,
//                         and for 5 to rank 5
#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/parcel_round.hpp"

namespace roundelay {
namespace {

class Combination {
 public:
  explicit Combination(const Problem& x)
      : g_(x.group), graph_(*x.graph), grid_(x.graph->grid()), places_(x) {
    for (const Parcel& parcel : at(0)) held_.push_back({parcel, places_.own(parcel)});
  }

  [[nodiscard]] int rounds() const noexcept { return grid_.dimensions(); }

  // All that has to go along a dimension.
  [[nodiscard]] ParcelRound along(int dimension) {
    ParcelRound round = places_.begin_round();
    std::map<int, ParcelMessage*> going;
    std::vector<Slice> staying;
    for (const Passing& of : held_) {
      const int next = place(dimension + 1, of.parcel);
      if (next == g_.rank) {
        staying.push_back(of.place);
      } else {
        message(round, going, next).add(of.parcel.from, of.place);
      }
    }
    std::map<int, ParcelMessage*> coming;
    std::vector<Passing> held;
    auto stayed = staying.begin();
    for (const Parcel& parcel : at(dimension + 1)) {
      const int before = place(dimension, parcel);
      held.push_back({parcel, before == g_.rank
                                  ? *stayed++
                                  : places_.take(round, message(round, coming, before), parcel)});
    }
    for (const auto& [peer, message] : coming) round.add_recv(*message, g_[peer]);
    for (const auto& [peer, message] : going) round.add_send(*message, g_[peer]);
    if (dimension == 0) places_.keep_own(round);
    held_ = std::move(held);
    return round;
  }

 private:
  static ParcelMessage& message(ParcelRound& round, std::map<int, ParcelMessage*>& messages,
                                int peer) {
    ParcelMessage*& found = messages[peer];
    if (found == nullptr) found = &round.next();
    return *found;
  }
  [[nodiscard]] int place(int dimensions, const Parcel& parcel) const {
    return grid_.place(dimensions, {parcel.from, parcel.to});
  }
  // What this rank has after so many dimensions: before the first what it sends, after the last
  // what it is sent. Not what it has for itself.
  [[nodiscard]] std::vector<Parcel> at(int dimensions) const {
    const int stride = grid_.stride(dimensions);
    std::vector<Parcel> parcels;
    if (dimensions == 0) {
      parcels = parcels_to([](int /*peer*/) { return true; }, graph_, {&g_.rank, 1});
    } else {
      std::vector<int> receivers(static_cast<std::size_t>(stride));
      std::iota(receivers.begin(), receivers.end(), g_.rank - g_.rank % stride);
      parcels =
          parcels_from([&](int peer) { return (peer - g_.rank) % stride == 0; }, graph_, receivers);
    }
    std::erase_if(parcels, [](const Parcel& parcel) { return parcel.from == parcel.to; });
    return parcels;
  }

  Group g_;
  const Graph& graph_;
  const Grid& grid_;
  Places places_;
  std::vector<Passing> held_;
};

Schedule combined(Combination x) {
  for (int dimension = 0; dimension < x.rounds(); ++dimension) {
    const ParcelRound round = x.along(dimension);
    if (!round.all.empty()) co_yield round.all;
  }
}

Formula of_grid(const char* text, double (*function)(const Graph& graph)) {
  return Formula::of(text, [=](const Dimensions& of) -> double {
    return of.graph != nullptr ? function(*of.graph) : of.p;
  });
}

double most_directions(const Graph& graph) {
  int most = 1;
  for (int k = 0; k < graph.grid().dimensions(); ++k) {
    most = std::max(most, graph.grid().directions(k));
  }
  return most;
}

double dimensions(const Graph& graph) { return graph.grid().dimensions(); }

const Registered entry{
    {.collective = Collective::neighbor_alltoall,
     .name = "combined",
     .summary = "In a grid, all that goes the same way in a dimension goes in one message.",
     .paper = "Traff, Carpen-Amarie, Hunold, Rougier 2016, Message-Combining Algorithms for "
              "Isomorphic, Sparse Collective Communication",
     .claims = [](const Choice& /*choice*/) -> Claims {
       const Formula passing = of_grid("passed_on(grid)", parcels_passed_on);
       return {.scratch = longest_block() * passing,
               .rounds = of_grid("dimensions(grid)", dimensions),
               .volume = (degree() + passing) * m() / p(),
               .ports = of_grid("directions(grid)", most_directions),
               .at_most = true};
     },
     .passes_on = true,
     .schedule = [](const Problem& x) { return combined(Combination(x)); }},
    {Collective::neighbor_allgather, Collective::neighbor_allgatherv,
     Collective::neighbor_alltoallv, Collective::neighbor_alltoallw}};

}  // namespace
}  // namespace roundelay
