// SPDX-License-Identifier: Apache-2.0
#include "interpret/crossing.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace roundelay::interpret {

// Control flow depends on no data, so each rank runs by itself.
std::vector<Units> crossing(const Choice& choice, const Case& of,
                            std::span<const Partition> partitions) {
  if (std::ranges::any_of(partitions,
                          [&](const Partition& one) { return one.ranks() != of.ranks(); })) {
    throw std::invalid_argument("a partition has another number of ranks than the case");
  }
  const Call call(choice, of);
  std::vector<Units> all(partitions.size());
  for (int rank = 0; rank < of.ranks(); ++rank) {
    Schedule schedule = call.schedule(rank);
    while (schedule.next()) {
      for (const Transfer* transfer : schedule.round().transfers) {
        if (!transfer->happens() || !transfer->sends()) continue;
        for (std::size_t i = 0; i < partitions.size(); ++i) {
          const Partition& parts = partitions[i];
          if (parts.part_of(rank) != parts.part_of(transfer->peer)) {
            all[i] += transfer->data.length();
          }
        }
      }
    }
  }
  return all;
}

}  // namespace roundelay::interpret
