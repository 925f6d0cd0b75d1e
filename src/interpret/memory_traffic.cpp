// SPDX-License-Identifier: Apache-2.0
#include "interpret/memory_traffic.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace roundelay::interpret {

namespace {

// A message as it goes through memory.
struct Pieces {
  Units cells;
  Units flags;
  Units with_flag;  // bytes that go with the last ones
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

// What a rank sends to another one, in order.
using Sent = std::map<std::pair<int, int>, std::deque<Pieces>>;

void count_sends(int rank, Schedule schedule, const SharedCells& cells, MemoryTraffic& mine,
                 Sent& sent) {
  while (schedule.next()) {
    const auto& transfers = schedule.round().transfers;
    for (const Transfer* transfer : transfers) {
      if (!transfer->happens() || !transfer->sends()) continue;
      const auto is_of_its_block = [&](const Transfer* other) {
        return one_block(*other, *transfer);
      };
      const Pieces pieces =
          pieces_of(transfer->data, std::ranges::count_if(transfers, is_of_its_block), cells);
      sent[{rank, transfer->peer}].push_back(pieces);
      mine.flags += pieces.flags;
      if (pieces.in_place) continue;
      const auto first = std::ranges::find_if(transfers, is_of_its_block);
      const bool again = first != transfers.end() && *first != transfer;
      mine.copied_in += again ? pieces.with_flag : transfer->data.length();
      mine.cells += again ? 0 : pieces.cells;
    }
  }
}

void count_receives(int rank, Schedule schedule, MemoryTraffic& mine, Sent& sent) {
  while (schedule.next()) {
    for (const Transfer* transfer : schedule.round().transfers) {
      if (!transfer->happens() || transfer->sends()) continue;
      std::deque<Pieces>& coming = sent[{transfer->peer, rank}];
      const Pieces pieces = coming.front();
      coming.pop_front();
      (pieces.in_place ? mine.in_place : mine.copied_out) += transfer->data.length();
      mine.waited_for += pieces.flags;
    }
  }
}

}  // namespace

// Control flow depends on no data, so each rank runs by itself.
std::vector<MemoryTraffic> memory_traffic(const Choice& choice, const Case& of,
                                          const SharedCells& cells) {
  const Call call(choice, of);
  std::vector<MemoryTraffic> all(static_cast<std::size_t>(of.ranks()));
  Sent sent;
  for (int rank = 0; rank < of.ranks(); ++rank) {
    count_sends(rank, call.schedule(rank), cells, all[static_cast<std::size_t>(rank)], sent);
  }
  for (int rank = 0; rank < of.ranks(); ++rank) {
    count_receives(rank, call.schedule(rank), all[static_cast<std::size_t>(rank)], sent);
  }
  return all;
}

}  // namespace roundelay::interpret
