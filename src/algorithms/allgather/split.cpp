// SPDX-License-Identifier: Apache-2.0
// allgather.split: one half of every block goes one way, the other half another, at once.
//
// Tipparaju, Nieplocha 2005, section 3 (message splitting). ceil(log2 p) rounds, m (p - 1) / p
// units each way in two concurrent messages of half the size, to different partners: for long
// messages where a rank has two ports. Where p is a power of two, the first halves are exchanged
// with the pair r xor d, the second with the co-pair at distance d on the other side; the paper's
// co-pair is none for other p, where the halves go down and up the ring as Bruck's blocks do.
//
//   p = 5, rank 2:   round 0: sends 2a   to 1, receives 3a   from 3;  2b   to 3, 1b   from 1
//                    round 1: sends 2a3a to 0, receives 4a0a from 4;  1b2b to 4, 4b0b from 0
//                    round 2: sends 2a   to 3, receives 1a   from 1;  2b   to 1, 3b   from 3
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/doubling.hpp"

namespace roundelay {
namespace {

Slice first_half(Slice block) { return block.part(0, block.length() - block.length() / 2); }
Slice second_half(Slice block) {
  return block.part(block.length() - block.length() / 2, block.length() / 2);
}

Schedule split(Group g, Blocks out) {
  const int p = g.size;
  SliceRoom rooms[4];
  const auto add = [&](Slices& slices, Slice (*half)(Slice), int first, int count,
                       SliceRoom& room) {
    for (int i = 0; i < count; ++i) slices.add(half(out[first + i]), room);
  };
  for (int d = 1; d < p; d *= 2) {
    const DoublingStep a = doubling_step(g.rank, p, d);
    const DoublingStep b = opposite_doubling_step(g.rank, p, d);
    for (SliceRoom& room : rooms) room.clear();
    Slices sent;
    Slices received;
    add(sent, first_half, a.sent, a.count, rooms[0]);
    add(received, first_half, a.received, a.count, rooms[1]);
    if (a.to == b.to) {
      add(sent, second_half, b.sent, b.count, rooms[0]);
      add(received, second_half, b.received, b.count, rooms[1]);
      co_yield round(send(sent, g[a.to]), recv(received, g[a.from]));
      continue;
    }
    Slices also_sent;
    Slices also_received;
    add(also_sent, second_half, b.sent, b.count, rooms[2]);
    add(also_received, second_half, b.received, b.count, rooms[3]);
    co_yield round(send(sent, g[a.to]), recv(received, g[a.from]), send(also_sent, g[b.to]),
                   recv(also_received, g[b.from]));
  }
}

const Registered entry{{
    .collective = Collective::allgather,
    .name = "split",
    .summary =
        "Each block is cut into two halves, which travel in opposite directions at the same time.",
    .paper = "Tipparaju, Nieplocha 2005, section 3",
    .claims = [](const Choice& /*choice*/) -> Claims {
      return {
          .rounds = ceil_log2(p()), .volume = m() * (p() - 1) / p(), .ports = 2, .symmetric = true};
    },
    .schedule = [](const Problem& x) { return split(x.group, x.blocks); },
}};

}  // namespace
}  // namespace roundelay
