// SPDX-License-Identifier: Apache-2.0
// Graphs in which ranks have more neighbours than those beside them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "schedule/graph.hpp"

namespace roundelay {

// Every rank sends to all that are no more than one step away in each dimension, corners among
// them.
inline std::shared_ptr<const Graph> stencil_with_corners(const std::vector<int>& lengths,
                                                         bool periodic) {
  int p = 1;
  for (const int length : lengths) p *= length;
  std::vector<Graph::Neighbours> ranks(static_cast<std::size_t>(p));
  int neighbours = 1;
  for (std::size_t i = 0; i < lengths.size(); ++i) neighbours *= 3;
  for (int rank = 0; rank < p; ++rank) {
    for (int which = 0; which < neighbours; ++which) {
      int peer = 0;
      int stride = p;
      int digits = which;
      bool exists = which != neighbours / 2;
      for (const int length : lengths) {
        stride /= length;
        const int there = rank / stride % length + digits % 3 - 1;
        digits /= 3;
        exists = exists && (periodic || (there >= 0 && there < length));
        peer += (there + length) % length * stride;
      }
      if (!exists) continue;
      ranks[static_cast<std::size_t>(rank)].destinations.push_back({peer, which});
      auto& sources = ranks[static_cast<std::size_t>(peer)].sources;
      sources.push_back({rank, static_cast<int>(sources.size())});
    }
  }
  return std::make_shared<const Graph>(std::move(ranks));
}

}  // namespace roundelay
