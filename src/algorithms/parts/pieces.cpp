// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/pieces.hpp"

#include <algorithm>

namespace roundelay {

Schedule reduce_to_pieces(Problem x, Slice work) {
  const Subgroup senders = x.group.strided(0, 1, x.senders);
  const Problem stage{.group = senders,
                      .commutative = x.commutative,
                      .input = x.input,
                      .blocks = Blocks::even(work, x.senders),
                      .scratch = after(x.scratch, work.length()),
                      .network = x.network,
                      .memo = x.memo,
                      .choice = &x.choice->nested(0)};
  co_yield all(stage.choice->schedule(stage));
}

namespace {

Slice common(Slice a, Slice b) {
  const Units from = std::max(a.offset(), b.offset());
  return {a.space(), from, std::max<Units>(0, std::min(a.end(), b.end()) - from)};
}

}  // namespace

Schedule hand_over(Group g, Blocks pieces, Blocks wanted, Slice mine) {
  const int p = pieces.size();
  RoundList list;
  if (g.rank < p) {
    for (int j = 0; j < wanted.size(); ++j) {
      const Slice both = common(pieces[g.rank], wanted[j]);
      if (!both.empty()) list.add(send(both, g[p + j]));
    }
  } else {
    const Slice own = wanted[g.rank - p];
    for (int i = 0; i < p; ++i) {
      const Slice both = common(pieces[i], own);
      if (both.empty()) continue;
      list.add(recv(mine.part(both.offset() - own.offset(), both.length()), g[i]));
    }
  }
  co_yield list;
}

Claims pieces_claims(const Choice& choice, const Formula& receivers) {
  const Claims within = choice.nested(0).claims();
  const auto among = [](const Formula& claim) { return Formula::of_even_part(claim, p(), m()); };
  const Formula sent = ceil(m() / p());
  const Formula received = ceil(m() / receivers);
  return {.scratch = m() + among(within.scratch),
          .rounds = among(within.rounds) + 1,
          .volume = among(within.volume) + max(sent, received),
          .ports = max(among(within.ports), max(p(), receivers)),
          .at_most = true};
}

Parameter pieces_parameter() {
  return {.name = "reduce_scatter",
          .summary = "how the senders reduce and scatter",
          .kind = Parameter::Kind::algorithm,
          .collective = Collective::reduce_scatter,
          .standard = "circulant"};
}

}  // namespace roundelay
