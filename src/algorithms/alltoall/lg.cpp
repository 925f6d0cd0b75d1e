// SPDX-License-Identifier: Apache-2.0
// alltoall.lg: what a site has for a rank of another site is collected by one of its ranks, and
// goes there in one message.
//
// Jeannot, Steffenel 2007, Fast and efficient total exchange on two clusters, section 4 (LG, local
// group); here for sites of any sizes, for any number of them, pair by pair, and with ranks
// wherever they are. Between two sites of n1 <= n2 ranks there are 2 n2 messages in place of
// 2 n1 n2, of at most 2 n1 - 1 blocks each; as many units as without it, for no block crosses
// twice. The paper does not say what the last, incomplete group of n1 of the n2 ranks does: here
// its blocks are spread over the full groups. In the paper ranks of a site exchange their own
// blocks together with what is to be passed on; here that goes first, and their own while the
// others cross, which takes less than twice the start-ups of a site.
//
//   sites 0 1 and 2 3 4 5 6 (groups 2 3 and 4 5, and 6):
//     collect:   0 <-> 1, what is for 3 and 5 or for 2, 4 and 6;
//                2 .. 6, so that 2, 4 (for 0) and 3, 5 (for 1) have the blocks of their groups;
//                those of 6 are with 6 (for 0) and 3 (for 1)
//     between:   0 <-> 2, 4, 6   1 <-> 3, 5
//     within:    0 <-> 1   2 .. 6 pairwise
#include <algorithm>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/parts/relays.hpp"

namespace roundelay {
namespace {

// The i-th of the sites to which site a turns, i = 1, 2, ..; they do not all begin with the same.
int other_site(const Partition& sites, int a, int i) { return (a + i) % sites.count(); }

Schedule lg(Group g, const Partition& sites, Blocks given, Blocks blocks, Slice scratch,
            RowLengths lengths) {
  const int a = sites.part_of(g.rank);
  const int x = sites.place_of(g.rank);
  const int n = sites.size(a);
  const std::span<const int> own = sites.members(a);
  SliceRoom sent;
  SliceRoom received;
  co_yield round(copy(given[g.rank], blocks[g.rank]));

  std::vector<Slice> waiting(static_cast<std::size_t>(n));  // what came from whom to be passed on
  Units filled = 0;
  for (int i = 1; i < n; ++i) {
    const int to = (x + i) % n;
    const int from = (x - i + n) % n;
    sent.clear();
    Slices going;
    for (int j = 1; j < sites.count(); ++j) {
      const int b = other_site(sites, a, j);
      const Crossing there(sites, a, b);
      for (int y = there.first_served(to); y < there.n_; y += n) {
        if (there.relay(x, y) != to) continue;
        going.add(given[sites.members(b)[static_cast<std::size_t>(y)]], sent);
      }
    }
    const Slice held = scratch.part(filled, passed_on(sites, a, from, x, lengths));
    waiting[static_cast<std::size_t>(from)] = held;
    filled += held.length();
    co_yield round(send(going, g[own[static_cast<std::size_t>(to)]]),
                   recv(held, g[own[static_cast<std::size_t>(from)]]));
  }

  RoundList list;
  for (int j = 1; j < sites.count(); ++j) {
    const int b = other_site(sites, a, j);
    const std::span<const int> other = sites.members(b);
    const Crossing there(sites, a, b);
    const Crossing back(sites, b, a);
    int to = there.first_served(x);
    int from = back.first_relay(x);
    for (; to < there.n_ || from < there.n_; to += n, from += n) {
      list.clear();
      sent.clear();
      received.clear();
      if (to < there.n_) {
        const int rank = other[static_cast<std::size_t>(to)];
        Slices going;
        for (int w = 0; w < n; ++w) {
          if (there.relay(w, to) != x) continue;
          if (w == x) {
            going.add(given[rank], sent);
            continue;
          }
          Slice& held = waiting[static_cast<std::size_t>(w)];
          const Units length = lengths.of(w, rank);
          going.add(held.part(0, length), sent);
          held = held.part(length, held.length() - length);
        }
        list.add(deferred(send(going, g[rank])));
      }
      if (from < there.n_) {
        Slices coming;
        for (int w = 0; w < there.n_; ++w) {
          if (back.relay(w, x) != from) continue;
          coming.add(blocks[other[static_cast<std::size_t>(w)]], received);
        }
        list.add(deferred(recv(coming, g[other[static_cast<std::size_t>(from)]])));
      }
      co_yield list;
    }
  }

  for (int i = 1; i < n; ++i) {
    const int to = own[static_cast<std::size_t>((x + i) % n)];
    const int from = own[static_cast<std::size_t>((x - i + n) % n)];
    co_yield round(send(given[to], g[to]), recv(blocks[from], g[from]));
  }
}

Formula of_sites(const char* text, double (*function)(const Partition& sites)) {
  return Formula::of(text, [function](const Dimensions& of) {
    return of.topology != nullptr && of.topology->sites.known() ? function(of.topology->sites) : 0;
  });
}

Formula load(const char* text, int RelayLoads::* what) {
  return Formula::of(text, [what](const Dimensions& of) -> double {
    if (of.topology == nullptr || !of.topology->sites.known()) return 0;
    return RelayLoads(of.topology->sites).*what;
  });
}

// For each pair of sites, both ways.
template <typename Function>
double over_pairs(const Partition& sites, Function function) {
  double sum = 0;
  for (int a = 0; a < sites.count(); ++a) {
    for (int b = 0; b < a; ++b) sum += 2.0 * function(sites.size(a), sites.size(b));
  }
  return sum;
}

Claims lg_claims(const Choice& /*choice*/) {
  const Formula block = m() / p();
  const Formula carried = load("carried(sites)", &RelayLoads::carried);
  const Formula partners = load("partners(sites)", &RelayLoads::partners);
  const Formula greater = of_sites("sum(2 max(n1, n2))", [](const Partition& s) {
    return over_pairs(s, [](int n1, int n2) { return std::max(n1, n2); });
  });
  const Formula pairs = of_sites("sum(2 n1 n2)", [](const Partition& s) {
    return over_pairs(s, [](int n1, int n2) { return n1 * n2; });
  });
  return {.scratch = longest_block() * carried,
          .rounds = load("rounds(sites)", &RelayLoads::rounds),
          .volume = block * (p() - 1 + carried),
          .ports = partners + 1,
          .far_messages = greater,
          .far_volume = block * pairs};
}

const Registered entry{
    {.collective = Collective::alltoall,
     .name = "lg",
     .summary = "The blocks of a site for a rank of another site are collected at one rank and "
                "cross in one message.",
     .paper =
         "Jeannot, Steffenel 2007, Fast and efficient total exchange on two clusters, section 4",
     .restrictions = {Restriction::several_sites},
     .claims = lg_claims,
     .needs_rows = true,
     .schedule =
         [](const Problem& x) {
           return lg(x.group, x.topology->sites, x.given, x.blocks, x.scratch, RowLengths(x));
         }},
    {Collective::alltoallv, Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
