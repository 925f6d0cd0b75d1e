// SPDX-License-Identifier: Apache-2.0
#include "interpret/timeline.hpp"

#include <algorithm>

namespace roundelay::interpret {

namespace {

bool is_alone(const Round& round) {
  return round.transfers.size() > most_compared || round.steps.size() > most_compared ||
         std::ranges::any_of(round.transfers,
                             [](const Transfer* it) { return it->data.size() > most_compared; });
}

}  // namespace

Clock Timeline::may_start(const Transfer& transfer, bool alone) const {
  const Clock before = later(at_least_, ended_[place(rounds_ - 1)]);
  // A token says that the rounds before are over.
  if (link_.paced || alone || unsteady_.waits() || transfer.token()) return before;
  Clock start = later(at_least_, ended_[place(rounds_)]);  // of rounds_in_flight rounds ago
  for (int ago = 1; ago < static_cast<int>(rounds_in_flight) && ago <= rounds_; ++ago) {
    const Past& past = past_[place(rounds_ - ago)];
    if (past.alone) return later(start, before);
    for (const Touch& touch : past.touched) {
      if (!touch.writes && transfer.sends()) continue;
      const auto overlaps = [&](Slice slice) { return slice.overlaps(touch.slice); };
      if (!std::ranges::any_of(transfer.data, overlaps)) continue;
      start = later(start, touch.by_step ? ended_[place(rounds_ - ago)] : touch.over);
    }
  }
  return start;
}

Clock Timeline::due(Fence fence) const {
  Clock latest;
  if (fence == at_the_end) {
    for (const Clock& clock : due_) latest = later(latest, clock);
  } else if (const auto index = static_cast<std::size_t>(fence); index < due_.size()) {
    latest = due_[index];
  }
  return latest;
}

void Timeline::wait_for(Fence fence) {
  if (fence == this_round) return;
  at_least_ = later(at_least_, later(ended_[place(rounds_ - 1)], due(fence)));
}

// The link is busy for so many units more.
void Timeline::delay(double units) {
  if (units <= 0) return;
  sending_ = sending_.after(link_.byte * units);
  receiving_ = receiving_.after(link_.byte * units);
}

void Timeline::begin(const Round& round) {
  wait_for(round.fence);
  delay(unsteady_.next(round, link_.unsteady));
  const bool alone = is_alone(round);
  Past& past = past_[place(rounds_)];
  first_ = moving_.size();
  open_ = later(at_least_, ended_[place(rounds_ - 1)]);
  std::vector<Touch> touched = std::move(past.touched);
  touched.clear();
  for (std::size_t i = 0; i < round.transfers.size(); ++i) {
    const Transfer& transfer = *round.transfers[i];
    if (!transfer.happens()) continue;
    if (!alone && transfer.due == this_round && !link_.paced) {
      for (const Slice slice : transfer.data) {
        touched.push_back({slice, !transfer.sends(), false, {}, moving_.size()});
      }
    }
    moving_.push_back({may_start(transfer, alone), unsteady_.extra(i), transfer.due});
  }
  past.alone = alone;
  past.touched = std::move(touched);
}

void Timeline::end(const Round& round) {
  Past& past = past_[place(rounds_)];
  double combined = 0;
  for (const LocalStep* step : round.steps) {
    if (step->kind == LocalStep::Kind::combine || link_.moved_by_ranks) {
      combined += static_cast<double>(step->into.length());
    }
    if (past.alone || link_.paced) continue;
    past.touched.push_back({step->from, false, true, {}, 0});
    past.touched.push_back({step->into, true, true, {}, 0});
  }
  const double combining = link_.combined_byte * combined;
  ended_[place(rounds_)] = open_.after(combining);
  if (link_.moved_by_ranks && combining > 0) {
    sending_ = later(sending_, open_).after(combining);
    receiving_ = later(receiving_, open_).after(combining);
    ended_[place(rounds_)] = receiving_;
  }
  ++rounds_;
}

Clock Timeline::finish() {
  const double more = link_.byte * unsteady_.last(link_.unsteady);
  return later(now(), due(at_the_end)).after(more);
}

Timeline::Occupied Timeline::occupied(Units units, double factor, double gaps) const noexcept {
  const double bytes = link_.byte * factor * static_cast<double>(units);
  return {bytes, std::max(0.0, gaps * link_.gap - bytes)};
}

// Returns when its first byte arrives.
Clock Timeline::leaves(Clock ready, Occupied by, double startup) {
  const Clock left = later(ready, sending_);
  sending_ = left.after(by.bytes + by.idle, by.idle);
  return left.after(startup, startup);
}

Clock Timeline::arrives(Clock first_byte, Occupied by) {
  const Clock begins = later(first_byte, receiving_);
  receiving_ = begins.after(by.bytes + by.idle, by.idle);
  return begins.after(by.bytes);
}

void Timeline::over(std::size_t transfer, Clock when) {
  const Fence fence = moving_[transfer].due;
  if (fence == this_round) {
    open_ = later(open_, when);
    for (Touch& touch : past_[place(rounds_)].touched) {
      if (!touch.by_step && touch.transfer == transfer) touch.over = when;
    }
    return;
  }
  const std::size_t index = fence == at_the_end ? 0 : static_cast<std::size_t>(fence);
  if (due_.size() <= index) due_.resize(index + 1);
  due_[index] = later(due_[index], when);
}

Clock Timeline::pass(Timeline& from, std::size_t send, Timeline& to, std::size_t receive,
                     Units units, Slowdown slowdown) {
  const Moving& sent = from.moving_[send];
  const Moving& received = to.moving_[receive];
  const Link& link = from.link_;
  const bool beside = sent.extra.beside && (received.extra.beside || received.extra.others_open);
  const double factor = slowdown.byte + std::max(sent.extra.paired, received.extra.paired) +
                        (beside ? link.unsteady.queueing - 1 : 0);
  const Occupied by = from.occupied(units, factor, beside ? 2 : 1);
  Clock ready = sent.ready;
  if (link.paced || static_cast<double>(units) > link.eager) ready = later(ready, received.ready);
  if (link.paced) ready = later(ready, to.receiving_);
  const Clock left = later(ready, from.sending_);
  const Clock first_byte = from.leaves(ready, by, from.startup_of(sent, slowdown));
  const Clock arrived = later(to.arrives(first_byte, by), received.ready);
  if (link.paced) from.sending_ = to.receiving_ = arrived;
  to.over(receive, arrived);
  from.over(send, from.sending_);
  return left;
}

void Timeline::send_alone(std::size_t send, Units units, Slowdown slowdown) {
  const Moving& sent = moving_[send];
  const Clock first_byte = leaves(sent.ready, occupied(units, slowdown.byte + sent.extra.paired, 1),
                                  startup_of(sent, slowdown));
  if (link_.paced) {
    sending_ = first_byte.after(link_.byte * slowdown.byte * static_cast<double>(units));
  }
  over(send, sending_);
}

void Timeline::receive_alone(std::size_t receive, Units units, Slowdown slowdown) {
  const Moving& received = moving_[receive];
  const double startup = startup_of(received, slowdown);
  const Clock first_byte = received.ready.after(startup, startup);
  const Clock arrived =
      arrives(first_byte, occupied(units, slowdown.byte + received.extra.paired, 1));
  if (link_.paced) receiving_ = arrived;
  over(receive, arrived);
}

}  // namespace roundelay::interpret
