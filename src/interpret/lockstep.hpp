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
//   bool leaves_at_once(const Transfer& send)    if it has that: its sender does not wait for it
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

// A deferred transfer outlives its round, so it is kept with its slices.
struct Deferred {
  Transfer transfer;
  std::vector<Slice> slices;
  int round = 0;
  bool complete = false;
  bool left = false;  // its sender waits for it no more

  Deferred(const Transfer& of, int its_round)
      : transfer(of), slices(of.data.begin(), of.data.end()), round(its_round) {
    transfer.data = Slices(slices, of.data.length());
  }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;
  ~Deferred() = default;

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
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] bool is_deferred(const Transfer& transfer) const {
    if constexpr (requires { world_.leaves_at_once(transfer); }) {
      if (world_.leaves_at_once(transfer)) return true;
    }
    return transfer.due != this_round;
  }

  // On its way to the next round, or past the fence before it.
  void advance(int rank) {
    Rank& me = at(rank);
    if (me.phase == Phase::stepping) {
      ++me.round;
      me.over = !next(rank);
      if (!due_complete(me)) {
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

  static bool due_complete(const Rank& me) {
    return std::ranges::all_of(me.deferred,
                               [&](const Deferred& it) { return it.complete || !due(me, it); });
  }

  void land(int rank) {
    Rank& me = at(rank);
    for (auto it = me.deferred.begin(); it != me.deferred.end();) {
      if (due(me, *it) || (it->left && it->complete)) {
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
      me.open += is_deferred(*transfer) ? 0 : 1;
    }
    world_.posted(rank, me.round, round);
    for (const Transfer* transfer : round.transfers) {
      if (!transfer->happens()) continue;
      Posted mine{transfer, nullptr, rank, me.round, me.posted++};
      if (is_deferred(*transfer)) {
        mine.deferred = &me.deferred.emplace_back(*transfer, me.round);
        if (transfer->due == this_round) {
          mine.deferred->transfer.due = at_the_end;
          mine.deferred->left = true;
        }
        mine.transfer = &mine.deferred->transfer;
      }
      match(mine);
    }
    me.phase = Phase::in_flight;
    if (me.open == 0) arrive(rank);
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
      if (me.phase == Phase::fenced && due_complete(me)) {
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
};

}  // namespace roundelay::interpret
