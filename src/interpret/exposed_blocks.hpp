// SPDX-License-Identifier: Apache-2.0
// ExposedBlocks: the blocks that ranks expose, until all their readers have come.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "interpret/flights.hpp"
#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

class ExposedBlocks {
 public:
  // Of a round that is posted, before anything of it is matched.
  void posted(int rank, int round, const Round& posted) {
    for (const Transfer* transfer : posted.transfers) {
      if (transfer->exposed() && transfer->sends() && transfer->happens()) {
        ++blocks_[key(*transfer, rank, round)].readers;
      }
    }
  }

  // An exposure and its taking. If it is the last of its block: all of them, which may be complete
  // now. They are valid until the next call.
  std::span<const Flight> matched(const Posted& send, const Posted& receive) {
    complete_.clear();
    const auto found = blocks_.find(key(*send.transfer, send.rank, send.round));
    Block& block = found->second;
    block.matched.push_back({send, receive});
    if (block.matched.size() == block.readers) {
      complete_ = std::move(block.matched);
      blocks_.erase(found);
    }
    return complete_;
  }

 private:
  using Key = std::tuple<int, int, Fence, Space, Units, Units>;
  struct Block {
    std::size_t readers = 0;
    std::vector<Flight> matched;
  };

  static Key key(const Transfer& transfer, int rank, int round) {
    const Slice slice = *transfer.data.begin();
    return {rank, round, transfer.due, slice.space(), slice.offset(), slice.length()};
  }

  std::map<Key, Block> blocks_;
  std::vector<Flight> complete_;
};

}  // namespace roundelay::interpret
