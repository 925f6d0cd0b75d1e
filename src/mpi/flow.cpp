// SPDX-License-Identifier: Apache-2.0
#include "mpi/flow.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace roundelay::mpi {

namespace {

bool overlap(std::span<const Slice> some, Slice one) noexcept {
  return std::ranges::any_of(some, [one](Slice slice) { return slice.overlaps(one); });
}

// Whether the two must not be in flight together.
bool conflict(const Transfer& a, const Transfer& b) noexcept {
  if (a.sends() && b.sends()) return false;
  return std::ranges::any_of(a.data, [&](Slice slice) { return overlap(b.data.view(), slice); });
}

bool conflict(const Transfer& transfer, const LocalStep& step) noexcept {
  return overlap(transfer.data.view(), step.into) ||
         (!transfer.sends() && overlap(transfer.data.view(), step.from));
}

bool conflict(const LocalStep& a, const LocalStep& b) noexcept {
  return a.into.overlaps(b.into) || a.into.overlaps(b.from) || a.from.overlaps(b.into);
}

// The same of transfers with what they carry.
bool conflict(const TransferUnderWay& a, const TransferUnderWay& b) noexcept {
  return conflict(a.transfer, b.transfer) ||
         (a.combine.has_value() && conflict(b.transfer, *a.combine)) ||
         (b.combine.has_value() && conflict(a.transfer, *b.combine)) ||
         (a.combine.has_value() && b.combine.has_value() && conflict(*a.combine, *b.combine));
}

bool conflict(const TransferUnderWay& one, const LocalStep& step) noexcept {
  return conflict(one.transfer, step) || (one.combine.has_value() && conflict(*one.combine, step));
}

bool between_the_same(const Transfer& a, const Transfer& b) noexcept {
  return a.peer == b.peer && a.direction == b.direction;
}

}  // namespace

void Flow::begin(Rounds rounds, bool more, Transport& transport, Discipline discipline) {
  rounds_ = rounds;
  more_ = more;
  transport_ = &transport;
  const bool paced = discipline == Discipline::paced;
  discipline_ = discipline;
  ahead_ = paced ? 1 : window_.size();
}

int Flow::advance() {
  while (true) {
    while (more_ && taken_ < ahead_) {
      take(rounds_.round());
      if (const int error = start_what_may(); error != 0) return error;
      more_ = rounds_.next();
    }
    if (taken_ == 0) {
      fence_is_reached(at_the_end);
      return 0;
    }
    if (!first_is_over()) return start_what_may();
    if (const int error = retire_first(); error != 0) return error;
    if (const int error = start_what_may(); error != 0) return error;
  }
}

bool Flow::add_awaited(std::vector<TransferUnderWay*>& awaited, std::size_t room) {
  const auto add = [&](const std::vector<Move*>& moves, std::size_t from, bool deferred) {
    for (; from < moves.size() && room > 0; ++from, --room) {
      Move* move = moves[from];
      if (!move->done && move->waits_for_fence() == deferred) awaited.push_back(move);
    }
  };
  const Fence fence = taken_ > 0 ? pending(0).fence : at_the_end;
  if (fence != this_round) {
    const Group& group = group_of(fence);
    add(group.moves, group.done, true);
    return true;
  }
  if (pending(0).alone) {
    add(pending(0).moves, pending(0).over, false);
    return true;
  }
  for (std::size_t i = 0; i < taken_ && !pending(i).alone; ++i) {
    for (Move* move : pending(i).moves) {
      if (move->started && !move->done && !move->waits_for_fence()) awaited.push_back(move);
    }
  }
  return taken_ == 1;
}

void Flow::end() noexcept {
  if (free_.size() < moves_.size()) {  // not if all went well
    free_.clear();
    for (Move& move : moves_) free_.push_back(&move);  // there is room
    for (Group& group : groups_) {
      group.moves.clear();
      group.done = 0;
    }
  }
  taken_ = 0;
  deferred_ = 0;
  several_groups_ = false;
  more_ = false;
}

// The round may be the schedule's until it goes on: copy it.
void Flow::take(const Round& round) {
  Pending& copy = pending(taken_++);
  copy.fence = round.fence;
  copy.over = 0;
  copy.steps.clear();
  copy.moves.clear();
  copy.alone = round.steps.size() > most_compared;
  for (const Transfer* transfer : round.transfers) {
    if (!transfer->happens()) continue;
    copy.moves.push_back(&new_move(*transfer));
    if (transfer->exposed() && transfer->sends()) join_block(copy.moves);
    copy.alone = copy.alone || transfer->data.size() > most_compared;
  }
  copy.unstarted = copy.moves.size();
  copy.alone = copy.alone || copy.moves.size() > most_compared;
  for (const LocalStep* step : round.steps) {
    if (!goes_with_a_receive(*step, round, copy)) copy.steps.push_back(*step);
  }
}

// The last move is an exposure.
void Flow::join_block(std::span<Move* const> moves) {
  Move& last = *moves.back();
  const auto is_with_it = [&last](const Move* other) {
    return one_block(other->transfer, last.transfer);
  };
  last.first_of_block = *std::ranges::find_if(moves, is_with_it);
  ++last.first_of_block->readers;
}

// Gives it to the receive, which is not under way yet.
bool Flow::goes_with_a_receive(const LocalStep& step, const Round& of, const Pending& round) {
  const Transfer* const spent = round.alone ? nullptr : spent_by(step, of);
  if (spent == nullptr) return false;
  Move* receive = nullptr;
  for (Move* move : round.moves) {
    const Transfer& transfer = move->transfer;
    if (receive == nullptr && !transfer.sends() && !move->waits_for_fence() &&
        transfer.peer == spent->peer && transfer.data.size() == 1 &&
        *transfer.data.begin() == step.from) {
      receive = move;
    } else if (conflict(*move, step)) {
      return false;
    }
  }
  const auto comes_before = [&step](const LocalStep& other) { return conflict(other, step); };
  if (receive == nullptr || step.from.overlaps(step.into) ||
      std::ranges::any_of(round.steps, comes_before)) {
    return false;
  }
  receive->combine = step;
  return true;
}

Flow::Move& Flow::new_move(const Transfer& transfer) {
  if (free_.empty()) {
    // Room for all of them, so that giving one back cannot fail.
    if (free_.capacity() <= moves_.size()) free_.reserve(2 * moves_.size() + most_compared);
    free_.push_back(&moves_.emplace_back());
  }
  Move& move = *free_.back();
  free_.pop_back();
  move.transfer = transfer;
  move.combine.reset();
  move.first_of_block = nullptr;
  move.readers = 0;
  move.started = move.done = false;
  if (const auto slices = transfer.data.view(); slices.size() > 2 && rounds_.pass()) {
    move.kept.assign(slices.begin(), slices.end());
    move.transfer.data = Slices(move.kept, transfer.data.length());
  }
  return move;
}

int Flow::start_what_may() {
  for (std::size_t i = 0; i < taken_; ++i) {
    Pending& round = pending(i);
    if (i == 0) {
      if (!fence_is_reached(round.fence)) return 0;
      round.fence = this_round;
    } else if (round.fence != this_round || round.alone) {
      return 0;
    }
    // Receives first: what arrives then has a place to go.
    for (const bool sends : {false, true}) {
      for (std::size_t k = 0; round.unstarted > 0 && k < round.moves.size(); ++k) {
        Move& move = *round.moves[k];
        if (move.started || move.transfer.sends() != sends) continue;
        // In the first round nothing is in the way of anything.
        if (i > 0 && !may_start_ahead(i, move)) continue;
        if (const int error = start(round, move); error != 0) return error;
      }
    }
    if (round.alone) return 0;
  }
  return 0;
}

int Flow::start(Pending& round, Move& move) {
  if (move.waits_for_fence()) {
    group_of(move.transfer.due).moves.push_back(&move);
    ++deferred_;
    several_groups_ = several_groups_ || move.transfer.due != at_the_end;
  }
  if (const int error = transport_->start(move, channel_, discipline_); error != 0) return error;
  move.started = true;
  --round.unstarted;
  return 0;
}

bool Flow::may_start_ahead(std::size_t index, const Move& move) const {
  // A token says that all before it is over.
  if (move.transfer.token() && move.transfer.sends()) return false;
  const auto comes_first = [&move](const Move* other) {
    return !other->started && between_the_same(move.transfer, other->transfer);
  };
  for (std::size_t i = 0; i < index; ++i) {
    const Pending& before = pending(i);
    for (const Move* other : before.moves) {
      if (comes_first(other)) return false;
      const bool in_the_way = !other->done && !other->waits_for_fence();
      if (in_the_way && conflict(move, *other)) return false;
    }
    for (const LocalStep& step : before.steps) {
      if (conflict(move, step)) return false;
    }
  }
  // Within a round only the order between the same two ranks counts.
  for (const Move* other : pending(index).moves) {
    if (other == &move) break;
    if (comes_first(other)) return false;
  }
  return true;
}

Flow::Group& Flow::group_of(Fence due) {
  const auto index = static_cast<std::size_t>(due == at_the_end ? 0 : due);
  if (groups_.size() <= index) groups_.resize(index + 1);
  return groups_[index];
}

bool Flow::fence_is_reached(Fence fence) {
  if (fence == this_round || deferred_ == 0) return true;
  if (fence == at_the_end && std::exchange(several_groups_, false)) {
    // All of them are one now.
    Group& all = group_of(at_the_end);
    for (Group& group : std::span(groups_).subspan(1)) {
      const auto left = group.moves.begin() + static_cast<std::ptrdiff_t>(group.done);
      all.moves.insert(all.moves.end(), left, group.moves.end());
      free_.insert(free_.end(), group.moves.begin(), left);
      group.moves.clear();
      group.done = 0;
    }
  }
  return is_over(group_of(fence));
}

bool Flow::is_over(Group& group) {
  auto& [moves, done] = group;
  for (; done < moves.size() && moves[done]->done; ++done) --deferred_;
  if (done < moves.size()) return false;
  for (Move* move : moves) free_.push_back(move);
  moves.clear();
  done = 0;
  return true;
}

bool Flow::first_is_over() {
  Pending& first = pending(0);
  if (!fence_is_reached(first.fence)) return false;
  for (; first.over < first.moves.size(); ++first.over) {
    const Move& move = *first.moves[first.over];
    if (!move.done && !(move.started && move.waits_for_fence())) return false;
  }
  return true;
}

int Flow::retire_first() {
  const Pending& first = pending(0);
  first_ = (first_ + 1) % window_.size();
  --taken_;
  for (Move* move : first.moves) {
    if (!move->waits_for_fence()) free_.push_back(move);
  }
  for (const LocalStep& step : first.steps) {
    if (const int error = transport_->step(step, channel_); error != 0) return error;
  }
  return 0;
}

}  // namespace roundelay::mpi
