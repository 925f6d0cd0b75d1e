// SPDX-License-Identifier: Apache-2.0
// allgather.inter_ring: p senders and q receivers in one ring, where every step uses links between
// neighbours only.
//
// Kang et al., section IV. In step t a rank sends one message and receives one. The three
// algorithms of the paper, corrected, are one: of the p messages some go right (R, S), others left
// (L, W), interleaved so that they never need a link at once. p + ceil(q / 2) steps, one more if p
// is odd and q + 1 > 2 p; gathering in the whole ring takes p + q - 1. For real rings: on a switch
// inter_full has fewer rounds.
//
// It is a scheme for even q, and even p if q > 2 p. Elsewhere it is made for one receiver or sender
// more, between the last receiver and sender 0, or at the end of the senders; what would pass
// through goes from one of its neighbours to the other at once. A message that would go left to
// nobody but that receiver does not go left.
//
//   p = 2, q = 2 (senders 0 1, receivers 2 3):
//     step 0: 0 -> 3 (0)   1 -> 2 (1)
//     step 1: 2 -> 3 (1)   0 -> 1 (0)
//     step 2: 1 -> 2 (0)
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

constexpr int none = -1;

// The paper's letters, for the ring with the ranks that are not there.
class Scheme {
 public:
  Scheme(int p, int q) noexcept
      : odd_p_(q + q % 2 > 2 * p && p % 2 == 1),
        odd_q_(q % 2 == 1),
        p_(p + (odd_p_ ? 1 : 0)),
        q_(q + (odd_q_ ? 1 : 0)),
        h_(q_ <= 2 * p_ ? q_ / 2 : p_ / 2) {}

  [[nodiscard]] int steps() const noexcept { return p_ + q_ / 2; }
  // Where a real rank is in the ring.
  [[nodiscard]] int place(int rank, int senders) const noexcept {
    return rank + (odd_p_ && rank >= senders ? 1 : 0);
  }

  // The message that the rank at x sends to the next real one on its right or left; none.
  [[nodiscard]] int right(int x, int t) const noexcept {
    const int m = all_right(x, t);
    if (is_extra(m) || (odd_q_ && x + 1 == n() - 1)) return none;
    return passes(x + 1 == p_ - 1, m, all_right(x + 1, t + 1)) ? m : none;
  }
  [[nodiscard]] int left(int x, int t) const noexcept {
    const int m = all_left(x, t);
    if (is_extra(m)) return none;
    return !odd_q_ || x > 0 || all_left(n() - 1, t + 1) == m ? m : none;
  }

 private:
  [[nodiscard]] int n() const noexcept { return p_ + q_; }
  [[nodiscard]] bool is_extra(int m) const noexcept { return odd_p_ && m == p_ - 1; }
  [[nodiscard]] bool passes(bool to_extra, int m, int then) const noexcept {
    return !odd_p_ || !to_extra || then == m;
  }

  [[nodiscard]] int all_right(int x, int t) const noexcept {
    const int r = x - t;
    if (r >= h_ && r < p_ && x + 1 < n() && !comes_from_left(r, x + 1, t)) return r;
    const int s = half(x + h_ - t);
    return s >= 0 && s < h_ && t >= h_ - s && t < steps() ? s : none;
  }

  [[nodiscard]] int all_left(int x, int t) const noexcept {
    const int l = (x + t) % n();
    const int receivers = q_ / 2 - l;
    if (t < q_ / 2 && l < h_ && receivers > (odd_q_ ? 1 : 0)) return l;
    const int again = half(x + h_ - 1 + t - 2 * steps());
    if (again >= 0 && again < h_ && t >= steps() - h_ + again + 1) return again;
    for (const int d : {x - 1, x - 1 - n()}) {
      const int w = half(d + h_ + t);
      if (w != none && goes_left(w, t)) return w;
    }
    return none;
  }

  // W: where there are many receivers, messages of R go left too, from t = m - h + 1 on.
  [[nodiscard]] bool goes_left(int m, int t) const noexcept {
    if (q_ <= 2 * p_ || m < h_ || m >= p_ || t <= m - h_ || t >= h_ + q_ / 2) return false;
    return 2 * m - h_ - t >= 0 || 2 * m > 2 * t + h_ - q_;
  }
  // Whether W has brought message m to the rank at x before step t.
  [[nodiscard]] bool comes_from_left(int m, int x, int t) const noexcept {
    const int arrival = 2 * m - h_ - x + n();
    return arrival < t && goes_left(m, arrival);
  }

  static int half(int even) noexcept { return even >= 0 && even % 2 == 0 ? even / 2 : none; }

  bool odd_p_;
  bool odd_q_;
  int p_;
  int q_;
  int h_;
};

Schedule inter_ring(Problem x) {
  const Group g = x.group;
  const int p = x.senders;
  const Scheme scheme(p, g.size - p);
  const bool sends = g.rank < p;
  Blocks held = x.blocks;
  if (sends) held = x.blocks.over(x.scratch.part(0, x.blocks.whole().length()));
  const auto place = [&](int rank) { return scheme.place((rank + g.size) % g.size, p); };
  const auto slice = [&](int m) {
    if (m == none) return Slice();
    return sends && m == g.rank ? x.input : held[m];
  };
  const int me = place(g.rank);
  const int before = place(g.rank - 1);
  const int after = place(g.rank + 1);
  for (int t = 0; t < scheme.steps(); ++t) {
    const Slice to_right = slice(scheme.right(me, t));
    const Slice to_left = slice(scheme.left(me, t));
    const Slice from_left = slice(scheme.right(before, t));
    const Slice from_right = slice(scheme.left(after, t));
    co_yield round(send(to_right, g.right()), send(to_left, g.left()), recv(from_left, g.left()),
                   recv(from_right, g.right()));
  }
}

Claims inter_ring_claims(const Choice& /*choice*/) {
  const Formula steps = Formula::of(
      "p + ceil(q / 2), + 1 if p is odd and q + 1 > 2 p",
      [](const Dimensions& of) { return static_cast<double>(Scheme(of.p, of.q).steps()); });
  return {.scratch = m(), .rounds = steps, .volume = m() * (p() + 1) / p(), .at_most = true};
}

const Registered entry{
    {.collective = Collective::allgather,
     .name = "inter_ring",
     .summary = "Blocks travel in both directions around one ring of all senders and receivers.",
     .paper = "Kang et al., Optimal algorithms for half-duplex inter-group all-to-all broadcast, "
              "section IV",
     .groups = Groups::two,
     .claims = inter_ring_claims,
     .schedule = [](const Problem& x) { return inter_ring(x); }},
    {Collective::allgatherv}};

}  // namespace
}  // namespace roundelay
