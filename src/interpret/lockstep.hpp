// SPDX-License-Identifier: Apache-2.0
// Lockstep: the schedules of all ranks of one collective, run together in one process.
//
// Between each two ranks messages match in the order in which they were posted. All transfers of a
// round are posted together; the round's steps follow when those that are not deferred are
// complete. A send is complete only when it was received, so whatever can deadlock does.
//
// What a transfer and a step do, and when, is the World's:
//
//   void posted(int rank, int round, const Round& round)   before anything of it is matched
//   void matched(const Posted& send, const Posted& receive)      calls complete(), now or later
//   void arrived(int rank, int round, const Round& round)        does the steps, then calls ready()
//   void landed(int rank, const Transfer& deferred)              at its fence or the end: complete
//   bool leaves_at_once(const Transfer& send)    if it has that: its round does not wait for it,
//                                                but the end does; it does not land
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "interpret/call.hpp"
#include "interpret/thrown.hpp"
#include "schedule/idle_rounds.hpp"
#include "schedule/schedule.hpp"

namespace roundelay::interpret {

// A schedule that cannot be run, or must not be: what() is a sentence that says where and why.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  Broken(int rank, int round, const std::string& what)
      : std::runtime_error("rank " + std::to_string(rank) + ", round " + std::to_string(round) +
                           ": " + what) {}
};

// E.g. "the send to rank 3".
inline std::string describe(const Transfer& transfer) {
  const char* const what =
      transfer.exposed() ? (transfer.sends() ? "the exposure to rank " : "the taking from rank ")
                         : (transfer.sends() ? "the send to rank " : "the receive from rank ");
  return what + std::to_string(transfer.peer);
}

// A transfer that outlives its round, so that it is kept with its slices: it is deferred, or left
// at once.
struct Deferred {
  Transfer transfer;
  std::vector<Slice> slices;
  bool left = false;  // its round did not wait for it
  bool complete = false;

  Deferred() = default;
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;
  ~Deferred() = default;

  void keep(const Transfer& of) {
    transfer = of;
    if (left) transfer.due = at_the_end;
    if (!of.data.are_elsewhere()) return;
    slices.assign(of.data.begin(), of.data.end());
    transfer.data = Slices(slices, of.data.length());
  }
  [[nodiscard]] bool due_at(Fence fence) const noexcept { return is_due(transfer.due, fence); }
};

struct Posted {
  const Transfer* transfer;
  Deferred* deferred;  // none: to be complete in its own round
  int rank;
  int round;
  std::size_t number;  // of those that the rank has posted
};

// Which of the ranks that may go on does: the one that was the last to be able to, or one after the
// other, so that all get about as far if the run is cut short.
enum class Turns : std::uint8_t { last_first, in_order };

template <typename World>
class Lockstep {
 public:
  Lockstep(World& world, int p, const Schedules& schedules, Turns turns = Turns::last_first)
      : world_(world), turns_(turns) {
    ranks_.reserve(static_cast<std::size_t>(p));
    for (int rank = 0; rank < p; ++rank) ranks_.emplace_back(schedules(rank));
    for (int i = 0; i < p; ++i) ready(turns == Turns::in_order ? i : p - 1 - i);
  }

  // The rank may go on to its next round.
  void ready(int rank) { ready_.push_back(rank); }

  // Runs as far as it goes without a transfer being completed from outside.
  void run() {
    while (!ready_.empty()) {
      const bool in_order = turns_ == Turns::in_order;
      const int rank = in_order ? ready_.front() : ready_.back();
      in_order ? ready_.pop_front() : ready_.pop_back();
      advance(rank);
    }
  }

  void complete(const Posted& send, const Posted& receive) {
    complete(send);
    complete(receive);
  }

  // Throws Broken unless every rank came to its end.
  void require_end() const {
    const auto is_stuck = [](const Rank& rank) { return rank.phase != Phase::ended; };
    const auto stuck = std::ranges::find_if(ranks_, is_stuck);
    if (stuck == ranks_.end()) return;
    // The first that waits for a transfer that is never matched: others may wait for its block.
    const auto cause = std::ranges::find_if(
        stuck, ranks_.end(), [](const Rank& rank) { return !rank.unmatched.empty(); });
    throw_stuck(static_cast<int>(cause - ranks_.begin()));
  }

 private:
  enum class Phase : std::uint8_t { fenced, passing, posting, in_flight, stepping, ended };

  struct Rank {
    explicit Rank(Schedule its) : schedule(std::move(its)) {}

    Schedule schedule;
    IdleRounds rounds;
    int round = -1;
    Phase phase = Phase::stepping;
    bool over = false;              // the schedule has no more rounds
    int open = 0;                   // transfers of this round that are not complete
    std::size_t posted = 0;         // transfers of all rounds
    std::vector<Posted> unmatched;  // in the order of posting
    std::list<Deferred> deferred;   // until their fence
    int leaving = 0;                // sends that left and are not complete
    int awaited = 0;                // of both, at the fence where the rank waits
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  // Whether it is complete for its rank as soon as it is posted.
  [[nodiscard]] bool leaves(const Transfer& transfer) const {
    if constexpr (requires { world_.leaves_at_once(transfer); }) {
      return transfer.due == this_round && world_.leaves_at_once(transfer);
    }
    return false;
  }

  // On its way to the next round, or past the fence before it.
  void advance(int rank) {
    Rank& me = at(rank);
    if (me.phase == Phase::stepping) {
      ++me.round;
      me.over = !next(rank);
      me.awaited = awaited(me);
      if (me.awaited > 0) {
        me.phase = Phase::fenced;
        return;
      }
    }
    land(rank);
    if (me.over) {
      me.phase = Phase::ended;
    } else {
      post(rank);
    }
  }

  // Whatever a schedule throws, it is the schedule that is wrong.
  bool next(int rank) {
    Rank& me = at(rank);
    try {
      return me.rounds.next(me.schedule);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Endless& endless) {
      throw Broken(rank, me.round, endless.what());
    } catch (...) {
      throw Broken(rank, me.round, "the schedule throws " + describe_thrown());
    }
  }

  static constexpr const char* fences_there_are = "but fences are 1, 2, .. 32767 and at_the_end";
  // Or none. A number that does not fit into a Fence is mostly negative here.
  static constexpr bool is_a_fence(Fence fence) noexcept { return fence >= at_the_end; }

  static bool due(const Rank& me, const Deferred& deferred) {
    return me.over || deferred.due_at(me.schedule.round().fence);
  }

  // A round at a fence, or the end.
  static bool awaits(const Rank& me) { return me.over || me.schedule.round().fence != this_round; }

  static int awaited(const Rank& me) {
    if (!awaits(me)) return 0;
    const auto of_deferred = std::ranges::count_if(
        me.deferred, [&](const Deferred& it) { return !it.complete && due(me, it); });
    const bool all_are_due = me.over || me.schedule.round().fence == at_the_end;
    return static_cast<int>(of_deferred) + (all_are_due ? me.leaving : 0);
  }

  void land(int rank) {
    Rank& me = at(rank);
    if (!awaits(me)) return;
    for (auto it = me.deferred.begin(); it != me.deferred.end();) {
      if (due(me, *it)) {
        world_.landed(rank, it->transfer);
        it = me.deferred.erase(it);
      } else {
        ++it;
      }
    }
  }

  void post(int rank) {
    Rank& me = at(rank);
    const Round& round = me.schedule.round();
    if (!is_a_fence(round.fence)) {
      throw Broken(rank, me.round,
                   "waits at fence " + std::to_string(round.fence) + ", " + fences_there_are);
    }
    me.phase = Phase::posting;
    me.open = 0;
    for (const Transfer* transfer : round.transfers) {
      if (!transfer->happens()) continue;
      if (transfer->peer < 0 || transfer->peer >= static_cast<int>(ranks_.size())) {
        throw Broken(rank, me.round, describe(*transfer) + ": there is no such rank");
      }
      if (!is_a_fence(transfer->due)) {
        throw Broken(rank, me.round,
                     describe(*transfer) + " is deferred to fence " +
                         std::to_string(transfer->due) + ", " + fences_there_are);
      }
      if (transfer->peer == rank) {
        throw Broken(rank, me.round, describe(*transfer) + ": a rank must not send to itself");
      }
      if (transfer->due == this_round && !leaves(*transfer)) ++me.open;
    }
    world_.posted(rank, me.round, round);
    for (const Transfer* transfer : round.transfers) {
      if (!transfer->happens()) continue;
      Posted mine{transfer, nullptr, rank, me.round, me.posted++};
      if (leaves(*transfer)) {
        mine.deferred = &place_of_one_that_leaves();
        ++me.leaving;
      } else if (transfer->due != this_round) {
        mine.deferred = &me.deferred.emplace_back();
      }
      if (mine.deferred != nullptr) {
        mine.deferred->keep(*transfer);
        mine.transfer = &mine.deferred->transfer;
      }
      match(mine);
    }
    me.phase = Phase::in_flight;
    if (me.open == 0) arrive(rank);
  }

  Deferred& place_of_one_that_leaves() {
    if (free_.empty()) {
      Deferred& added = left_.emplace_back();
      added.left = true;
      return added;
    }
    Deferred& place = *free_.back();
    free_.pop_back();
    return place;
  }

  void match(const Posted& mine) {
    const Transfer& transfer = *mine.transfer;
    std::vector<Posted>& theirs = at(transfer.peer).unmatched;
    for (auto it = theirs.begin(); it != theirs.end(); ++it) {
      if (it->transfer->peer != mine.rank || it->transfer->sends() == transfer.sends()) continue;
      const Posted other = *it;
      theirs.erase(it);
      if (transfer.sends()) {
        world_.matched(mine, other);
      } else {
        world_.matched(other, mine);
      }
      return;
    }
    at(mine.rank).unmatched.push_back(mine);
  }

  void complete(const Posted& one) {
    Rank& me = at(one.rank);
    if (one.deferred != nullptr) {
      one.deferred->complete = true;
      if (one.deferred->left) {
        --me.leaving;
        free_.push_back(one.deferred);
      }
      if (me.phase == Phase::fenced && due(me, *one.deferred) && --me.awaited == 0) {
        me.phase = Phase::passing;
        ready(one.rank);
      }
    } else if (--me.open == 0 && me.phase == Phase::in_flight) {
      arrive(one.rank);
    }
  }

  void arrive(int rank) {
    Rank& me = at(rank);
    me.phase = Phase::stepping;
    world_.arrived(rank, me.round, me.schedule.round());
  }

  [[noreturn]] void throw_stuck(int rank) const {
    const Rank& me = ranks_[static_cast<std::size_t>(rank)];
    const Posted& first = me.unmatched.front();
    const Rank& peer = ranks_[static_cast<std::size_t>(first.transfer->peer)];
    throw Broken(
        rank, first.round,
        describe(*first.transfer) + " is never matched: rank " +
            std::to_string(first.transfer->peer) +
            (peer.phase == Phase::ended ? " has ended"
                                        : " waits in its round " + std::to_string(peer.round)));
  }

  World& world_;
  Turns turns_;
  std::vector<Rank> ranks_;
  std::deque<int> ready_;
  std::deque<Deferred> left_;    // what left, of all ranks
  std::vector<Deferred*> free_;  // of these, places of what is complete
};

}  // namespace roundelay::interpret
