// SPDX-License-Identifier: Apache-2.0
// An algorithm among ranks that hold more than it knows of: nobody is sent what they hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// The slices of `data` without the part that lies in `held`.
[[nodiscard]] inline Slices without(const Slices& data, Slice held, SliceRoom& room) {
  Slices rest;
  for (const Slice& slice : data) {
    if (slice.space() != held.space()) {
      rest.add(slice, room);
      continue;
    }
    const auto at_most_all = [&](Units units) {
      return std::clamp(units, Units{0}, slice.length());
    };
    const Units before = at_most_all(held.offset() - slice.offset());
    const Units behind = at_most_all(slice.end() - held.end());
    rest.add(slice.part(0, before), room);
    rest.add(slice.part(slice.length() - behind, behind), room);
  }
  return rest;
}

// What x.choice does, an allgather(v) or a broadcast that moves every unit only to its own place
// in the output. Rank v of the group holds the slice held(v) of the output from the start: every
// message goes without what its receiver holds, and not at all if that is everything.
template <typename Held>
Schedule without_held(Problem x, Held held) {
  const Group g = x.group;
  x.group = Group(g.rank, g.size);  // so that peers are ranks of the group
  Schedule whole = x.choice->schedule(x);
  RoundList list;
  std::vector<SliceRoom> rooms;
  while (whole.next()) {
    const Round& its = whole.round();
    if (its.fence != this_round) co_yield fence(its.fence);
    list.clear();
    rooms.resize(std::max(rooms.size(), its.transfers.size()));
    for (std::size_t i = 0; i < its.transfers.size(); ++i) {
      Transfer transfer = *its.transfers[i];
      rooms[i].clear();
      transfer.data =
          without(transfer.data, held(transfer.sends() ? transfer.peer : g.rank), rooms[i]);
      transfer.peer = g[transfer.peer];
      list.add(transfer);
    }
    for (const LocalStep* step : its.steps) list.add(*step);
    co_yield list;
  }
}

}  // namespace roundelay
