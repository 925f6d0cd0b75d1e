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
#include <cmath>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/halving.hpp"

namespace roundelay {
namespace {

int largest_block(int ranks) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
}

Schedule binary_blocks(Group g, Slice data, Slice scratch, bool commutative) {
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
  PartialResult x(data, data, scratch, commutative);
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

std::vector<double> block_sizes(int p) {
  std::vector<double> sizes;
  for (; p > 0; p -= largest_block(p)) sizes.push_back(largest_block(p));
  return sizes;
}

// Time until the last rank ends, if `halving(n)` is that of a block of n ranks and `message(n)`
// that of one message between a rank of that block and one of the next smaller one.
template <typename Halving, typename Message>
double time(int p, Halving halving, Message message) {
  const std::vector<double> sizes = block_sizes(p);
  const std::size_t last = sizes.size() - 1;
  if (last == 0) return 2 * halving(sizes[0]);
  // All messages of a rank of block i + 1 to block i.
  const auto messages = [&](std::size_t i) { return sizes[i] / sizes[i + 1] * message(sizes[i]); };
  // When the last rank of each block has what comes from below.
  std::vector<double> up(sizes.size(), halving(sizes[last]));
  for (std::size_t i = last; i-- > 0;) {
    up[i] = std::max(up[i + 1], halving(sizes[i])) + messages(i);
  }
  // A rank of block i + 1 that had what comes from below at time t has what comes from above at
  // max(at_least, t + later). It takes the messages one after the other, as soon as it has sent its
  // own and they are there.
  double time = 0;
  double at_least = 0;
  double later = 0;
  for (std::size_t i = 0; i < last; ++i) {
    later = messages(i) + std::max(message(sizes[i]) + later, messages(i));
    at_least = std::max(at_least + messages(i), halving(sizes[i]) + later);
    time = std::max(time, std::max(at_least, up[i + 1] + later) + halving(sizes[i]));
  }
  return time;
}

double rounds(int p) {
  const std::vector<double> sizes = block_sizes(p);
  double most = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double up = i > 0 ? sizes[i - 1] / sizes[i] : 0;
    const double down = i + 1 < sizes.size() ? 1 : 0;
    most = std::max(most, 2 * (std::logb(sizes[i]) + up + down));
  }
  return most;
}

double volume(int p) {
  const std::vector<double> sizes = block_sizes(p);
  const double blocks = static_cast<double>(std::min<std::size_t>(sizes.size(), 3));
  return 2 - (3 - blocks) / sizes[0];
}

double alpha(int p) {
  return time(p, [](double n) { return std::logb(n); }, [](double /*n*/) { return 1.0; });
}

double beta(int p) {
  return time(p, [](double n) { return 1 - 1 / n; }, [](double n) { return 1 / n; });
}

double gamma(int p) {
  const std::vector<double> sizes = block_sizes(p);
  if (sizes.size() == 1) return 1 - 1 / sizes[0];
  double combined = 1;
  for (std::size_t i = 0; i + 2 < sizes.size(); ++i) combined += 1 / sizes[i];
  return combined;
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "binary_blocks",
    .summary =
        "Blocks of 2^a > 2^b > .. ranks halve their vectors, hand their segments up to the largest "
        "block and get the results back.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.2",
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula units = m() * Formula::of_ranks("beta_of_blocks(p)", beta);
      return {.scratch = if_many(m()),
              .rounds = Formula::of_ranks("rounds_of_blocks(p)", rounds),
              .volume = m() * Formula::of_ranks("volume_of_blocks(p)", volume),
              .alpha = Formula::of_ranks("alpha_of_blocks(p)", alpha),
              .beta = units,
              .gamma = m() * Formula::of_ranks("gamma_of_blocks(p)", gamma),
              .paired = units,
              .paired_message = m() / 2};
    },
    .schedule =
        [](const Problem& x) { return binary_blocks(x.group, x.data, x.scratch, x.commutative); },
}};

}  // namespace
}  // namespace roundelay
