// SPDX-License-Identifier: Apache-2.0
// allreduce.dual_root: blocks go up two trees at once, their roots exchange them, and the results
// go down as the next blocks come up.
//
// Traff 2021, A Doubly-pipelined, Dual-root Reduction-to-all Algorithm and Implementation
// (arXiv:2109.12626). Each half of the ranks is a binary tree, numbered so that a rank comes after
// its subtree. For each of n blocks a rank exchanges with either child, and then with its parent: a
// partial result upwards, and a result of some blocks before downwards, d of them at depth d. So
// the message passes in about 3 m units each way where a reduction and a broadcast take 4 m through
// a binary tree. Every partial result is of consecutive ranks: for any operation. Both roots
// combine the same two operands in the same order: the same bits everywhere.
//
//   p = 6, trees 0 1 -> 2 and 3 4 -> 5, block j:
//     rank 2: with 1: receives partial j, sends result j - 1    rank 5: the same with 4 and 3
//             with 0: receives partial j, sends result j - 1
//             with 5: sends partial j, receives theirs: result j
//     rank 0: with 2: sends partial j, receives result j - 1
#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/pipeline.hpp"

namespace roundelay {
namespace {

constexpr int no_rank = -1;

// Where a rank stands.
struct PostOrder {
  int depth = 0;
  int parent = no_rank;  // of a root: the other one
  int left = no_rank;    // children
  int right = no_rank;

  PostOrder(int rank, int p) {
    int first = rank < p / 2 ? 0 : p / 2;
    int last = rank < p / 2 ? p / 2 - 1 : p - 1;
    if (p > 1) parent = rank < p / 2 ? p - 1 : p / 2 - 1;
    while (rank < last) {
      parent = last;
      ++depth;
      if (rank < first_of_right(first, last)) {
        last = first_of_right(first, last) - 1;
      } else {
        first = first_of_right(first, last);
        --last;
      }
    }
    const int middle = first_of_right(first, last);
    if (middle > first) left = middle - 1;
    if (last > middle) right = last - 1;
  }

  // How many exchanges have data: of n blocks upwards, and as many downwards, `later` after them.
  static int exchanges(int n, int later) { return n + std::min(n, later); }
  [[nodiscard]] int rounds(int n) const {
    const int children = (left != no_rank ? 1 : 0) + (right != no_rank ? 1 : 0);
    return children * exchanges(n, depth + 1) + (parent != no_rank ? exchanges(n, depth) : 0);
  }

 private:
  // Of the subtree that ends with rank `last`, which is its root.
  static int first_of_right(int first, int last) { return first + (last - first) / 2; }
};

Schedule dual_root(Group g, Slice input, Blocks blocks, Slice scratch) {
  if (input != blocks.whole()) co_yield round(copy(input, blocks.whole()));
  const PostOrder place(g.rank, g.size);
  const int n = blocks.size();
  const auto block = [&](int j) { return j >= 0 && j < n ? blocks[j] : Slice(); };
  int received = 0;
  for (int j = 0; j <= n + place.depth; ++j) {
    const Slice partial = block(j);
    // Two scratch blocks take turns, so that a block may arrive while the one before is combined.
    const auto arriving = [&] {
      return scratch.part(++received % 2 * blocks[0].length(), partial.length());
    };
    for (const int child : {place.right, place.left}) {
      if (child == no_rank) continue;
      const Slice theirs = arriving();
      co_yield round(send(block(j - place.depth - 1), g[child]), recv(theirs, g[child]),
                     combine(theirs, partial));
    }
    if (place.parent == no_rank) continue;
    if (place.depth > 0) {
      co_yield round(send(partial, g[place.parent]), recv(block(j - place.depth), g[place.parent]));
    } else if (place.parent < g.rank) {
      const Slice theirs = arriving();
      co_yield round(send(partial, g[place.parent]), recv(theirs, g[place.parent]),
                     combine(theirs, partial));
    } else {
      const Slice theirs = arriving();
      co_yield round(send(partial, g[place.parent]), recv(theirs, g[place.parent]),
                     combine(partial, theirs), copy(theirs, partial));
    }
  }
}

// A block goes up, and its result down, in about 4 log2 p rounds, and follows the one before after
// three.
int blocks_of_dual_root(const Dimensions& of) {
  const int rounds = Skips::halving(of.p).rounds();
  return best_blocks(of, of.m, 1 + 4 * rounds / 3, of.network.startup);
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "dual_root",
    .summary = "Blocks are combined up two binary trees, whose roots exchange them, while results "
               "go down the trees.",
    .paper = "Traff 2021, A Doubly-pipelined, Dual-root Reduction-to-all Algorithm",
    .parameters = {blocks_parameter()},
    .fixed_order = true,
    .claims = [](const Choice& choice) -> Claims {
      const Formula n = blocks_formula(choice, blocks_of_dual_root);
      const Formula rounds = Formula::of("rounds_of_dual_root(p, n)", [n](const Dimensions& of) {
        double most = 0;
        for (int rank = 0; rank < of.p; ++rank) {
          most = std::max(most, 0.0 + PostOrder(rank, of.p).rounds(static_cast<int>(n(of))));
        }
        return most;
      });
      const Formula children = min(2, ceil(p() / 2) - 1);
      return {.scratch = if_many(2 * ceil(m() / n)),
              .rounds = rounds,
              .volume = if_many(m() * (1 + children))};
    },
    .schedule =
        [](const Problem& x) {
          return dual_root(x.group, x.input, pipeline_blocks(x, blocks_of_dual_root), x.scratch);
        },
}};

}  // namespace
}  // namespace roundelay
