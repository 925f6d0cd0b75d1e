// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/joined.hpp"

#include <vector>

namespace roundelay {

Schedule joined(Problem x, Root root) {
  const int r = x.group.rank;
  const bool receives = root == Root::receives;
  const int first = receives ? 0 : x.senders;
  const int count = receives ? x.senders : x.group.size - x.senders;
  if (r != x.root && (r < first || r >= first + count)) co_return;
  const Subgroup group = x.group.joined(first, count, x.root);
  std::vector<Units> lengths;
  std::vector<Units> offsets;
  const Slice whole = x.blocks.whole();
  if (x.blocks.size() == count) {
    for (int i = 0; i < count; ++i) {
      lengths.push_back(x.blocks[i].length());
      offsets.push_back(x.blocks[i].offset() - whole.offset());
    }
    lengths.push_back(0);
    offsets.push_back(whole.length());
    x.blocks = Blocks::cut(whole, lengths, offsets);
  }
  x.group = group;
  x.senders = 0;
  x.root = count;
  x.choice = &x.choice->nested(0);
  co_yield all(x.choice->schedule(x));
}

Claims joined_claims(const Choice& choice, Root root) {
  const Claims within = choice.nested(0).claims();
  const Formula others = root == Root::receives ? p() : q();
  const Formula ranks = others + 1;
  const bool is_bcast = choice.algorithm->collective == Collective::bcast;
  const Formula blocks = is_bcast ? ranks : others;
  // Of blocks as long as the longest.
  const auto among = [&](const Formula& claim) {
    return Formula::of_part(claim, ranks, ranks * ceil(m() / blocks), m());
  };
  return {.scratch = among(within.scratch),
          .rounds = among(within.rounds),
          .volume = among(within.volume),
          .ports = among(within.ports),
          .at_most = true};
}

Algorithm joined_algorithm(Collective collective, Root root, std::string_view standard) {
  return {.collective = collective,
          .name = "inter_joined",
          .summary = "The root and all ranks of the other group act as one group.",
          .paper = "none: algorithms of one group",
          .groups = Groups::two,
          .parameters = {{.name = name_of(collective),
                          .summary = "the algorithm of this one group",
                          .kind = Parameter::Kind::algorithm,
                          .collective = collective,
                          .standard = standard}},
          .claims = root == Root::receives
                        ? [](const Choice& of) { return joined_claims(of, Root::receives); }
                        : [](const Choice& of) { return joined_claims(of, Root::sends); },
          .schedule = root == Root::receives
                          ? [](const Problem& x) { return joined(x, Root::receives); }
                          : [](const Problem& x) { return joined(x, Root::sends); }};
}

}  // namespace roundelay
