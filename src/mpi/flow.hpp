// SPDX-License-Identifier: Apache-2.0
// A schedule on its way: the rounds that were taken from it and are not over.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "mpi/recording.hpp"
#include "mpi/transport.hpp"

namespace roundelay::mpi {

// It holds a window of rounds. In the early discipline a transfer of any of them starts as soon as
// nothing before it in the window touches the same memory or comes before it between the same two
// ranks; rounds end, and their local steps happen, in order. In the paced discipline the window is
// one round and sends are synchronous, so that no rank has more than one flow in either direction.
//
// It does a constant number of things for each message and slice, whatever the schedule:
// - A deferred transfer is out of the way of all others until its fence: the verifier proves for
//   every schedule that nothing touches its memory before (interpret/memory_rules.cpp).
// - Rounds of many transfers, steps or slices are not compared with others: they start when
//   everything before them is over, and what comes after them waits until they are over.
// - What it waits for is only what it needs in order to go on.
//
// A combine that spends what a transfer of its round receives goes with the receive, if nothing
// else of the round touches its memory: the transport may do it as data arrives.
class Flow {
 public:
  explicit Flow(Channel channel) noexcept : channel_(channel) {}

  // A schedule has run to a round, if there are `more`. Rounds and transport must outlive the flow,
  // or end() be called first.
  void begin(Rounds rounds, bool more, Transport& transport, Discipline discipline);
  // Goes on as far as it can without waiting. Returns an error code of the transport.
  int advance();
  [[nodiscard]] bool over() const noexcept { return taken_ == 0 && !more_ && deferred_ == 0; }

  // Adds the next transfers that it waits for: at least one unless it is over, at most `room`,
  // which is at least least_room. Returns whether it cannot go on before all of them are done.
  bool add_awaited(std::vector<TransferUnderWay*>& awaited, std::size_t room);

  // All transfers are done, or abandoned: it can begin anew.
  void end() noexcept;

  // For each of two flows that share a transport, and for who only looks what is done.
  static constexpr std::size_t least_room = Transport::most_waited / 2;

 private:
  static constexpr std::size_t window_size = rounds_in_flight;
  static_assert(most_compared * window_size <= least_room);

  struct Move : TransferUnderWay {
    std::vector<Slice> kept;  // its slices, where nothing else keeps them
    bool started = false;

    [[nodiscard]] bool waits_for_fence() const noexcept { return transfer.due != this_round; }
  };

  // A round. Its vectors keep their memory for later rounds.
  struct Pending {
    std::vector<Move*> moves;
    std::vector<LocalStep> steps;
    Fence fence = this_round;
    bool alone = false;  // not to be compared with other rounds
    std::size_t unstarted = 0;
    std::size_t over = 0;  // so many moves from the first on are done, or wait for a fence
  };

  // Transfers that have to be complete at the same fence, in the order in which they started.
  struct Group {
    std::vector<Move*> moves;
    std::size_t done = 0;  // so many from the first on are
  };

  void take(const Round& round);
  static bool goes_with_a_receive(const LocalStep& step, const Round& of, const Pending& round);
  Move& new_move(const Transfer& transfer);
  static void join_block(std::span<Move* const> moves);
  int start_what_may();
  int start(Pending& round, Move& move);
  [[nodiscard]] bool may_start_ahead(std::size_t index, const Move& move) const;
  bool fence_is_reached(Fence fence);
  bool is_over(Group& group);
  bool first_is_over();
  int retire_first();

  [[nodiscard]] Pending& pending(std::size_t i) noexcept {
    return window_[(first_ + i) % window_.size()];
  }
  [[nodiscard]] const Pending& pending(std::size_t i) const noexcept {
    return window_[(first_ + i) % window_.size()];
  }
  Group& group_of(Fence due);

  Channel channel_;
  Discipline discipline_ = Discipline::early;
  Rounds rounds_;
  Transport* transport_ = nullptr;
  bool more_ = false;
  std::size_t ahead_ = 1;

  std::array<Pending, window_size> window_;
  std::size_t first_ = 0;
  std::size_t taken_ = 0;
  std::vector<Group> groups_;  // by fence; that of the end is the first
  std::size_t deferred_ = 0;   // moves in all groups that are not done
  bool several_groups_ = false;

  std::deque<Move> moves_;  // all that there ever were
  std::vector<Move*> free_;
};

}  // namespace roundelay::mpi
