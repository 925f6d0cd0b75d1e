// SPDX-License-Identifier: Apache-2.0
#include "interpret/rehearsal.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

namespace {

using Number = std::uint64_t;

// Well mixed, and the same everywhere.
Number splitmix64(Number x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// What a rank contributes to a unit.
Number contribution(int rank, Units unit) {
  return splitmix64(splitmix64(static_cast<Number>(rank) + 1) + static_cast<Number>(unit));
}

Number combined(Number lower, Number higher, bool commutative) {
  if (commutative) return lower + higher;
  // Composition of x -> a x + b, where a is the upper half of the number and b the lower.
  const Number a = lower >> 32;
  const Number b = lower & 0xFFFFFFFFU;
  return (a * (higher >> 32)) << 32 | ((a * (higher & 0xFFFFFFFFU) + b) & 0xFFFFFFFFU);
}

class Stage {
 public:
  Stage(const Call& call, const Schedules& schedules, DeliveryTime delivery)
      : call_(call), delivery_(delivery), lockstep_(*this, call.of().ranks(), schedules) {
    memory_.resize(static_cast<std::size_t>(call.of().ranks()));
    for (int rank = 0; rank < call.of().ranks(); ++rank) {
      for (const Space space : {Space::input, Space::output, Space::scratch}) {
        std::vector<Number>& units = at(rank, space);
        units.resize(static_cast<std::size_t>(call.size(rank, space)));
        // What is not given is noise, no two units alike.
        for (std::size_t i = 0; i < units.size(); ++i)
          units[i] = splitmix64(
              ~contribution(rank, static_cast<Units>(i * 3) + static_cast<Units>(space)));
      }
      const Space space = call.given(rank).space();
      for (const Run& run : call.given_runs(rank)) {
        Units unit = run.index;
        for (Number& number : inside(rank, {space, run.offset, run.length}))
          number = given_by(rank, unit++);
      }
      std::vector<Number>& kept = kept_.emplace_back(at(rank, Space::input));
      for (const Slice slice : call.left_alone(rank)) append(kept, inside(rank, slice));
    }
  }

  bool run() {
    try {
      lockstep_.run();
      lockstep_.require_end();
      for (int rank = 0; rank < call_.of().ranks(); ++rank) {
        if (!right(rank)) return false;
      }
    } catch (const Broken&) {
      return false;
    }
    return true;
  }

  // What Lockstep calls.

  void posted(int /*rank*/, int /*round*/, const Round& /*posted*/) {}

  void matched(const Posted& send, const Posted& receive) {
    if (send.transfer->kind != receive.transfer->kind ||
        send.transfer->data.length() != receive.transfer->data.length()) {
      throw Broken(receive.rank, receive.round,
                   describe(*receive.transfer) + " is of another length");
    }
    Flight& flight = flights_.emplace_back(Flight{send, receive, {}});
    const bool late = delivery_ == DeliveryTime::at_the_last_moment;
    if (!late || send.deferred == nullptr) leave(flight);
    if (!late || receive.deferred == nullptr) {
      enter(flight);
      flights_.pop_back();
    }
    lockstep_.complete(send, receive);
  }

  void arrived(int rank, int /*round*/, const Round& arrived) {
    for (const LocalStep* step : arrived.steps) {
      const std::span<Number> from = inside(rank, step->from);
      const std::span<Number> into = inside(rank, step->into);
      for (std::size_t i = 0; i < std::min(from.size(), into.size()); ++i) {
        into[i] = step->kind == LocalStep::Kind::copy
                      ? from[i]
                      : combined(from[i], into[i], call_.of().commutative);
      }
    }
    lockstep_.ready(rank);
  }

  void landed(int /*rank*/, const Transfer& deferred) {
    for (auto flight = flights_.begin(); flight != flights_.end(); ++flight) {
      if (flight->send.transfer == &deferred) leave(*flight);
      if (flight->receive.transfer != &deferred) continue;
      enter(*flight);
      flights_.erase(flight);
      return;
    }
  }

 private:
  struct Flight {
    Posted send;
    Posted receive;
    std::optional<std::vector<Number>> data;
  };

  std::vector<Number>& at(int rank, Space space) {
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(space)];
  }

  std::span<Number> inside(int rank, Slice slice) {
    std::vector<Number>& units = at(rank, slice.space());
    if (slice.offset() < 0 || slice.length() < 0 ||
        slice.end() > static_cast<Units>(units.size())) {
      throw Broken("a slice is not inside its space");
    }
    return std::span(units).subspan(static_cast<std::size_t>(slice.offset()),
                                    static_cast<std::size_t>(slice.length()));
  }

  void leave(Flight& flight) {
    if (flight.data) return;
    flight.data.emplace();
    for (const Slice& slice : flight.send.transfer->data) {
      const std::span<Number> units = inside(flight.send.rank, slice);
      flight.data->insert(flight.data->end(), units.begin(), units.end());
    }
  }

  void enter(Flight& flight) {
    leave(flight);
    auto next = flight.data->cbegin();
    for (const Slice& slice : flight.receive.transfer->data) {
      const std::span<Number> units = inside(flight.receive.rank, slice);
      std::copy_n(next, units.size(), units.begin());
      next += static_cast<std::ptrdiff_t>(units.size());
    }
  }

  // Where data is only moved, whose it is shows in the unit.
  Number given_by(int rank, Units unit) const {
    return contribution(reduces(call_.collective()) ? rank : 0, unit);
  }

  Number defined(int rank, Units unit) const {
    if (!reduces(call_.collective())) return given_by(rank, unit);
    const RankRange all = call_.contributors(rank);
    Number result = given_by(all.first + all.count - 1, unit);
    for (int from = all.first + all.count - 1; from-- > all.first;) {
      result = combined(given_by(from, unit), result, call_.of().commutative);
    }
    return result;
  }

  static void append(std::vector<Number>& all, std::span<const Number> more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  bool right(int rank) {
    std::vector<Number> kept = at(rank, Space::input);
    for (const Slice slice : call_.left_alone(rank)) append(kept, inside(rank, slice));
    if (kept != kept_[static_cast<std::size_t>(rank)]) return false;
    const Space space = call_.wanted(rank).space();
    return std::ranges::all_of(call_.wanted_runs(rank), [&](const Run& run) {
      Units unit = run.index;
      return std::ranges::all_of(inside(rank, {space, run.offset, run.length}),
                                 [&](Number number) { return number == defined(rank, unit++); });
    });
  }

  const Call& call_;
  DeliveryTime delivery_;
  std::vector<std::array<std::vector<Number>, 3>> memory_;
  std::vector<std::vector<Number>> kept_;  // what must not change, as it was before
  std::list<Flight> flights_;              // whose data has not arrived
  Lockstep<Stage> lockstep_;
};

}  // namespace

bool rehearse(const Call& call, const Schedules& schedules, DeliveryTime delivery) {
  return Stage(call, schedules, delivery).run();
}

}  // namespace roundelay::interpret
