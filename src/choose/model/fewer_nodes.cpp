// SPDX-License-Identifier: Apache-2.0
#include "choose/model/fewer_nodes.hpp"

#include <algorithm>
#include <cstdint>

#include "choose/model/excerpts.hpp"
#include "choose/model/run_limits.hpp"

namespace roundelay::choose {

double FewerNodes::among_all(double among_some, double among_few) const {
  const int of_some = some.nodes.ranks();
  const double others = static_cast<double>(ranks - of_some) / (of_some - few.nodes.ranks());
  return among_some + others * (among_some - among_few);
}

interpret::NodeLinks FewerNodes::shared(interpret::NodeLinks links) const {
  links.byte *= times_as_many;
  if (links.near_in_turn) {
    links.near_byte *= times_as_many;
    links.step_byte *= times_as_many;
  }
  return links;
}

std::optional<FewerNodes> fewer_nodes_of(const Topology& topology) {
  const Partition& nodes = topology.nodes;
  const int of_each = std::min(nodes.largest(), ranks_of_excerpt / 2);
  const int few = ranks_of_excerpt / of_each;
  const int some = 2 * few;
  const int all = nodes.count();
  const std::int64_t p = nodes.ranks();
  if (all > some) {
    return FewerNodes{.some = excerpt(nodes, some, of_each),
                      .few = excerpt(nodes, few, of_each),
                      .ranks = nodes.ranks(),
                      .times_as_many = static_cast<double>(nodes.largest()) / of_each};
  }
  if (p * (p - 1) <= most_transfers_of_one) return std::nullopt;
  return FewerNodes{.some = excerpt(nodes, all, of_each),
                    .few = excerpt(nodes, all, of_each / 2),
                    .ranks = nodes.ranks(),
                    .keeps_messages = true};
}

}  // namespace roundelay::choose
