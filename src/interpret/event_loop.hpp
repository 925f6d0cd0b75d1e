// SPDX-License-Identifier: Apache-2.0
// EventQueue: events by their times; of two at one time, the one that was added first.
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace roundelay::interpret {

template <typename What>
class EventQueue {
 public:
  void add(double time, What what) { events_.push({time, next_++, std::move(what)}); }
  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }
  // The next event and its time.
  std::pair<double, What> take() {
    Event event = events_.top();
    events_.pop();
    return {event.time, std::move(event.what)};
  }

 private:
  struct Event {
    double time;
    std::uint64_t number;
    What what;

    bool operator<(const Event& other) const {
      return std::tie(time, number) > std::tie(other.time, other.number);
    }
  };

  std::priority_queue<Event> events_;
  std::uint64_t next_ = 0;
};

}  // namespace roundelay::interpret
