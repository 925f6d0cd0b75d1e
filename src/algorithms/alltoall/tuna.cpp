// SPDX-License-Identifier: Apache-2.0
// alltoallv.tuna: as alltoall.bruck, for blocks of any lengths.
//
// Fan et al. 2024, Configurable Non-uniform All-to-all Algorithms (TuNA, HPDC'25,
// arXiv:2411.02581). A block that has to go j ranks ahead goes by the digits of j to the
// base `radix`, all that have a digit together. It arrives at its place with its last hop, and
// waits in scratch memory before. Who passes blocks on has to know how long they are: in the paper
// a message with their lengths goes before each message with data; here the lengths go first, all
// their way, by the same rounds (Problem::passing). So there are twice as many rounds as are
// claimed, half of them with a number for each block. For short blocks among many ranks.
//
//   p = 5, radix 2, rank 2, by distances:   round 0: sends 1 3 to 3, receives 1 3 from 1
//                                           round 1: sends 2 3 to 4, receives 2 3 from 0
//                                           round 2: sends 4   to 1, receives 4   from 3
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/digits.hpp"
#include "algorithms/parts/passing.hpp"

namespace roundelay {
namespace {

Schedule tuna(Group g, Blocks given, Blocks blocks, WaitingRoom room, int radix) {
  const int r = g.rank;
  const int p = g.size;
  std::vector<Slice> waiting(static_cast<std::size_t>(p));  // by the distance of the block
  SliceRoom sent;
  SliceRoom received;
  co_yield round(copy(given[r], blocks[r]));
  for (Hop hop; hop.distance() < p; hop.next(radix)) {
    sent.clear();
    received.clear();
    Slices going;
    Slices coming;
    for (int j = hop.distance(); j < p; ++j) {
      if (!hop.is_of(j, radix)) continue;
      Slice& place = waiting[static_cast<std::size_t>(j)];
      going.add(hop.is_first_of(j) ? given[r + j] : place, sent);
      place = hop.is_last_of(j, radix) ? blocks[r - j] : room.next();
      coming.add(place, received);
    }
    const int d = hop.distance();
    co_yield round(send(going, g[r + d]), recv(coming, g[r - d]));
  }
}

const Registered entry{
    {
        .collective = Collective::alltoallv,
        .name = "tuna",
        .summary = "As alltoall.bruck, for blocks of different lengths; the lengths travel first.",
        .paper = "Fan et al. 2024, Configurable Non-uniform All-to-all Algorithms (TuNA)",
        .parameters = {digits_parameter()},
        .claims = [](const Choice& choice) -> Claims {
          const DigitClaims digits(static_cast<int>(choice.number(0)));
          return {.scratch = longest_block() * (digits.moved - (p() - 1)),
                  .rounds = digits.rounds,
                  .volume = m() / p() * digits.moved,
                  .symmetric = true};
        },
        .passes_on = true,
        .schedule =
            [](const Problem& x) {
              return tuna(x.group, x.given, x.blocks, WaitingRoom(x),
                          static_cast<int>(x.choice->number(0)));
            },
    },
    {Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
