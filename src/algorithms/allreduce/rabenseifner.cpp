// SPDX-License-Identifier: Apache-2.0
// allreduce.rabenseifner: partners at distance 1, 2, 4, .. halve what they combine, then gather it
// the same way back.
//
// Thakur, Rabenseifner, Gropp 2005, section 5.1. Where p is a power of two, 2 log2 p rounds and
// 2 m (p - 1) / p units each way: for long messages. Elsewhere the first ranks are folded in pairs,
// three rounds and 1.5 m units more. Every partial result is of consecutive ranks, and each segment
// is finished by one rank: for any operation, with the same bits everywhere.
//
//   p = 6, segments a b c d:
//     fold:        0 -> 1 (c d)   1 -> 0 (a b), and 2, 3 alike; both combine their half
//                  1 -> 0 (c d)   3 -> 2 (c d): 0, 2, 4, 5 stay
//     distance 1:  0 has a b, 2 has c d      4 has a b, 5 has c d
//     distance 2:  0 has a,   4 has b        2 has c,   5 has d
//     and back:    0 has a b, 4 has a b ..   0 has a b c d ..
//     unfold:      0 -> 1   2 -> 3
#include <bit>
#include <utility>

#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

// Segments first .. last - 1 of the p' into which the vector is cut.
struct Range {
  int first;
  int last;

  [[nodiscard]] Range half(bool upper) const noexcept {
    const int middle = (first + last) / 2;
    return upper ? Range{middle, last} : Range{first, middle};
  }
  [[nodiscard]] Slice of(const Blocks& segments) const noexcept {
    return segments.range(first, last);
  }
};

Schedule rabenseifner(Group g, Slice data, Slice scratch, bool commutative) {
  const int p_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(g.size)));
  const int r = g.size - p_;
  const bool paired = g.rank < 2 * r;
  const Blocks result = Blocks::even(data, p_);
  // A combination lands where the higher operand is: where that may not be mine, the buffers change
  // places. The same segments have the same place in both.
  Blocks mine = result;
  Blocks theirs = Blocks::even(scratch.part(0, g.size > 1 ? data.length() : 0), p_);
  Range range{0, p_};

  if (paired) {
    const bool odd = g.rank % 2 == 1;
    const int other = odd ? g.left() : g.right();
    const bool into_mine = odd || commutative;
    const Slice kept = range.half(odd).of(mine);
    const Slice got = range.half(odd).of(theirs);
    co_yield round(send(range.half(!odd).of(mine), other), recv(got, other),
                   into_mine ? combine(got, kept) : combine(kept, got));
    if (odd) {
      co_yield round(send(kept, other));
      co_yield round(recv(data, other));
      co_return;
    }
    if (!into_mine) std::swap(mine, theirs);
    co_yield round(recv(range.half(true).of(mine), other));
  }

  const Subgroup t = g.folded(r, 0);
  const int v = t.rank;
  for (int d = 1; d < p_; d *= 2) {
    const bool higher = (v & d) != 0;
    const bool into_mine = higher || commutative;
    const Slice given = range.half(!higher).of(mine);
    range = range.half(higher);
    const Slice kept = range.of(mine);
    const Slice got = range.of(theirs);
    co_yield round(send(given, t[v ^ d]), recv(got, t[v ^ d]),
                   into_mine ? combine(got, kept) : combine(kept, got));
    if (!into_mine) std::swap(mine, theirs);
  }
  if (range.of(mine) != range.of(result)) {
    co_yield round(copy(range.of(mine), range.of(result)));
  }
  for (int d = p_ / 2; d > 0; d /= 2) {
    const int length = range.last - range.first;
    const bool higher = (v & d) != 0;
    const Range whole =
        higher ? Range{range.first - length, range.last} : Range{range.first, range.last + length};
    co_yield round(send(range.of(result), t[v ^ d]),
                   recv(whole.half(!higher).of(result), t[v ^ d]));
    range = whole;
  }
  if (paired) co_yield round(send(data, g.right()));
}

const Registered entry{{
    .collective = Collective::allreduce,
    .name = "rabenseifner",
    .summary =
        "Partners at distance 1, 2, 4, .. halve what they combine, then gather it the same way "
        "back.",
    .paper = "Thakur, Rabenseifner, Gropp 2005, section 5.1",
    .claims = [](const Choice& /*choice*/) -> Claims {
      const Formula l = floor_log2(p());
      const Formula p_ = exp2(l);
      const Formula rounds = if_power_of_two(2 * l, 2 * l + 3);
      const Formula once = m() * (p_ - 1) / p_;
      return {.scratch = if_many(m()),
              .rounds = rounds,
              .volume = if_power_of_two(2 * once, 2 * once + 1.5 * m()),
              .alpha = rounds,
              .beta = if_power_of_two(2 * once, 2 * once + 2 * m()),
              .gamma = if_power_of_two(once, once + 0.5 * m())};
    },
    .schedule =
        [](const Problem& x) { return rabenseifner(x.group, x.data, x.scratch, x.commutative); },
}};

}  // namespace
}  // namespace roundelay
