// SPDX-License-Identifier: Apache-2.0
// Pipelines on a circulant graph: a message of n blocks passes from a root to p ranks in
// n - 1 + ceil(log2 p) rounds (Traff 2024, algorithm 6), and backwards from all of them to the
// root.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/circulant.hpp"
#include "schedule/circulant_memo.hpp"

namespace roundelay {

// Rounds begin() .. end() - 1; those before would move nothing, and are left out so that the last
// one is the last of a turn through the skips.
class Pipeline {
 public:
  Pipeline(int p, int blocks) noexcept
      : q_(Skips::halving(p).rounds()),
        n_(blocks),
        begin_(q_ == 0 ? 0 : (q_ - (n_ - 1) % q_) % q_) {}

  [[nodiscard]] int begin() const noexcept { return begin_; }
  [[nodiscard]] int end() const noexcept { return q_ == 0 ? begin_ : begin_ + n_ + q_ - 1; }
  // Which skip a round uses.
  [[nodiscard]] int skip(int round) const noexcept { return round % q_; }
  // The block that an entry of a schedule means in a round; negative: none yet.
  [[nodiscard]] int block(int entry, int round) const noexcept {
    const int index = entry + q_ * (round / q_) - begin_;
    return index < n_ ? index : n_ - 1;
  }

 private:
  int q_;
  int n_;
  int begin_;
};

// The parameter `blocks`, the first of its algorithms. Left to them, a message of `units` is cut so
// that (n - 1 + q) (startup + units / n) is least: n = sqrt((q - 1) units / startup), where a
// start-up takes as long as `startup` units; but into more if messages would be longer than the
// network likes.
[[nodiscard]] Parameter blocks_parameter();
// In general: a block passes in so many rounds, and each costs as much as `message` units more.
[[nodiscard]] int best_blocks(const Dimensions& of, double units, int rounds,
                              double message) noexcept;
using BestBlocks = int (*)(const Dimensions& of);
// How many the choice means for a call: what it asks for, else the best.
[[nodiscard]] int blocks_of(const Choice& choice, const Dimensions& of, BestBlocks best);
[[nodiscard]] Formula blocks_formula(const Choice& choice, BestBlocks best);
// The same for any choice, of all such parameters that it and the algorithms have of which it is
// composed, by what it claims: every further block takes as many rounds.
[[nodiscard]] std::vector<int> blocks_in_turn(const Choice& choice, const Dimensions& of);
// The choice with so many blocks.
[[nodiscard]] Choice cut_into(const std::vector<int>& blocks, Choice choice);

// Where there is one root, the whole message is cut: x.data, into as many blocks as that.
[[nodiscard]] int whole_message(const Dimensions& of);
[[nodiscard]] Blocks pipeline_blocks(const Problem& x, BestBlocks best = whole_message);
// Where every rank is one, what alone is worth cutting is by how much the longest of x.blocks
// exceeds the mean; into how many pieces each is cut.
// Left to them, whole blocks (n = 1) go over the best skips; n that is asked for means the rounds
// of the paper.
struct AllRoots {
  int n;
  Skips skip;  // for n = 1
};
[[nodiscard]] AllRoots cut_of_all_roots(const Problem& x);
[[nodiscard]] Formula rounds_of_all_roots(const Choice& choice);
// Units of a piece of the longest block.
[[nodiscard]] Formula piece_of_all_roots(const Choice& choice);

// What `rank` receives in a round if the ranks broadcast one block each at once, every block cut
// into n: the pieces in the order of their roots. The rank's own block is not among them.
[[nodiscard]] Slices all_roots(const Blocks& blocks, int n, const Pipeline& pipeline,
                               const CirculantTable& table, int round, int rank, SliceRoom& room);

// bcast.circulant, and reduce.circulant with two scratch blocks; `memo` may be null.
Schedule circulant_bcast(Group g, int root, Blocks blocks, Memo* memo);
Schedule circulant_reduce(Group g, int root, Slice input, Blocks blocks, Slice scratch, Memo* memo);

}  // namespace roundelay
