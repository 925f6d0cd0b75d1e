// SPDX-License-Identifier: Apache-2.0
// alltoallv.tuna: as alltoall.bruck, for blocks of any lengths.
//
// Fan, Domke, Ba, Kumar 2024, Configurable Non-uniform All-to-all Algorithms (TuNA,
// arXiv:2411.02581; at HPDC'25 as Parameterized Algorithms for Non-uniform All-to-all). A block
// that has to go j ranks ahead goes by the digits of j to the base `radix`, all that have a digit
// together. It arrives at its place with its last hop, and waits in scratch memory before. Who
// passes blocks on has to know how long they are: in the paper a message with their lengths goes
// before each message with data; here the lengths go first, all their way, by the same rounds
// (Problem::passing). So there are twice as many rounds as are claimed, half of them with a number
// for each block. For short blocks among many ranks.
//
//   p = 5, radix 2, rank 2, by distances:   round 0: sends 1 3 to 3, receives 1 3 from 1
//                                           round 1: sends 2 3 to 4, receives 2 3 from 0
//                                           round 2: sends 4   to 1, receives 4   from 3
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/digits.hpp"
#include "algorithms/parts/passing.hpp"

namespace roundelay {
namespace {

// A block waits in scratch memory until its last hop.
struct Waiting {
  int r;
  int radix;
  Blocks given;
  Blocks blocks;
  WaitingRoom room;
  std::vector<Slice> places;  // by the distance of the block

  [[nodiscard]] Slice before(Hop hop, int j) const {
    return hop.is_first_of(j) ? given[r + j] : places[static_cast<std::size_t>(j)];
  }
  Slice after(Hop hop, int j) {
    const Slice place = hop.is_last_of(j, radix) ? blocks[r - j] : room.next();
    return places[static_cast<std::size_t>(j)] = place;
  }
};

Schedule tuna(const Problem& x) {
  const int r = x.group.rank;
  const auto radix = static_cast<int>(x.choice->number(0));
  std::vector<Slice> places(static_cast<std::size_t>(x.group.size));
  return by_digits(x.group, copy(x.given[r], x.blocks[r]),
                   Waiting{r, radix, x.given, x.blocks, WaitingRoom(x), std::move(places)}, radix);
}

const Registered entry{
    {
        .collective = Collective::alltoallv,
        .name = "tuna",
        .summary = "As alltoall.bruck, for blocks of different lengths; the lengths travel first.",
        .paper =
            "Fan, Domke, Ba, Kumar 2024, Configurable Non-uniform All-to-all Algorithms (TuNA)",
        .parameters = {digits_parameter()},
        .claims = [](const Choice& choice) -> Claims {
          const DigitClaims digits(static_cast<int>(choice.number(0)));
          return {.scratch = longest_block() * (digits.moved - (p() - 1)),
                  .rounds = digits.rounds,
                  .volume = m() / p() * digits.moved,
                  .symmetric = true};
        },
        .passes_on = true,
        .schedule = tuna,
    },
    {Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
