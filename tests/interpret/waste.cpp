// SPDX-License-Identifier: Apache-2.0
#include "waste.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "interpret/history.hpp"
#include "interpret/memory_rules.hpp"

namespace roundelay::interpret {

namespace {

std::string place(int rank, std::size_t round) {
  return "rank " + std::to_string(rank) + ", round " + std::to_string(round) + ": ";
}

// Which units of a rank's memory are still used, while its rounds are walked through backwards.
class Used {
 public:
  explicit Used(const RankTrace& trace) {
    const std::array sizes{trace.input, trace.output, trace.scratch};
    for (std::size_t space = 0; space < sizes.size(); ++space) {
      units_[space].assign(static_cast<std::size_t>(sizes[space]), false);
    }
    set(trace.wanted, true);
  }

  [[nodiscard]] std::vector<bool>::reference at(Slice slice, Units unit) {
    return units_[static_cast<std::size_t>(slice.space())]
                 [static_cast<std::size_t>(slice.offset() + unit)];
  }
  void set(Slice slice, bool used) {
    for (Units unit = 0; unit < slice.length(); ++unit) at(slice, unit) = used;
  }
  [[nodiscard]] bool all(Slice slice) {
    bool every = true;
    for (Units unit = 0; unit < slice.length(); ++unit) every = every && at(slice, unit);
    return every;
  }

 private:
  std::array<std::vector<bool>, 3> units_;
};

// What a rank receives or makes and does not use.
void find_unused(int rank, const RankTrace& trace, std::vector<std::string>& found) {
  Used used(trace);
  for (std::size_t round = trace.rounds.size(); round-- > 0;) {
    const TracedRound& its = trace.rounds[round];
    for (auto step = its.steps.rbegin(); step != its.steps.rend(); ++step) {
      const bool combines = step->kind == LocalStep::Kind::combine;
      if (!used.all(step->into)) {
        found.push_back(place(rank, round) + (combines ? "combines into " : "copies into ") +
                        text(step->into) + ", of which a unit is not used");
      }
      for (Units unit = 0; unit < step->into.length(); ++unit) {
        const bool result = used.at(step->into, unit);
        if (!combines) used.at(step->into, unit) = false;
        if (result) used.at(step->from, unit) = true;
      }
    }
    for (const TracedTransfer& transfer : its.transfers) {
      if (transfer.direction == Transfer::Direction::send) continue;
      for (const Slice& slice : transfer.slices) {
        if (!used.all(slice)) {
          found.push_back(place(rank, round) + "receives " + text(slice) + " from rank " +
                          std::to_string(transfer.peer) + ", of which a unit is not used");
        }
        used.set(slice, false);
      }
    }
    for (const TracedTransfer& transfer : its.transfers) {
      if (transfer.direction == Transfer::Direction::receive) continue;
      for (const Slice& slice : transfer.slices) used.set(slice, true);
    }
  }
}

bool share_a_unit(const Piece& a, const Piece& b) {
  return a.index < b.index + b.length && b.index < a.index + a.length && a.ranks == b.ranks;
}

// What a rank receives that it holds.
void find_held(const History& history, std::vector<std::string>& found) {
  for (const Delivery& message : history.deliveries) {
    const HeldState& before = history.ranks[static_cast<std::size_t>(message.to)]
                                           [static_cast<std::size_t>(message.to_round)];
    const bool held = std::ranges::any_of(message.pieces, [&](const Piece& piece) {
      return std::ranges::any_of(
          before.holds, [&](const Held& holds) { return share_a_unit(holds.what, piece); });
    });
    if (held) {
      found.push_back(place(message.to, static_cast<std::size_t>(message.to_round)) +
                      "receives from rank " + std::to_string(message.from) +
                      " a unit that it holds");
    }
  }
}

}  // namespace

std::vector<std::string> waste(const Trace& trace) {
  std::vector<std::string> found;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    find_unused(static_cast<int>(rank), trace.ranks[rank], found);
  }
  find_held(history(trace), found);
  return found;
}

}  // namespace roundelay::interpret
