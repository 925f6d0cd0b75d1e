// SPDX-License-Identifier: Apache-2.0
// allreduce.binary_blocks: blocks of 2^a > 2^b > .. ranks halve their vectors, hand their segments
// up to the largest block and get the results back.
//
// Thakur, Rabenseifner, Gropp 2005, section 5.2 (Rabenseifner, Traff 2004). At most 2 m each way
// for every p, where rabenseifner needs up to 3.5 m; but a rank of a small block sends a message to
// each of those of the next larger one that have parts of its segment: for p with neighbouring
// exponents. Every partial result is of consecutive ranks, and each segment is finished by one
// rank: for any operation, with the same bits everywhere.
//
//   p = 6, segments a b c d, blocks 0 1 2 3 and 4 5:
//     halving:   0 has a, 1 has c, 2 has b, 3 has d      4 has a b, 5 has c d
//     up:        4 -> 0 (a)   5 -> 1 (c)   then   4 -> 2 (b)   5 -> 3 (d): results are done
//     down:      0 -> 4 (a)   1 -> 5 (c)   then   2 -> 4 (b)   3 -> 5 (d)
//     gathering in both blocks
#include <algorithm>
#include <bit>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/halving.hpp"

namespace roundelay {
namespace {

int largest_block(int ranks) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
}

Schedule binary_blocks(Group g, Slice input, Slice data, Slice scratch, bool commutative) {
  const int segments = largest_block(g.size);
  int first = 0;  // of my block
  int size = segments;
  while (g.rank >= first + size) {
    first += size;
    size = largest_block(g.size - first);
  }
  const int above = first & -first;  // ranks of the next larger block, and of the next smaller one
  const int below = largest_block(g.size - first - size);
  const Subgroup t = g.strided(first, 1, size);
  const int l = t.rank;
  const Blocks result = Blocks::even(data, segments);
  const BlockRange mine = halved(l, size, segments);
  PartialResult x(input, data, scratch, commutative);
  co_yield all(halve(t, result, x));

  const auto smaller = [&] { return g[first + size + l % below]; };
  if (below > 0) {
    const Slice got = x.theirs(result, mine);
    const auto [step, then] = x.absorb(result, mine, false);
    co_yield round(recv(got, smaller()), step, then);
  }
  const auto larger = [&](int its_l) { return g[first - above + its_l]; };
  for (int w = l; w < above; w += size) {
    co_yield round(send(x.mine(result, halved(w, above, segments)), larger(w)));
  }
  for (int w = l; w < above; w += size) {
    co_yield round(recv(halved(w, above, segments).of(result), larger(w)));
  }
  if (above == 0 && x.mine() != data) {
    co_yield round(copy(x.mine(result, mine), mine.of(result)));
  }
  if (below > 0) co_yield round(send(mine.of(result), smaller()));
  co_yield all(gather_halves(t, result));
}

std::vector<int> block_sizes(int p) {
  std::vector<int> sizes;
  for (; p > 0; p -= largest_block(p)) sizes.push_back(largest_block(p));
  return sizes;
}

double rounds(int p) {
  const std::vector<int> sizes = block_sizes(p);
  int most = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int up = i > 0 ? sizes[i - 1] / sizes[i] : 0;
    const int down = i + 1 < sizes.size() ? 1 : 0;
    most = std::max(most, 2 * (std::countr_zero(static_cast<unsigned>(sizes[i])) + up + down));
  }
  return most;
}

double volume(int p) {
  const std::vector<int> sizes = block_sizes(p);
  const auto blocks = static_cast<double>(std::min<std::size_t>(sizes.size(), 3));
  return 2 - (3 - blocks) / sizes[0];
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "binary_blocks",
    .summary = "Groups of 2^a > 2^b > .. ranks each combine their vectors by halving, pass the "
               "results up to the largest group, and get the final result back.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.2",
    .claims = [](const Choice& /*choice*/) -> Claims {
      return {.scratch = if_many(m()),
              .rounds = Formula::of_ranks("rounds_of_blocks(p)", rounds),
              .volume = m() * Formula::of_ranks("volume_of_blocks(p)", volume)};
    },
    .schedule =
        [](const Problem& x) {
          return binary_blocks(x.group, x.input, x.data, x.scratch, x.commutative);
        },
}};

}  // namespace
}  // namespace roundelay
