// SPDX-License-Identifier: Apache-2.0
// Who passes on what between sites, in alltoall.lg.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// From a site of n ranks to another of n_: x is a place in the one, y in the other. One way is
// turned by a rank against the other, so that no two ranks send to each other: over TCP, MPI
// libraries take the two directions of long exchanges one after the other.
class Crossing {
 public:
  Crossing(const Partition& sites, int from, int to)
      : n(sites.size(from)), n_(sites.size(to)), turn_(from < to ? 1 : 0) {}

  int n;
  int n_;

  // Who passes on what rank x has for rank y.
  [[nodiscard]] int relay(int x, int y) const noexcept {
    const int first = first_relay(y);
    if (n <= n_) return first;
    const int own_group = x / n_ * n_ + first;
    return own_group < n ? own_group : x % n_ % (n / n_) * n_ + first;
  }
  // To whom rank x sends a message: this one, and every n-th.
  [[nodiscard]] int first_served(int x) const noexcept { return (x - turn_ + least()) % least(); }
  // From whom rank y gets one: this one, and every n_-th.
  [[nodiscard]] int first_relay(int y) const noexcept { return (y + turn_) % least(); }

 private:
  [[nodiscard]] int least() const noexcept { return std::min(n, n_); }

  int turn_;
};

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
  Units sum = 0;
  for (int b = 0; b < sites.count(); ++b) {
    const Crossing there(sites, a, b);
    for (int y = there.first_served(x); b != a && y < there.n_; y += there.n) {
      if (there.relay(w, y) == x)
        sum += lengths.of(w, sites.members(b)[static_cast<std::size_t>(y)]);
    }
  }
  return sum;
}

// What the ranks do that have most of it, in blocks and messages.
struct RelayLoads {
  int rounds = 0;
  int partners = 0;  // at other sites, to send to or to receive from
  int carried = 0;   // blocks that wait at a rank that they neither come from nor go to

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
      if (b == a) continue;
      const Crossing there(sites, a, b);
      const Crossing back(sites, b, a);
      const int n_ = sites.size(b);
      int sends = 0;
      int receives = 0;
      for (int y = 0; y < n_; ++y) ++to[static_cast<std::size_t>(there.relay(x, y))];
      for (int y = back.first_relay(x); y < n_; y += n) ++receives;
      for (int y = there.first_served(x); y < n_; y += n) {
        for (int w = 0; w < n; ++w) {
          if (there.relay(w, y) != x) continue;
          ++from[static_cast<std::size_t>(w)];
          its_carried += w != x ? 1 : 0;
        }
        ++sends;
      }
      its_partners += std::max(sends, receives);
    }
    from[static_cast<std::size_t>(x)] = 0;
    int collecting = 0;
    for (int i = 1; i < n; ++i) {
      const int sent = to[static_cast<std::size_t>((x + i) % n)];
      const int received = from[static_cast<std::size_t>((x - i + n) % n)];
      collecting += sent + received > 0 ? 1 : 0;
    }
    carried = std::max(carried, its_carried);
    partners = std::max(partners, its_partners);
    rounds = std::max(rounds, collecting + its_partners + n - 1);
  }
};

}  // namespace roundelay
