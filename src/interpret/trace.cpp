// SPDX-License-Identifier: Apache-2.0
#include "interpret/trace.hpp"

#include "schedule/idle_rounds.hpp"

namespace roundelay::interpret {

namespace {

TracedRound copied(const Round& round) {
  TracedRound traced;
  traced.fence = round.fence;
  for (const Transfer* transfer : round.transfers) {
    if (!transfer->happens()) continue;
    traced.transfers.push_back({transfer->direction,
                                transfer->peer,
                                transfer->kind,
                                transfer->due,
                                {transfer->data.begin(), transfer->data.end()}});
  }
  for (const LocalStep* step : round.steps) {
    if (!step->into.empty()) traced.steps.push_back(*step);
  }
  return traced;
}

// A round with a fence before it.
struct Again {
  Round round;
  Fence fence;

  [[nodiscard]] Round view() const noexcept { return {round.transfers, round.steps, fence}; }
};

}  // namespace

// Control flow depends on no data, so each rank runs by itself.
Trace trace(const Call& call, const Schedules& schedules) {
  Trace all{std::string(name_of(call.collective())), call.choice().text(), call.of(), {}};
  for (int rank = 0; rank < call.of().ranks(); ++rank) {
    RankTrace& mine = all.ranks.emplace_back();
    mine.input = call.size(rank, Space::input);
    mine.output = call.size(rank, Space::output);
    mine.scratch = scratch_used(schedules(rank));
    mine.given = call.given(rank);
    mine.wanted = call.wanted(rank);
    Schedule schedule = schedules(rank);
    IdleRounds rounds;
    while (rounds.next(schedule)) mine.rounds.push_back(copied(schedule.round()));
  }
  return all;
}

Schedule replay(const RankTrace& trace) {
  RoundList list;
  for (const TracedRound& traced : trace.rounds) {
    list.clear();
    for (const TracedTransfer& it : traced.transfers) {
      Units length = 0;
      for (const Slice& slice : it.slices) length += slice.length();
      list.add(Transfer{it.direction, it.kind, it.due, it.peer, Slices(it.slices, length)});
    }
    for (const LocalStep& step : traced.steps) list.add(step);
    co_yield Again{list.view(), traced.fence};
  }
}

Trace trace(const Choice& choice, const Case& of) {
  const Call call(choice, of);
  return trace(call, call.schedules());
}

}  // namespace roundelay::interpret
