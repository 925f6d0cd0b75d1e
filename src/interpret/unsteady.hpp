// SPDX-License-Identifier: Apache-2.0
// What a rank's messages take longer than in a run of ranks that are always in step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "schedule/round.hpp"

namespace roundelay::interpret {

// Factors; 1: nothing.
struct Unsteadiness {
  // Of messages of `crossing` units or more between two ranks that send each other such at once,
  // unless it is their first round: they begin together.
  double pairing = 1;
  double crossing = std::numeric_limits<double>::infinity();
  // Of units that a rank passes on while it receives others, if its partners change before
  // `rounds_in_flight` rounds are over: who is ahead then sends to one that still receives from
  // another. Not where the rank has more messages in flight, which fill the time. But for the first
  // `absorbed` units, which buffers hold, unless blocks follow each other on the same ways; where
  // such blocks are combined, that keeps ranks in step.
  double drift = 1;
  double absorbed = 0;
  // Of messages that are in flight beside others, if their receiver has others in flight, too.
  double queueing = 1;
  // Other partners are behind other links, so that no round waits for their messages.
  bool apart = false;
};

// One rank, round by round.
class Unsteady {
 public:
  // What is to be added to the time of a message, in the time of its units.
  struct Extra {
    double paired = 0;
    bool beside = false;       // it is in flight beside others
    bool others_open = false;  // while messages are in flight that the rank has not waited for
  };

  // Units that this round, or the partners left by it, take more, beside what each message does.
  double next(const Round& round, const Unsteadiness& by) {
    look_at(round, by);
    waits_ = false;
    if (to_ < 0 || from_ < 0) return end_of_turn(by, true);
    const bool same = turn_.rounds > 0 && turn_.to == to_ && turn_.from == from_;
    double more = 0;
    if (!same) {
      waits_ = !by.apart && turn_.rounds > 0 && turn_.rounds < rounds_in_flight;
      more = end_of_turn(by, true);
      if (!pipelined_ && turns_ > 1 && from_ == first_from_) {
        pipelined_ = true;
        // Which it has been from the start.
        if (!combines_) more += (by.drift - 1) * std::min(drifted_, by.absorbed);
      }
      if (turns_ == 0) first_from_ = from_;
      turn_ = {to_, from_, 0, 0, false};
      ++turns_;
    }
    ++turn_.rounds;
    turn_.units += static_cast<double>(std::max(sent_, received_));
    turn_.combines = turn_.combines || combines_;
    return more;
  }
  // The same at the end.
  double last(const Unsteadiness& by) { return end_of_turn(by, turns_ > 1); }

  // Whether the round waits for the one before: it has other partners, and these had not so many
  // rounds that they fill the time.
  [[nodiscard]] bool waits() const noexcept { return waits_; }
  // Of the i-th transfer of the round.
  [[nodiscard]] const Extra& extra(std::size_t i) const { return extras_[i]; }

 private:
  // Rounds with the same partners.
  struct Turn {
    int to = -1;
    int from = -1;
    std::size_t rounds = 0;
    double units = 0;
    bool combines = false;
  };

  void look_at(const Round& round, const Unsteadiness& by) {
    extras_.assign(round.transfers.size(), {});
    to_ = from_ = -1;
    sent_ = received_ = 0;
    combines_ = false;
    bool any = false;
    bool beside = false;
    if (round.fence != this_round) open_ = false;
    for (Extra& extra : extras_) extra.others_open = open_;
    for (std::size_t i = 0; i < round.transfers.size(); ++i) {
      const Transfer& transfer = *round.transfers[i];
      if (!transfer.happens()) continue;
      any = true;
      int& peer = transfer.sends() ? to_ : from_;
      extras_[i].beside = peer >= 0 || transfer.due != this_round;
      beside = beside || extras_[i].beside;
      open_ = open_ || transfer.due != this_round;
      if (transfer.due != this_round) continue;
      if (peer < 0) peer = transfer.peer;
      (transfer.sends() ? sent_ : received_) += transfer.data.length();
    }
    if (to_ >= 0 && to_ == from_ && !first_round_ && both_long(by.crossing)) {
      for (Extra& extra : extras_) extra.paired = by.pairing - 1;
    }
    if (beside) to_ = from_ = -1;
    for (const LocalStep* step : round.steps) {
      combines_ = combines_ || step->kind == LocalStep::Kind::combine;
    }
    first_round_ = first_round_ && !any;
  }
  [[nodiscard]] bool both_long(double crossing) const {
    return static_cast<double>(std::min(sent_, received_)) >= crossing;
  }

  double end_of_turn(const Unsteadiness& by, bool partners_change) {
    const Turn turn = turn_;
    turn_ = {};
    if (turn.rounds == 0 || turn.rounds >= rounds_in_flight || !partners_change) return 0;
    if (pipelined_ && turn.combines) return 0;
    const double share = static_cast<double>(rounds_in_flight - turn.rounds) /
                         static_cast<double>(rounds_in_flight - 1);
    const double units = share * turn.units;
    const double before = std::max(0.0, drifted_ - by.absorbed);
    drifted_ += units;
    const double beyond = std::max(0.0, drifted_ - by.absorbed) - before;
    return (by.drift - 1) * (pipelined_ ? units : beyond);
  }

  std::vector<Extra> extras_;
  bool first_round_ = true;
  bool open_ = false;  // what the rank has deferred
  bool waits_ = false;
  // Of the round.
  int to_ = -1;
  int from_ = -1;
  Units sent_ = 0;
  Units received_ = 0;
  bool combines_ = false;

  Turn turn_;
  int turns_ = 0;
  int first_from_ = -1;
  bool pipelined_ = false;
  double drifted_ = 0;
};

}  // namespace roundelay::interpret
