// SPDX-License-Identifier: Apache-2.0
// Who passes on what between sites, in alltoall.lg.
//
// A rank is place x of the n ranks of its site; another site has n_ ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// The place of the rank that passes on what rank x has for rank y of the other site.
constexpr int relay(int x, int n, int y, int n_) noexcept {
  if (n <= n_) return y % n;
  const int own_group = x / n_ * n_ + y;
  return own_group < n ? own_group : x % n_ % (n / n_) * n_ + y;
}

// With whom of the other site rank x exchanges a message: this one, and every n-th.
constexpr int first_partner(int x, int n_) noexcept { return x % n_; }

// How long the blocks are that the ranks of the caller's site have.
class RowLengths {
 public:
  explicit RowLengths(const Problem& x)
      : rows_(x.rows), ranks_(x.group.size), even_(x.blocks[x.group.rank].length()) {}

  // Of the block that the rank at place w has for a rank.
  [[nodiscard]] Units of(int w, int rank) const noexcept {
    if (rows_.empty()) return even_;
    return rows_[static_cast<std::size_t>(w) * static_cast<std::size_t>(ranks_) +
                 static_cast<std::size_t>(rank)];
  }

 private:
  std::span<const Units> rows_;
  int ranks_;
  Units even_;
};

// What rank x of site a passes on for rank w of it.
inline Units passed_on(const Partition& sites, int a, int w, int x, const RowLengths& lengths) {
  const int n = sites.size(a);
  Units sum = 0;
  for (int b = 0; b < sites.count(); ++b) {
    const int n_ = sites.size(b);
    for (int y = first_partner(x, n_); b != a && y < n_; y += n) {
      if (relay(w, n, y, n_) == x)
        sum += lengths.of(w, sites.members(b)[static_cast<std::size_t>(y)]);
    }
  }
  return sum;
}

// The same for all of them: what has to wait at the caller.
inline Units passed_on(const Problem& problem) {
  const Partition& sites = problem.topology->sites;
  const int a = sites.part_of(problem.group.rank);
  const int x = sites.place_of(problem.group.rank);
  const RowLengths lengths(problem);
  Units sum = 0;
  for (int w = 0; w < sites.size(a); ++w) {
    if (w != x) sum += passed_on(sites, a, w, x, lengths);
  }
  return sum;
}

// What the ranks do that have most of it, in blocks and messages.
struct RelayLoads {
  int rounds = 0;
  int partners = 0;   // at other sites
  int carried = 0;    // blocks that wait at a rank that they neither come from nor go to
  int collected = 0;  // blocks in a message to who passes them on
  int between = 0;    // and in one between sites

  explicit RelayLoads(const Partition& sites) {
    for (int a = 0; a < sites.count(); ++a) {
      for (int x = 0; x < sites.size(a); ++x) add(sites, a, x);
    }
  }

 private:
  void add(const Partition& sites, int a, int x) {
    const int n = sites.size(a);
    int its_partners = 0;
    int its_carried = 0;
    std::vector<int> to(static_cast<std::size_t>(n));  // blocks for each to pass on
    std::vector<int> from(static_cast<std::size_t>(n));
    for (int b = 0; b < sites.count(); ++b) {
      const int n_ = sites.size(b);
      for (int y = 0; b != a && y < n_; ++y) ++to[static_cast<std::size_t>(relay(x, n, y, n_))];
      for (int y = first_partner(x, n_); b != a && y < n_; y += n) {
        int crossing = 0;
        for (int w = 0; w < n; ++w) {
          if (relay(w, n, y, n_) != x) continue;
          ++crossing;
          ++from[static_cast<std::size_t>(w)];
          its_carried += w != x ? 1 : 0;
        }
        ++its_partners;
        between = std::max(between, crossing);
      }
    }
    from[static_cast<std::size_t>(x)] = 0;
    int collecting = 0;
    for (int i = 1; i < n; ++i) {
      const int sent = to[static_cast<std::size_t>((x + i) % n)];
      const int received = from[static_cast<std::size_t>((x - i + n) % n)];
      collecting += sent + received > 0 ? 1 : 0;
    }
    collected = std::max(collected, std::ranges::max(from));
    carried = std::max(carried, its_carried);
    partners = std::max(partners, its_partners);
    rounds = std::max(rounds, collecting + its_partners + n - 1);
  }
};

}  // namespace roundelay
