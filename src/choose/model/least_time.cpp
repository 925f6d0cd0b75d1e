// SPDX-License-Identifier: Apache-2.0
#include "choose/model/least_time.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

namespace roundelay::choose {

namespace {

// Results of a scan that enter or leave one of the parts, of the part and the direction where they
// are most. Where a part has ranks, then others follow, then ranks of it again, each of these runs
// of ranks needs the result of all before it, and what follows the run needs another one.
int results_through_a_link(const Partition& parts) {
  std::vector<int> runs(static_cast<std::size_t>(parts.count()));
  int last = -1;
  for (const int part : parts.parts()) {
    if (part != last) ++runs[static_cast<std::size_t>(part)];
    last = part;
  }
  // Nothing is before the first rank, and nothing follows the last one.
  if (last == parts.part_of(0)) --runs[static_cast<std::size_t>(last)];
  return std::ranges::max(runs);
}

}  // namespace

double least_through_a_link(Collective collective, double bytes, const Partition& parts,
                            std::optional<int> root) {
  if (parts.count() < 2) return 0;
  const double p = parts.ranks();
  const double n = parts.count();
  switch (collective) {
    case Collective::barrier: return 0;
    case Collective::bcast:
    case Collective::reduce: return bytes;
    case Collective::scan:
    case Collective::exscan: return bytes * results_through_a_link(parts);
    // Each byte leaves all parts but one to be combined, and enters all but one of the parts.
    case Collective::allreduce: return 2 * bytes * (n - 1) / n;
    // The blocks of all others go to the root's part or come from it.
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv: {
      const int own = root ? parts.size(parts.part_of(*root)) : parts.largest();
      return bytes * (p - own) / p;
    }
    default: break;
  }
  double most = 0;
  for (int part = 0; part < parts.count(); ++part) {
    const double s = parts.size(part);
    most = std::max(most, exchanges(collective) ? s * (p - s) : std::max(s, p - s));
  }
  return bytes * most / p;
}

double least_seconds(Collective collective, double link, int nodes, double startup) {
  const auto rounds = static_cast<double>(std::bit_width(static_cast<unsigned>(nodes - 1)));
  const bool blocks = facts_of(collective).cut != Cut::nothing;
  if (blocks || collective == Collective::allreduce || nodes == 2) return link + rounds * startup;
  // A message passes through the nodes in n blocks in n - 1 + rounds rounds at least; of the best
  // n:
  const double filling = (rounds - 1) * startup;
  return link + filling + 2 * std::sqrt(filling * link);
}

}  // namespace roundelay::choose
