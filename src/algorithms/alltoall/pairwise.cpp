// SPDX-License-Identifier: Apache-2.0
// alltoall.pairwise: in every round each rank exchanges one block with one other.
//
// Thakur, Rabenseifner, Gropp 2005, section 4.3. p - 1 rounds, m (p - 1) / p units each way, every
// block straight to where it shall be: for long messages. A rank sends ahead and receives from
// behind. (Where p is a power of two, the paper's ranks exchange with r xor i: MPI libraries take
// the two directions of a long exchange over TCP one after the other.)
//
//   p = 5, rank 2:   round 0: sends to 3, receives from 1
//                    round 1: sends to 4, receives from 0
//                    round 2: sends to 0, receives from 4
//                    round 3: sends to 1, receives from 3
//
// Over TCP, MPI libraries send short messages at once, but take the two directions of a long
// exchange one after the other, and nothing keeps partners in step. So long blocks go in pieces,
// one a round, each as if it were a short block. Pieces follow each other without waiting, at the
// cost of the gap between two messages; the last ones of a block still cross like a long exchange:
// pieces gaps + the time of a piece is least for sqrt(block / gap) pieces. From 16 KiB on (lab) a
// piece is like a long exchange itself, so they are shorter, unless a gap takes a fourth of them;
// but what is short does not cross, so that they always are longer than that.
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
constexpr double long_piece = 16384;

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
        .summary = "In every round each rank exchanges one block with one other.",
        .paper = "Thakur, Rabenseifner, Gropp 2005, section 4.3",
        .parameters = {{.name = "pieces",
                        .summary = "in how many messages a block goes; auto: as the model says",
                        .least = 1,
                        .most = most_pieces,
                        .standard = automatic_word,
                        .automatic = true,
                        .tried = {1, 3}}},
        .common = true,
        .claims = [](const Choice& choice) -> Claims {
          const Formula volume = m() * (p() - 1) / p();
          const Formula pieces = Formula::of("pieces", [choice](const Dimensions& of) -> double {
            return Pieces(choice, of.network.gap).number(of.m / of.p);
          });
          // A rank that is ahead sends to one that still receives from another. From four pieces on
          // that evens out, and one block follows the other as their pieces do: simulated with 7 to
          // 128 ranks it took 1.00 to 1.01 times as long as the links need, with two pieces 1.9
          // times and with whole blocks up to 2.8 times.
          const Formula missing = max(0, 4 - pieces);
          const Formula messages = pieces * (p() - 1);
          return {.scratch = 0,
                  .rounds = messages,
                  .volume = volume,
                  .alpha = messages,
                  .beta = volume,
                  .gamma = 0,
                  .symmetric = true,
                  .overlapped = messages - 1 - (p() - 2) * min(1, missing),
                  .drifting = 2.5 / 3 * missing * volume,
                  // Over distance p / 2, if p is even.
                  .paired = m() / p() * (1 - p() + 2 * floor(p() / 2)),
                  .paired_message = m() / p() / pieces};
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
