// SPDX-License-Identifier: Apache-2.0
// allgather.concurrent: C groups gather their blocks and send them to the other groups on the way.
//
// Tipparaju, Nieplocha 2005, section 3. Where C (the parameter `groups`) divides p, rank r is
// position l of group G. In every step it exchanges what its group has gathered with one position
// of every group, but it waits, and passes on, only what is of its own group: ceil(log2(p / C))
// steps in turn, everything else arrives by the end. Where C does not divide p it would have to
// wait for all: there it is Bruck's with C messages at once, ceil(log_(C + 1) p) rounds.
// m (p - 1) / p units each way. For short and medium blocks where a rank has C ports.
//
//   p = 6, C = 2: groups 0 1 2 and 3 4 5, rank 1:
//     round 0: sends 1   to 0 and, not waiting, to 3 and 4; receives 2 from 2; to come: 5 4
//     round 1: sends 1   to 2 and, not waiting, to 5;       receives 0 from 0; to come: 3
#include <algorithm>
#include <string>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/doubling.hpp"

namespace roundelay {
namespace {

Schedule by_groups(Group all, Blocks out, int groups) {
  const int size = all.size / groups;
  const int own = all.rank / size;
  const int l = all.rank % size;
  RoundList list;
  // Of a group's blocks those of `count` positions from `first` on, modulo its size.
  const auto blocks = [&](int group, int first, int count) {
    const int begin = group * size;
    const int before_wrap = std::min(count, size - first);
    Slices slices = out.range(begin + first, begin + first + before_wrap);
    slices.add(out.range(begin, begin + count - before_wrap));
    return slices;
  };
  const auto exchange = [&](const DoublingStep& step, int group) {
    const Fence due = group == own ? this_round : at_the_end;
    list.add(deferred(send(blocks(own, step.sent, step.count), all[group * size + step.to]), due));
    list.add(deferred(recv(blocks(group, step.received, step.count), all[group * size + step.from]),
                      due));
  };
  for (int i = 1; i < groups; ++i) exchange({l, l, l, l, 1}, (own + i) % groups);
  for (int d = 1; d < size; d *= 2) {
    for (int i = 0; i < groups; ++i) exchange(doubling_step(l, size, d), (own + i) % groups);
    co_yield list;
    list.clear();
  }
  if (!list.empty()) co_yield list;
}

Schedule with_ports(Group g, Blocks out, int ports) {
  const int r = g.rank;
  RoundList list;
  SliceRoom unused;  // an even cut: never more than two pieces
  for (int have = 1; have < g.size; have *= ports + 1) {
    list.clear();
    for (int i = 1; i <= ports && i * have < g.size; ++i) {
      const int d = i * have;
      const int count = std::min(have, g.size - d);
      list.add(send(out.run(r, count, unused), g[r - d]));
      list.add(recv(out.run(r + d, count, unused), g[r + d]));
    }
    co_yield list;
  }
}

const Registered entry{{
    .collective = Collective::allgather,
    .name = "concurrent",
    .summary =
        "C groups of ranks gather their blocks and send them to the other groups at the same time.",
    .paper = "Tipparaju, Nieplocha 2005, section 3",
    .parameters = {{.name = "groups",
                    .summary = "C: the number of groups, and of messages sent at once",
                    .least = 1,
                    .most = 32,
                    .standard = "2"}},
    .claims = [](const Choice& choice) -> Claims {
      const int c = static_cast<int>(choice.number(0));
      const Formula q = ceil_log2(p() / c);
      const std::string name = std::to_string(c);
      const Formula rounds =
          Formula::of("max(1, ceil_log2(p / " + name + ")) if " + name +
                          " divides p, else ceil(log_" + std::to_string(c + 1) + "(p))",
                      [c, q](const Dimensions& x) -> double {
                        if (c > 1 && x.p % c == 0) return std::max(1.0, q(x));
                        int log = 0;
                        for (int have = 1; have < x.p; have *= c + 1) ++log;
                        return log;
                      });
      return {.rounds = rounds,
              .volume = m() * (p() - 1) / p(),
              .ports = (c - 1) * (q + 1) + 1,
              .symmetric = true};
    },
    .schedule =
        [](const Problem& x) {
          const int c = static_cast<int>(x.choice->number(0));
          return x.group.size % c == 0 ? by_groups(x.group, x.blocks, c)
                                       : with_ports(x.group, x.blocks, c);
        },
}};

}  // namespace
}  // namespace roundelay
