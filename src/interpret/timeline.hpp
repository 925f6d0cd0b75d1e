// SPDX-License-Identifier: Apache-2.0
// One rank of a run that is priced by its critical path: when what it does may begin, and is over.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "interpret/critical_path.hpp"

namespace roundelay::interpret {

// A time, and what of the path to it are start-ups.
struct Clock {
  double seconds = 0;
  double startups = 0;

  [[nodiscard]] Clock after(double more, double its_startups = 0) const noexcept {
    return {seconds + more, startups + its_startups};
  }
};
[[nodiscard]] inline Clock later(Clock a, Clock b) noexcept {
  return b.seconds > a.seconds ? b : a;
}

// Of a message, compared with one to the next rank that has the network alone: its bytes take so
// many times as long, and its start-up so many seconds longer.
struct Slowdown {
  double byte = 1;
  double startup = 0;
};

// As mpi::Flow runs a schedule. Paced: a round begins when the one before is over. Early: up to
// rounds_in_flight rounds overlap, but a transfer waits for those before that touch the same
// memory; rounds of many transfers, steps or slices do not overlap with others.
class Timeline {
 public:
  explicit Timeline(const Link& link) : link_(link) {}

  // Its next round has come. Transfers are known by the order in which they come.
  void begin(const Round& round);
  // The number of the round's first transfer.
  [[nodiscard]] std::size_t first() const noexcept { return first_; }
  // The round's transfers that are not deferred are over: does its steps.
  void end(const Round& round);
  // The last round is over: when all that it did is.
  [[nodiscard]] Clock finish();

  // Whether it has posted anything.
  [[nodiscard]] bool begun() const noexcept { return !moving_.empty(); }
  [[nodiscard]] int rounds() const noexcept { return rounds_; }
  // When the rounds that it has ended were over.
  [[nodiscard]] Clock now() const noexcept { return ended_[place(rounds_ - 1)]; }

  // A message passes, of which these are the numbers at its two ends. Returns when it leaves.
  static Clock pass(Timeline& from, std::size_t send, Timeline& to, std::size_t receive,
                    Units units, Slowdown slowdown);
  // The same, where its other end is not looked at: it is as far as this one.
  void send_alone(std::size_t send, Units units, Slowdown slowdown);
  void receive_alone(std::size_t receive, Units units, Slowdown slowdown);

 private:
  // A slice of a round in flight.
  struct Touch {
    Slice slice;
    bool writes;
    bool by_step;
    Clock over;  // of a transfer
    std::size_t transfer;
  };
  struct Past {
    std::vector<Touch> touched;
    bool alone = false;
  };
  struct Moving {
    Clock ready;
    Unsteady::Extra extra;
    Fence due = this_round;
  };

  static std::size_t place(int round) noexcept {
    return static_cast<std::size_t>(round + static_cast<int>(rounds_in_flight)) % rounds_in_flight;
  }
  [[nodiscard]] Clock may_start(const Transfer& transfer, bool alone) const;
  void wait_for(Fence fence);
  void delay(double units);
  // What a message takes of a link: its bytes, and the gap that they do not fill.
  struct Occupied {
    double bytes;
    double idle;
  };
  [[nodiscard]] Occupied occupied(Units units, double factor, double gaps) const noexcept;
  // Through memory a message that outlasts its round is kept track of.
  [[nodiscard]] double startup_of(const Moving& moving, Slowdown slowdown) const noexcept {
    const bool outlasts = link_.moved_by_ranks && moving.due != this_round;
    return (outlasts ? 2 : 1) * link_.startup + slowdown.startup;
  }
  [[nodiscard]] Clock leaves(Clock ready, Occupied by, double startup);
  [[nodiscard]] Clock arrives(Clock first_byte, Occupied by);
  void over(std::size_t transfer, Clock when);
  [[nodiscard]] Clock due(Fence fence) const;

  Link link_;
  Unsteady unsteady_;
  int rounds_ = 0;
  std::size_t first_ = 0;
  std::array<Clock, rounds_in_flight> ended_{};  // the last rounds
  std::array<Past, rounds_in_flight> past_;
  Clock open_;     // what of this round is over
  Clock sending_;  // until when the link is busy
  Clock receiving_;
  Clock at_least_;              // a fence
  std::vector<Moving> moving_;  // all transfers
  std::vector<Clock> due_;      // by fence; that of the end is the first
};

}  // namespace roundelay::interpret
