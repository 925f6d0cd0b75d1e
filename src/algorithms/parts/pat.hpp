// SPDX-License-Identifier: Apache-2.0
// What the algorithms with parallel aggregated trees have in common.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// One round of the allgather: rank r sends the blocks of the ranks r - 2 d i to rank r + d and
// receives those of the ranks r - d - 2 d i from rank r - d (modulo p), for `count` i from `first`
// on.
struct PatRound {
  int d;
  int first;
  int count;
};

// Of p ranks, with `most` blocks in a message. Distances are 2^l, .., 2, 1, the greatest first: by
// then a rank has every 2 d-th block before its own. Where these are more than `most`, they take
// several rounds.
[[nodiscard]] inline std::vector<PatRound> pat_rounds(int p, int most) {
  std::vector<PatRound> rounds;
  int d = 1;
  while (2 * d < p) d *= 2;
  for (; d > 0; d /= 2) {
    const int all = (p - 1 + d) / (2 * d);  // i with 2 d i + d < p
    for (int first = 0; first < all; first += most) {
      rounds.push_back({d, first, std::min(most, all - first)});
    }
  }
  return rounds;
}

// The blocks of a round that rank r sends (behind = 0), or receives (behind = d).
[[nodiscard]] inline Slices pat_blocks(const Blocks& blocks, int r, int behind,
                                       const PatRound& round, SliceRoom& room) {
  Slices slices;
  room.clear();
  for (int i = round.first; i < round.first + round.count; ++i) {
    slices.add(blocks[r - behind - 2 * round.d * i], room);
  }
  return slices;
}

[[nodiscard]] inline Parameter buffer_parameter() {
  return {.name = "buffer",
          .summary = "the largest number of blocks in a message",
          .least = 1,
          .most = 4096,
          .standard = "64",
          .tried = {3}};
}
[[nodiscard]] inline int buffer_of(const Choice& choice) {
  return static_cast<int>(choice.number(0));
}
[[nodiscard]] inline Formula rounds_of_pat(const Choice& choice) {
  const int most = buffer_of(choice);
  return Formula::of("rounds_of_trees(p, " + std::to_string(most) + ")",
                     [most](const Dimensions& of) -> double {
                       return static_cast<double>(pat_rounds(of.p, most).size());
                     });
}

}  // namespace roundelay
