// SPDX-License-Identifier: Apache-2.0
#include "interpret/memory_traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

namespace {

// A message as it goes through memory.
struct Pieces {
  Units cells = 0;
  Units flags = 0;
  Units with_flag = 0;  // bytes that go with the last ones
  bool in_place = false;
};

Pieces pieces_of(const Slices& data, std::ptrdiff_t readers, const SharedCells& cells) {
  const Units bytes = data.length();
  const bool shares_cells = readers > 1 && bytes <= cells.shared_in_cells;
  if (data.size() == 1 && bytes > cells.in_lines && cells.in_place > 0 && bytes >= cells.in_place &&
      !shares_cells) {
    return {.cells = 0, .flags = 1, .with_flag = 0, .in_place = true};
  }
  const Units whole = bytes / cells.cell;
  const Units rest = bytes % cells.cell;
  if (rest > cells.in_lines) return {whole + 1, whole + 1, 0};
  const Units lines = (rest + cells.line - 1) / cells.line;
  return {whole, std::max(Units{1}, whole + lines), rest};
}

// Counts each transfer where Lockstep posts or matches it.
class Counting {
 public:
  Counting(const Call& call, int p, const SharedCells& cells)
      : cells_(cells),
        posted_(static_cast<std::size_t>(p)),
        traffic_(static_cast<std::size_t>(p)),
        lockstep_(*this, p, call.schedules()) {}

  std::vector<MemoryTraffic> run() {
    lockstep_.run();
    lockstep_.require_end();
    return std::move(traffic_);
  }

  // What Lockstep calls.

  void posted(int rank, int /*round*/, const Round& posted) {
    for (const Transfer* transfer : posted.transfers) {
      if (!transfer->happens()) continue;
      posted_of(rank).push_back(transfer->sends() ? sent(rank, *transfer, posted) : Pieces{});
    }
  }

  void matched(const Posted& send, const Posted& receive) {
    const Pieces pieces = posted_of(send.rank)[send.number];
    MemoryTraffic& its = traffic_of(receive.rank);
    (pieces.in_place ? its.in_place : its.copied_out) += receive.transfer->data.length();
    its.waited_for += pieces.flags;
    lockstep_.complete(send, receive);
  }

  void arrived(int rank, int /*round*/, const Round& /*arrived*/) { lockstep_.ready(rank); }
  void landed(int /*rank*/, const Transfer& /*deferred*/) {}

 private:
  Pieces sent(int rank, const Transfer& transfer, const Round& of) {
    const auto is_of_its_block = [&transfer](const Transfer* other) {
      return one_block(*other, transfer);
    };
    const auto readers = std::ranges::count_if(of.transfers, is_of_its_block);
    const Pieces pieces = pieces_of(transfer.data, readers, cells_);
    MemoryTraffic& its = traffic_of(rank);
    its.flags += pieces.flags;
    if (pieces.in_place) return pieces;
    const bool again =
        readers > 1 && *std::ranges::find_if(of.transfers, is_of_its_block) != &transfer;
    its.copied_in += again ? pieces.with_flag : transfer.data.length();
    its.cells += again ? 0 : pieces.cells;
    return pieces;
  }

  std::vector<Pieces>& posted_of(int rank) { return posted_[static_cast<std::size_t>(rank)]; }
  MemoryTraffic& traffic_of(int rank) { return traffic_[static_cast<std::size_t>(rank)]; }

  SharedCells cells_;
  std::vector<std::vector<Pieces>> posted_;  // by rank, in the order of Posted.number
  std::vector<MemoryTraffic> traffic_;
  Lockstep<Counting> lockstep_;
};

}  // namespace

std::vector<MemoryTraffic> memory_traffic(const Choice& choice, const Case& of,
                                          const SharedCells& cells) {
  const Call call(choice, of);
  return Counting(call, of.ranks(), cells).run();
}

}  // namespace roundelay::interpret
