// SPDX-License-Identifier: Apache-2.0
#include "interpret/memory_traffic.hpp"

#include <algorithm>

namespace roundelay::interpret {

namespace {

// A message as it goes through memory.
struct Pieces {
  Units cells;
  Units flags;
  Units with_flag;  // bytes that go with the last ones
  bool in_place = false;
};

Pieces pieces_of(const Slices& data, const SharedCells& cells) {
  const Units bytes = data.length();
  if (data.size() == 1 && bytes > cells.in_lines && cells.in_place > 0 && bytes >= cells.in_place) {
    return {.cells = 0, .flags = 1, .with_flag = 0, .in_place = true};
  }
  const Units whole = bytes / cells.cell;
  const Units rest = bytes % cells.cell;
  if (rest > cells.in_lines) return {whole + 1, whole + 1, 0};
  const Units lines = (rest + cells.line - 1) / cells.line;
  return {whole, std::max(Units{1}, whole + lines), rest};
}

bool was_exposed_before(const Transfer& transfer, const Round& round) {
  const auto* const first = *std::ranges::find_if(round.transfers, [&](const Transfer* other) {
    return one_block(*other, transfer) || other == &transfer;
  });
  return first != &transfer;
}

}  // namespace

// Control flow depends on no data, so each rank runs by itself.
std::vector<MemoryTraffic> memory_traffic(const Choice& choice, const Case& of,
                                          const SharedCells& cells) {
  const Call call(choice, of);
  std::vector<MemoryTraffic> all;
  for (int rank = 0; rank < of.ranks(); ++rank) {
    MemoryTraffic& mine = all.emplace_back();
    Schedule schedule = call.schedule(rank);
    while (schedule.next()) {
      for (const Transfer* transfer : schedule.round().transfers) {
        if (!transfer->happens()) continue;
        const Units bytes = transfer->data.length();
        const Pieces pieces = pieces_of(transfer->data, cells);
        if (!transfer->sends()) {
          (pieces.in_place ? mine.in_place : mine.copied_out) += bytes;
          mine.waited_for += pieces.flags;
          continue;
        }
        mine.flags += pieces.flags;
        if (pieces.in_place) continue;
        const bool again = was_exposed_before(*transfer, schedule.round());
        mine.copied_in += again ? pieces.with_flag : bytes;
        mine.cells += again ? 0 : pieces.cells;
      }
    }
  }
  return all;
}

}  // namespace roundelay::interpret
