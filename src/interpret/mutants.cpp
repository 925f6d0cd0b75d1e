// SPDX-License-Identifier: Apache-2.0
#include "interpret/mutants.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <string_view>
#include <utility>

#include "interpret/rehearsal.hpp"
#include "interpret/verify.hpp"

namespace roundelay::interpret {

namespace {

using Kind = Mutation::Kind;

constexpr std::array<std::string_view, 22> names{
    "other_peer",   "drop_transfer", "turn_around",     "defer",         "complete_at_once",
    "shorten",      "shift_up",      "shift_down",      "other_space",   "drop_slice",
    "swap_slices",  "drop_step",     "swap_operands",   "other_step",    "swap_steps",
    "shorten_step", "shift_from_up", "shift_from_down", "shift_into_up", "shift_into_down",
    "drop_fence",   "swap_rounds"};
static_assert(names.size() == static_cast<std::size_t>(Kind::swap_rounds) + 1);

bool of_transfer(Kind kind) { return kind <= Kind::complete_at_once; }
bool of_slice(Kind kind) { return kind > Kind::complete_at_once && kind <= Kind::swap_slices; }
bool of_step(Kind kind) { return kind > Kind::swap_slices && kind <= Kind::shift_into_down; }

int size_of(const auto& range) { return static_cast<int>(std::size(range)); }

Slice shortened(Slice slice) { return {slice.space(), slice.offset(), slice.length() - 1}; }
Slice shifted(Slice slice, Units by) {
  return {slice.space(), slice.offset() + by, slice.length()};
}
Slice moved(Slice slice) {
  const Space other = slice.space() == Space::output ? Space::scratch : Space::output;
  return {other, slice.offset(), slice.length()};
}

void add_transfer(const TracedTransfer& transfer, Mutation place, std::vector<Mutation>& all) {
  const auto add = [&](Kind kind, bool possible = true) {
    place.kind = kind;
    if (possible) all.push_back(place);
  };
  add(Kind::other_peer);
  add(Kind::drop_transfer);
  add(Kind::turn_around);
  add(transfer.due == this_round ? Kind::defer : Kind::complete_at_once);
  for (place.slice = 0; place.slice < size_of(transfer.slices); ++place.slice) {
    add(Kind::shorten);
    add(Kind::shift_up);
    add(Kind::shift_down, transfer.slices[static_cast<std::size_t>(place.slice)].offset() > 0);
    add(Kind::other_space);
    add(Kind::drop_slice);
    add(Kind::swap_slices, place.slice + 1 < size_of(transfer.slices));
  }
}

void add_step(const LocalStep& step, bool last, Mutation place, std::vector<Mutation>& all) {
  const auto add = [&](Kind kind, bool possible = true) {
    place.kind = kind;
    if (possible) all.push_back(place);
  };
  add(Kind::drop_step);
  add(Kind::swap_operands);
  add(Kind::other_step);
  add(Kind::swap_steps, !last);
  add(Kind::shorten_step);
  add(Kind::shift_from_up);
  add(Kind::shift_from_down, step.from.offset() > 0);
  add(Kind::shift_into_up);
  add(Kind::shift_into_down, step.into.offset() > 0);
}

void apply(Kind kind, TracedTransfer& transfer, int p) {
  switch (kind) {
    case Kind::other_peer: transfer.peer = (transfer.peer + 1) % p; break;
    case Kind::turn_around:
      transfer.direction = transfer.direction == Transfer::Direction::send
                               ? Transfer::Direction::receive
                               : Transfer::Direction::send;
      break;
    case Kind::defer: transfer.due = at_the_end; break;
    case Kind::complete_at_once: transfer.due = this_round; break;
    default: break;
  }
}

void apply(Kind kind, std::vector<Slice>& slices, std::size_t at) {
  switch (kind) {
    case Kind::shorten: slices[at] = shortened(slices[at]); break;
    case Kind::shift_up: slices[at] = shifted(slices[at], 1); break;
    case Kind::shift_down: slices[at] = shifted(slices[at], -1); break;
    case Kind::other_space: slices[at] = moved(slices[at]); break;
    case Kind::drop_slice: slices.erase(slices.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case Kind::swap_slices: std::swap(slices[at], slices[at + 1]); break;
    default: break;
  }
  std::erase_if(slices, [](Slice slice) { return slice.empty(); });
}

void apply(Kind kind, std::vector<LocalStep>& steps, std::size_t at) {
  LocalStep& step = steps[at];
  switch (kind) {
    case Kind::drop_step: steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case Kind::swap_operands: std::swap(step.from, step.into); break;
    case Kind::other_step:
      step.kind =
          step.kind == LocalStep::Kind::copy ? LocalStep::Kind::combine : LocalStep::Kind::copy;
      break;
    case Kind::swap_steps: std::swap(steps[at], steps[at + 1]); break;
    case Kind::shorten_step:
      step.from = shortened(step.from);
      step.into = shortened(step.into);
      break;
    case Kind::shift_from_up: step.from = shifted(step.from, 1); break;
    case Kind::shift_from_down: step.from = shifted(step.from, -1); break;
    case Kind::shift_into_up: step.into = shifted(step.into, 1); break;
    case Kind::shift_into_down: step.into = shifted(step.into, -1); break;
    default: break;
  }
}

}  // namespace

std::string Mutation::text() const {
  std::string text = "rank " + std::to_string(rank) + ", round " + std::to_string(round);
  if (of_transfer(kind) || of_slice(kind)) text += ", transfer " + std::to_string(item);
  if (of_slice(kind)) text += ", slice " + std::to_string(slice);
  if (of_step(kind)) text += ", step " + std::to_string(item);
  return text + ": " + std::string(names.at(static_cast<std::size_t>(kind)));
}

std::vector<Mutation> mutations_of(const Trace& trace) {
  std::vector<Mutation> all;
  for (int rank = 0; rank < trace.of.ranks(); ++rank) {
    const std::vector<TracedRound>& rounds = trace.ranks[static_cast<std::size_t>(rank)].rounds;
    for (int r = 0; r < size_of(rounds); ++r) {
      const TracedRound& round = rounds[static_cast<std::size_t>(r)];
      Mutation place{Kind::swap_rounds, rank, r, 0, 0};
      if (r + 1 < size_of(rounds)) all.push_back(place);
      if (round.fence != this_round) all.push_back({Kind::drop_fence, rank, r, 0, 0});
      for (const TracedTransfer& transfer : round.transfers) {
        add_transfer(transfer, place, all);
        ++place.item;
      }
      place.item = 0;
      for (const LocalStep& step : round.steps) {
        add_step(step, place.item + 1 == size_of(round.steps), place, all);
        ++place.item;
      }
    }
  }
  return all;
}

RankTrace mutated(const RankTrace& original, const Mutation& mutation, int p) {
  RankTrace trace = original;
  const auto r = static_cast<std::size_t>(mutation.round);
  const auto item = static_cast<std::size_t>(mutation.item);
  TracedRound& round = trace.rounds[r];
  if (mutation.kind == Kind::swap_rounds) {
    std::swap(round, trace.rounds[r + 1]);
  } else if (mutation.kind == Kind::drop_fence) {
    round.fence = this_round;
  } else if (mutation.kind == Kind::drop_transfer) {
    round.transfers.erase(round.transfers.begin() + mutation.item);
  } else if (of_transfer(mutation.kind)) {
    apply(mutation.kind, round.transfers[item], p);
  } else if (of_slice(mutation.kind)) {
    apply(mutation.kind, round.transfers[item].slices, static_cast<std::size_t>(mutation.slice));
  } else {
    apply(mutation.kind, round.steps, item);
  }
  return trace;
}

Mutants mutants(const Choice& choice, const Case& of, std::size_t most, std::uint32_t seed) {
  const Call call(choice, of);
  const Trace original = trace(call, call.schedules());
  const std::vector<Mutation> all = mutations_of(original);
  std::vector<Mutation> chosen;
  std::mt19937 random(seed);
  std::ranges::sample(all, std::back_inserter(chosen),
                      static_cast<std::ptrdiff_t>(std::min(most, all.size())), random);

  Mutants result;
  for (const Mutation& mutation : chosen) {
    const RankTrace broken =
        mutated(original.ranks[static_cast<std::size_t>(mutation.rank)], mutation, of.ranks());
    const Schedules schedules = [&](int rank) {
      return replay(rank == mutation.rank ? broken
                                          : original.ranks[static_cast<std::size_t>(rank)]);
    };
    if (rehearse(call, schedules, DeliveryTime::as_soon_as_matched) &&
        rehearse(call, schedules, DeliveryTime::at_the_last_moment)) {
      ++result.harmless;
      continue;
    }
    ++result.count;
    if (verify(call, schedules).ok) {
      result.survivors.push_back(mutation.text());
    } else {
      ++result.killed;
    }
  }
  return result;
}

}  // namespace roundelay::interpret
