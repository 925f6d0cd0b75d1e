// SPDX-License-Identifier: Apache-2.0
// EventLoop: a run in Lockstep by a clock. A flight lands, or a rank has done the steps of a round:
// in the order of their times, and of two at one time the one that was added first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>

namespace roundelay::interpret {

class EventLoop {
 public:
  void add_landing(double time, std::size_t flight) {
    events_.push({time, next_++, static_cast<std::int64_t>(flight), 0});
  }
  void add_steps_done(double time, int rank) { events_.push({time, next_++, steps_done, rank}); }

  // When the event is that is being dealt with, or was the last.
  [[nodiscard]] double now() const noexcept { return now_; }

  // Until nothing happens any more; false: that takes more than `most`. `land`: deals with a
  // flight.
  template <typename Lockstep, typename Land>
  bool run(Lockstep& lockstep, double most, const Land& land) {
    lockstep.run();
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      if (now_ > most) return false;
      if (event.flight == steps_done) {
        lockstep.ready(event.rank);
      } else {
        land(static_cast<std::size_t>(event.flight));
      }
      lockstep.run();
    }
    lockstep.require_end();
    return true;
  }

 private:
  static constexpr std::int64_t steps_done = -1;

  struct Event {
    double time;
    std::uint64_t number;
    std::int64_t flight;  // that lands, or steps_done
    int rank;

    bool operator<(const Event& other) const {
      return time > other.time || (time == other.time && number > other.number);
    }
  };

  std::priority_queue<Event> events_;
  std::uint64_t next_ = 0;
  double now_ = 0;
};

}  // namespace roundelay::interpret
