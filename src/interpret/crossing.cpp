// SPDX-License-Identifier: Apache-2.0
#include "interpret/crossing.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "interpret/sample.hpp"

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
    for_each_send(call, rank, [&](std::size_t /*round*/, const Transfer& transfer) {
      for (std::size_t i = 0; i < partitions.size(); ++i) {
        const Partition& parts = partitions[i];
        if (parts.part_of(rank) != parts.part_of(transfer.peer)) all[i] += transfer.data.length();
      }
    });
  }
  return all;
}

std::optional<double> distance(const Choice& choice, const Case& of, const Torus& torus,
                               int most_messages) {
  const Call call(choice, of);
  const int p = of.ranks();
  const int run = call.is_symmetric() ? 1 : p;
  double sum = 0;
  for (int rank = 0; rank < run && most_messages >= 0; ++rank) {
    for_each_send(call, rank, [&](std::size_t /*round*/, const Transfer& transfer) {
      sum += static_cast<double>(transfer.data.length()) * torus.hops(rank, transfer.peer);
      --most_messages;
    });
  }
  if (most_messages < 0) return std::nullopt;
  return sum * p / run;
}

}  // namespace roundelay::interpret
