// SPDX-License-Identifier: Apache-2.0
#include "schedule/grid.hpp"

#include <limits>
#include <numeric>
#include <utility>

namespace roundelay {

namespace {

constexpr int most_dimensions = 4;

// Tries all grids with so many ranks.
class Search {
 public:
  Search(int ranks, std::span<const Ends> edges) : edges_(edges), strides_{ranks} {
    for (int dimensions = 1; dimensions <= most_dimensions; ++dimensions) divide(dimensions);
  }

  std::vector<int> best;
  std::vector<int> directions;

 private:
  // The rest of the ranks into so many dimensions.
  void divide(int dimensions) {
    const int rest = strides_.back();
    if (dimensions == 1) {
      if (rest == 1) return;
      strides_.push_back(1);
      count();
      strides_.pop_back();
      return;
    }
    for (int stride = rest / 2; stride > 1; --stride) {
      if (rest % stride != 0) continue;
      strides_.push_back(stride);
      divide(dimensions - 1);
      strides_.pop_back();
    }
  }

  // The directions in each dimension, until it is clear that there are not fewer than in the best.
  void count() {
    const std::size_t dimensions = strides_.size() - 1;
    std::vector<std::vector<bool>> seen(dimensions);
    int possible = 0;
    for (std::size_t k = 0; k < dimensions; ++k) {
      seen[k].resize(static_cast<std::size_t>(strides_[k] / strides_[k + 1]));
      possible += static_cast<int>(seen[k].size()) - 1;
    }
    std::vector<int> found(dimensions);
    int all = 0;
    for (const Ends& edge : edges_) {
      for (std::size_t k = 0; k < dimensions; ++k) {
        const int length = static_cast<int>(seen[k].size());
        const int steps = edge.to / strides_[k + 1] - edge.from / strides_[k + 1];
        const int direction = (steps % length + length) % length;
        if (direction == 0 || seen[k][static_cast<std::size_t>(direction)]) continue;
        seen[k][static_cast<std::size_t>(direction)] = true;
        ++found[k];
        ++all;
      }
      if (all >= least_ || all == possible) break;
    }
    if (all >= least_) return;
    least_ = all;
    best = strides_;
    directions = std::move(found);
  }

  std::span<const Ends> edges_;
  std::vector<int> strides_;
  int least_ = std::numeric_limits<int>::max();
};

}  // namespace

Grid::Grid(int ranks, std::span<const Ends> edges) : strides_{1, 1}, directions_{0} {
  if (ranks < 2) return;
  Search search(ranks, edges);
  strides_ = std::move(search.best);
  directions_ = std::move(search.directions);
}

int Grid::directions() const noexcept {
  return std::accumulate(directions_.begin(), directions_.end(), 0);
}

}  // namespace roundelay
