// SPDX-License-Identifier: Apache-2.0
// alltoall.pairwise: in every round each rank exchanges one block with one other.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.3. p - 1 rounds, m (p - 1) / p units each way, every
// block straight to where it shall be: for long messages. A rank sends ahead and receives from
// behind; where p is a power of two, the paper's ranks exchange with r xor i.
//
//   p = 5, rank 2:   round 0: sends to 3, receives from 1
//                    round 1: sends to 4, receives from 0
//                    round 2: sends to 0, receives from 4
//                    round 3: sends to 1, receives from 3
//
// Long blocks go in pieces, one a round, so that a rank that is behind does not keep others waiting
// for a whole block. A piece costs the gap between two messages, and the last ones of a block the
// wait that pieces are for: together least for sqrt(block / gap) pieces.
//
// Blocks of any lengths (alltoallv, alltoallw) go whole unless a number of pieces is asked for: the
// receiver may have made room for more than it is sent, and would wait for pieces that never come.
#include <algorithm>
#include <cmath>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/whole_block.hpp"

namespace roundelay {
namespace {

constexpr int most_pieces = 1024;
constexpr double long_piece = 16384;  // unless gaps take a fourth of the time

// How a block is cut. Both of its ends know its length and the gap, and nothing else counts.
class Pieces {
 public:
  Pieces(const Choice& choice, double gap)
      : asked_(go_whole(choice) ? std::max<std::int64_t>(1, choice.number(0)) : choice.number(0)),
        gap_(gap) {}

  [[nodiscard]] int number(double block) const {
    if (asked_ > 0) return static_cast<int>(asked_);
    const double least = std::ceil(block / std::max(long_piece, 4 * gap_));
    const double best = std::max(std::round(std::sqrt(block / std::max(1.0, gap_))), least);
    const double most = std::ceil(block / short_message) - 1;
    return static_cast<int>(std::clamp(std::min(best, most), 1.0, double{most_pieces}));
  }
  [[nodiscard]] Blocks of(Slice block) const {
    return Blocks::even(block, number(static_cast<double>(block.length())));
  }

 private:
  // Unless pieces are asked for.
  static bool go_whole(const Choice& choice) {
    return choice.discipline == Discipline::paced || irregular(choice.algorithm->collective);
  }

  std::int64_t asked_;
  double gap_;
};

Schedule pairwise(Group g, Blocks given, Blocks blocks, Pieces pieces) {
  const int r = g.rank;
  co_yield round(copy_own_block(given[r], blocks[r]));
  for (int i = 1; i < g.size; ++i) {
    const Blocks there = pieces.of(given[r + i]);
    const Blocks here = pieces.of(blocks[r - i]);
    for (int k = 0; k < std::max(there.size(), here.size()); ++k) {
      const Slice sent = k < there.size() ? there[k] : Slice();
      const Slice received = k < here.size() ? here[k] : Slice();
      co_yield round(whole_block(send(sent, g[r + i]), given),
                     whole_block(recv(received, g[r - i]), blocks));
    }
  }
}

const Registered entry{
    {
        .collective = Collective::alltoall,
        .name = "pairwise",
        .summary = "In each round every rank sends one block to one rank and receives one block "
                   "from one rank.",
        .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.3",
        .parameters = {{.name = "pieces",
                        .summary = "into how many messages a block is cut; auto: the model chooses",
                        .least = 1,
                        .most = most_pieces,
                        .standard = automatic_word,
                        .automatic = true,
                        .tried = {1, 3}}},
        .common = true,
        .claims = [](const Choice& choice) -> Claims {
          const Formula pieces = Formula::of("pieces", [choice](const Dimensions& of) -> double {
            return Pieces(choice, of.network.gap).number(of.m / of.p);
          });
          return {.rounds = pieces * (p() - 1), .volume = m() * (p() - 1) / p(), .symmetric = true};
        },
        .schedule =
            [](const Problem& x) {
              const Pieces pieces(*x.choice, x.network.gap);
              return pairwise(x.group, x.given, x.blocks, pieces);
            },
    },
    {Collective::alltoallv, Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
