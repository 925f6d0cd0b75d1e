// SPDX-License-Identifier: Apache-2.0
#include "interpret/memory_rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

namespace {

std::string flight(bool writes, int peer, int round) {
  return std::string(writes ? "the receive from rank " : "the send to rank ") +
         std::to_string(peer) + " of round " + std::to_string(round);
}

}  // namespace

std::string text(Slice slice) {
  constexpr std::array names{"input", "output", "scratch"};
  return std::string(names.at(static_cast<std::size_t>(slice.space()))) + "[" +
         std::to_string(slice.offset()) + ", " + std::to_string(slice.end()) + ")";
}

MemoryRules::MemoryRules(const Call& call, int rank)
    : rank_(rank), ports_(call.ports()), left_alone_(call.left_alone(rank)) {
  for (const Space space : {Space::input, Space::output, Space::scratch}) {
    sizes_[static_cast<std::size_t>(space)] = call.size(rank, space);
  }
}

bool MemoryRules::post(int round, const Round& posted) {
  uses_.clear();
  int sends = sends_in_flight_;
  int receives = receives_in_flight_;
  bool any = false;
  for (const Transfer* transfer : posted.transfers) {
    if (!transfer->happens()) continue;
    any = true;
    ++(transfer->sends() ? sends : receives);
    for (const Slice& slice : transfer->data) {
      require_inside(round, slice, !transfer->sends());
      uses_.push_back(
          {slice, !transfer->sends(), transfer->due != this_round, transfer->peer, round});
    }
    if (transfer->due != this_round) ++(transfer->sends() ? sends_in_flight_ : receives_in_flight_);
    if (std::max(sends, receives) > ports_) {
      throw Broken(rank_, round,
                   describe(*transfer) + " would need more than " + std::to_string(ports_) +
                       (ports_ == 1 ? " port" : " ports"));
    }
  }
  require_apart(round, uses_);
  for (const Use& use : uses_) {
    for (const Use& rival : in_flight_) {
      if ((use.writes || rival.writes) && use.slice.overlaps(rival.slice)) {
        throw_overlap(round, use, rival);
      }
    }
  }
  std::ranges::copy_if(uses_, std::back_inserter(in_flight_), &Use::deferred);
  return any;
}

void MemoryRules::step(int round, const LocalStep& step) const {
  if (step.from.length() != step.into.length()) {
    throw Broken(rank_, round,
                 "a local step takes " + text(step.from) + " into " + text(step.into) +
                     ", which has another length");
  }
  require_inside(round, step.from, false);
  require_inside(round, step.into, true);
  if (step.from.overlaps(step.into)) {
    throw Broken(
        rank_, round,
        "a local step takes " + text(step.from) + " into " + text(step.into) + ", which overlap");
  }
  require_untouched(round, step.from, false);
  require_untouched(round, step.into, true);
}

void MemoryRules::land(const Transfer& deferred) {
  --(deferred.sends() ? sends_in_flight_ : receives_in_flight_);
  for (const Slice& slice : deferred.data) {
    const auto found = std::ranges::find_if(in_flight_, [&](const Use& use) {
      return use.slice == slice && use.writes != deferred.sends() && use.peer == deferred.peer;
    });
    in_flight_.erase(found);
  }
}

void MemoryRules::require_inside(int round, Slice slice, bool writes) const {
  if (slice.offset() < 0 || slice.length() < 0 ||
      slice.end() > sizes_[static_cast<std::size_t>(slice.space())]) {
    throw Broken(rank_, round,
                 text(slice) + " is not inside its space, which has " +
                     std::to_string(sizes_[static_cast<std::size_t>(slice.space())]) + " units");
  }
  if (writes && slice.space() == Space::input) {
    throw Broken(rank_, round, text(slice) + " would be written, but the input must not change");
  }
  if (!writes || slice.space() != Space::output) return;
  const auto kept = std::ranges::partition_point(
      left_alone_, [&](Slice other) { return other.end() <= slice.offset(); });
  if (kept != left_alone_.end() && kept->overlaps(slice)) {
    throw Broken(rank_, round,
                 text(slice) + " would be written, but " + text(*kept) + " must be left alone");
  }
}

void MemoryRules::require_apart(int round, std::vector<Use>& uses) const {
  if (uses.size() < 2) return;
  std::ranges::sort(
      uses, {}, [](const Use& use) { return std::tuple(use.slice.space(), use.slice.offset()); });
  const Use* furthest = nullptr;  // of all uses so far in this space, the one that ends last
  const Use* furthest_written = nullptr;  // of those that write
  for (const Use& use : uses) {
    const Use* rival = use.writes ? furthest : furthest_written;
    if (rival != nullptr && rival->slice.overlaps(use.slice)) throw_overlap(round, use, *rival);
    const auto ends_last = [&](const Use* so_far) {
      return so_far == nullptr || so_far->slice.space() != use.slice.space() ||
             so_far->slice.end() < use.slice.end();
    };
    if (ends_last(furthest)) furthest = &use;
    if (use.writes && ends_last(furthest_written)) furthest_written = &use;
  }
}

void MemoryRules::throw_overlap(int round, const Use& use, const Use& rival) const {
  throw Broken(rank_, round,
               text(use.slice) + " of " + flight(use.writes, use.peer, use.round) + " overlaps " +
                   text(rival.slice) + " of " + flight(rival.writes, rival.peer, rival.round));
}

void MemoryRules::require_untouched(int round, Slice slice, bool writes) const {
  for (const Use& use : in_flight_) {
    if ((writes || use.writes) && use.slice.overlaps(slice)) {
      throw Broken(rank_, round,
                   "a local step uses " + text(slice) + " while " +
                       flight(use.writes, use.peer, use.round) + " is in flight on " +
                       text(use.slice));
    }
  }
}

}  // namespace roundelay::interpret
