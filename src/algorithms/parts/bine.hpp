// SPDX-License-Identifier: Apache-2.0
// Trees and butterflies whose ranks are near to each other: those of Swing (De Sensi et al. 2024)
// and of Bine (De Sensi et al. 2025). Partners of a step are 1, -1, 3, -5, 11, .. ranks apart (rho
// in the papers), about 2/3 of the 2^s of a binomial tree, now on the one side and now on the
// other.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/halving.hpp"
#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// Of the trees: 2^l ranks v, by the digits of v to the base -2. A rank that has them talks to that
// of which the lowest j digits are others, for j = l, l - 1, .. 1: these are alike, all 0 or all 1.
//
//   p = 8:   0 -> 3   then   0 -> 7   3 -> 4   then   0 -> 1   3 -> 2   7 -> 6   4 -> 5
class BineTree {
 public:
  BineTree(int v, int p) noexcept
      : p_(static_cast<unsigned>(p)), digits_(digits_of(static_cast<unsigned>(v))) {
    const unsigned others = (digits_ & 1) != 0 ? ~digits_ : digits_;
    level_ = digits_ == 0 ? std::bit_width(p_) : std::countr_zero(others);
  }

  // Its parent is partner(level()), its children are partner(j) for j below that; the root has no
  // parent.
  [[nodiscard]] int level() const noexcept { return level_; }
  [[nodiscard]] int partner(int j) const noexcept { return rank_of(digits_ ^ low(j)); }
  // Below and including child j there are 2^(j - 1) ranks, which follow each other (modulo p); the
  // first of them. And the first of all that are below this one, of which level() is j.
  [[nodiscard]] int first_of_child(int j) const noexcept { return first(digits_ ^ low(j), j); }
  [[nodiscard]] int first() const noexcept { return first(digits_, level_); }

 private:
  static constexpr unsigned odd = 0xAAAAAAAA;
  static unsigned low(int j) noexcept { return (1U << static_cast<unsigned>(j)) - 1; }
  [[nodiscard]] unsigned digits_of(unsigned v) const noexcept {
    return ((v + odd) ^ odd) & (p_ - 1);
  }
  [[nodiscard]] int rank_of(unsigned digits) const noexcept {
    return static_cast<int>(((digits ^ odd) - odd) & (p_ - 1));
  }
  // Of all ranks that have the same digits from j - 1 on, the least has all others that count less
  // than 0.
  [[nodiscard]] int first(unsigned digits, int j) const noexcept {
    return rank_of((digits & ~low(j - 1)) | (odd & low(j - 1)));
  }

  unsigned p_;
  unsigned digits_;
  int level_;
};

// How many of p ranks are not in the greatest tree among them: of as many pairs of the first ranks
// the first one is in it for both.
constexpr int pairs_beside_tree(int p) noexcept {
  return p - static_cast<int>(std::bit_floor(static_cast<unsigned>(p)));
}

// The blocks of consecutive ranks of a tree (modulo its size) are consecutive blocks of p, counted
// from the root.
class TreeBlocks {
 public:
  TreeBlocks(const Blocks& blocks, int root) noexcept
      : blocks_(&blocks), root_(root), pairs_(pairs_beside_tree(blocks.size())) {}

  // Of `count` ranks of the tree from v on; of v alone, of its pair the first only.
  [[nodiscard]] Slices of(int v, int count) const {
    SliceRoom unused;  // blocks are even
    const int first = first_block(v, pairs_);
    return blocks_->run(root_ + first, blocks_before(v + count) - first, unused);
  }
  [[nodiscard]] Slice own(int v) const { return (*blocks_)[root_ + first_block(v, pairs_)]; }
  // Of the second of its pair.
  [[nodiscard]] Slice second(int v) const { return (*blocks_)[root_ + first_block(v, pairs_) + 1]; }
  // What comes before rank v of the tree, of those from `first` on (modulo its size).
  [[nodiscard]] Units before(int v, int first) const {
    const int tree = blocks_->size() - pairs_;
    return of(first, v >= first ? v - first : v - first + tree).length();
  }

 private:
  [[nodiscard]] int blocks_before(int v) const noexcept {
    const int tree = blocks_->size() - pairs_;
    return v <= tree ? first_block(v, pairs_) : blocks_->size() + first_block(v - tree, pairs_);
  }

  const Blocks* blocks_;
  int root_;
  int pairs_;
};

// Where rank v of a tree has the blocks of its subtree: the root in place, others in scratch
// memory, but for their own block.
class BineSubtree {
 public:
  BineSubtree(const BineTree& tree, int v, const TreeBlocks& blocks, Slice scratch)
      : tree_(tree),
        v_(v),
        blocks_(blocks),
        scratch_(scratch),
        before_own_(v == 0 ? 0 : blocks.before(v, tree.first())) {}

  [[nodiscard]] Slices of_child(int j) const {
    const int first = tree_.first_of_child(j);
    const Slices theirs = blocks_.of(first, 1 << (j - 1));
    if (v_ == 0) return theirs;
    return scratch_.part(blocks_.before(first, tree_.first()), theirs.length());
  }
  [[nodiscard]] Slice of_second() const {
    const Slice theirs = blocks_.second(v_);
    if (v_ == 0) return theirs;
    return scratch_.part(before_own_ + blocks_.own(v_).length(), theirs.length());
  }
  // All of it, of a rank that is not the root and has its own block there.
  [[nodiscard]] Slices with(Slice own, SliceRoom& room) const {
    const Units all = blocks_.of(tree_.first(), 1 << (tree_.level() - 1)).length();
    Slices subtree = scratch_.part(0, before_own_);
    subtree.add(own, room);
    subtree.add(scratch_.part(before_own_ + own.length(), all - before_own_ - own.length()), room);
    return subtree;
  }

 private:
  const BineTree& tree_;
  int v_;
  const TreeBlocks& blocks_;
  Slice scratch_;
  Units before_own_;
};

// Of gathering and of scattering.
[[nodiscard]] Claims bine_tree_claims();

// 1, -1, 3, -5, 11, ..
constexpr int bine_distance(int s) noexcept {
  int distance = 1;
  for (int i = 0; i < s; ++i) distance = 1 - 2 * distance;
  return distance;
}

constexpr int modulo(int a, int n) noexcept { return (a % n + n) % n; }
// The same of a number from -n to 2 n - 1, without a division.
constexpr int wrap(int a, int n) noexcept {
  if (a < 0) return a + n;
  return a >= n ? a - n : a;
}

// One step of a butterfly: what this rank sends to its partner and receives from it are the blocks
// of these ranks, ascending.
struct ButterflyStep {
  int partner = 0;
  std::vector<int> sent;
  std::vector<int> received;
};

// An allgather among the ranks of a torus, lengths[0] of them in the first dimension, and so on;
// these are even. Partners are in the first dimension of them, the next, .. beginning with
// `dimension`, each time farther apart: but here the steps are backwards, so that what goes far is
// little. Mirrored, all go to the other side. Where a length is no power of two, a rank would be
// sent what it has: that is left out, so that every block comes once. Backwards and with sends for
// receives it is a reduce-scatter.
//
//   6 ranks, those of rank 0:   sends 0 to 3, receives 3
//                               sends 0 to 5, receives 2 5
//                               sends 0 3 to 1, receives 1 4 (1 has 2 and 5, too)
class TorusButterfly {
 public:
  TorusButterfly(int rank, std::vector<int> lengths, int dimension = 0, bool mirrored = false);

  // None: that was all. A step is made when it is asked for: the first ones are small.
  [[nodiscard]] std::optional<ButterflyStep> next();
  [[nodiscard]] std::vector<ButterflyStep> rest();

 private:
  // A step in a dimension, whose ranks are `stride` apart.
  struct Hop {
    int length;
    int stride;
    int distance;
  };

  [[nodiscard]] std::vector<Hop> hops(int dimension) const;
  [[nodiscard]] int sign(int x) const noexcept { return (x % 2 == 0) != mirrored_ ? 1 : -1; }
  [[nodiscard]] int owner(int offset) const noexcept;
  [[nodiscard]] std::vector<int> owners(std::span<const int> offsets);

  static constexpr int word = 64;  // bits

  int rank_;
  std::vector<int> lengths_;
  std::vector<int> at_;  // the rank's coordinates
  bool mirrored_;
  std::vector<Hop> hops_;  // those that are left, the last one first
  // An offset is where a block's owner is, seen from who holds it: the other way round from odd
  // ranks of a dimension. All ranks hold blocks at the same offsets.
  std::vector<int> held_{0};
  std::vector<bool> is_held_;
  std::vector<std::uint64_t> marks_;  // a bit for each rank, none of them set between two uses
};
[[nodiscard]] inline TorusButterfly butterfly(int rank, int p) { return {rank, {p}}; }

// Of each block only a share, that of number `which`.
struct Share {
  int which = 0;
  int of = 1;
};
// Among an even number of ranks. Of an odd one rank 1 folds to rank 0 before and after, which then
// has the blocks of both: these are the folded ranks, `pairs` is 0 or 1.
[[nodiscard]] Slices blocks_of(const std::vector<int>& ranks, int pairs, const Blocks& blocks,
                               SliceRoom& room, Share share = {});
// What is combined: rank 1 gives its contribution to rank 0 before, and hears of it afterwards.
Schedule fold_odd(Group g, Slice data, Slice scratch);
Schedule unfold_odd(Group g, Slice result);
constexpr bool is_folded_away(const Group& g) noexcept { return g.size % 2 == 1 && g.rank == 1; }

Schedule butterfly_allgather(Group t, Blocks out, int pairs, TorusButterfly steps);
Schedule butterfly_reduce_scatter(Group t, Blocks data, int pairs, Slice scratch,
                                  std::vector<ButterflyStep> steps);

// The first where p is even, the second where it is odd and greater than 1.
[[nodiscard]] Formula if_even(const Formula& then, const Formula& otherwise);
// Rounds of a butterfly, and of folding before and after it.
[[nodiscard]] Formula butterfly_rounds(int times = 1);
// Blocks that rank 0 sends in the allgather where it has those of rank 1, too.
[[nodiscard]] Formula butterfly_sends();

}  // namespace roundelay
