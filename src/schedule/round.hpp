// SPDX-License-Identifier: Apache-2.0
// One communication round of one rank: transfers that may all be in flight together, then local
// steps.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule/slice.hpp"

namespace roundelay {

// By when a transfer must be complete: at the end of its own round (the rule), at a fence of that
// number (1, 2, ..), or only when the schedule ends. Small, so that the head of a transfer is two
// stores and a transfer of two slices one cache line.
using Fence = std::int16_t;
inline constexpr Fence this_round = 0;
inline constexpr Fence at_the_end = -1;

// So many rounds of a rank may be in flight at once, as far as nothing of one is in the way of
// another (mpi::Flow).
inline constexpr std::size_t rounds_in_flight = 4;
// A round with more transfers or steps than these, or with a message of more slices, is not
// compared with others, so that it runs alone.
inline constexpr std::size_t most_compared = 16;

// Whether a transfer that is due by `due` has to be complete at `fence`.
constexpr bool is_due(Fence due, Fence fence) noexcept {
  return due == fence || (fence == at_the_end && due != this_round);
}

struct Transfer {
  enum class Direction : std::uint8_t { send, receive };
  // data:    does not happen if its slices are empty; both sides know the length.
  // always:  happens even if its slices are empty. The receiver may have more room than is sent.
  // token:   has no data; says that the sender has completed every round before this one.
  // exposed: as data, but the sends of a round that are of the same slice and due at the same time
  //          are one block: where ranks share memory, it holds one copy for all who take it. No
  //          transfer of a block need be complete before all of them have been posted.
  enum class Kind : std::uint8_t { data, always, token, exposed };

  Direction direction = Direction::send;
  Kind kind = Kind::data;
  Fence due = this_round;
  int peer = 0;  // a rank of the communicator
  Slices data;

  [[nodiscard]] bool happens() const noexcept {
    return kind == Kind::always || kind == Kind::token || !data.empty();
  }
  [[nodiscard]] bool token() const noexcept { return kind == Kind::token; }
  [[nodiscard]] bool exposed() const noexcept { return kind == Kind::exposed; }
  [[nodiscard]] bool sends() const noexcept { return direction == Direction::send; }
};

// Whether two sends of a round are of one exposed block.
inline bool one_block(const Transfer& a, const Transfer& b) noexcept {
  return a.exposed() && b.exposed() && a.sends() && b.sends() && a.due == b.due &&
         *a.data.begin() == *b.data.begin();
}

struct LocalStep {
  // copy:    into := from
  // combine: into := from op into, where `from` holds the contributions of lower ranks. Of the same
  //          bits on every rank that combines the same operands, because the order is theirs.
  enum class Kind : std::uint8_t { copy, combine };

  Kind kind = Kind::copy;
  Slice from;
  Slice into;
};

// What a schedule yields. A view: it refers to memory in the schedule's frame and is valid until
// the schedule is resumed.
struct Round {
  std::span<const Transfer* const> transfers;
  std::span<const LocalStep* const> steps;
  // Transfers deferred to this fence have to be complete before anything of this round starts; 0:
  // none; at_the_end: all transfers.
  Fence fence = this_round;
};

// The receive whose data this combine consumes. It fills exactly the scratch slice `step.from`, and
// no other step of the round touches that slice. So a transport may combine the data when it
// arrives and need not store it.
inline const Transfer* spent_by(const LocalStep& step, const Round& round) noexcept {
  if (step.kind != LocalStep::Kind::combine || step.from.empty() ||
      step.from.space() != Space::scratch) {
    return nullptr;
  }
  const auto arrives_alone = [&step](const Transfer* transfer) {
    return !transfer->sends() && transfer->due == this_round && transfer->data.size() == 1 &&
           *transfer->data.begin() == step.from;
  };
  const auto touches = [&step](const LocalStep* other) {
    return other->from.overlaps(step.from) || other->into.overlaps(step.from);
  };
  const auto receive = std::ranges::find_if(round.transfers, arrives_alone);
  if (receive == round.transfers.end() || std::ranges::count_if(round.steps, touches) != 1) {
    return nullptr;
  }
  return *receive;
}

// By value: a slice stays in registers on its way into the round (a copy through memory stalls).
inline Transfer send(Slice data, int to) noexcept {
  return {Transfer::Direction::send, Transfer::Kind::data, this_round, to, data};
}
inline Transfer recv(Slice data, int from) noexcept {
  return {Transfer::Direction::receive, Transfer::Kind::data, this_round, from, data};
}
inline Transfer send(const Slices& data, int to) noexcept {
  return {Transfer::Direction::send, Transfer::Kind::data, this_round, to, data};
}
inline Transfer recv(const Slices& data, int from) noexcept {
  return {Transfer::Direction::receive, Transfer::Kind::data, this_round, from, data};
}
inline Transfer send_token(int to) {
  return {Transfer::Direction::send, Transfer::Kind::token, this_round, to, {}};
}
inline Transfer recv_token(int from) {
  return {Transfer::Direction::receive, Transfer::Kind::token, this_round, from, {}};
}
// One of the readers of a block that this rank exposes in a round; and what a reader does.
inline Transfer expose(Slice block, int to) noexcept {
  return {Transfer::Direction::send, Transfer::Kind::exposed, this_round, to, block};
}
inline Transfer take(Slice into, int from) noexcept {
  return {Transfer::Direction::receive, Transfer::Kind::exposed, this_round, from, into};
}
// The same transfer, which happens even if it has no data.
inline Transfer always(Transfer transfer) {
  transfer.kind = Transfer::Kind::always;
  return transfer;
}
// The same transfer, to be complete only at `fence`.
inline Transfer deferred(Transfer transfer, Fence fence = at_the_end) {
  transfer.due = fence;
  return transfer;
}
inline LocalStep copy(Slice from, Slice into) {
  assert(from.length() == into.length());
  return {LocalStep::Kind::copy, from, into};
}
inline LocalStep combine(Slice lower, Slice higher) {
  assert(lower.length() == higher.length());
  return {LocalStep::Kind::combine, lower, higher};
}

// A round whose number of transfers and steps is known where it is written. It refers to them: they
// are temporaries of the co_yield and live as long as the round does.
template <std::size_t transfer_count, std::size_t step_count>
struct FixedRound {
  std::array<const Transfer*, transfer_count> transfers;
  std::array<const LocalStep*, step_count> steps;

  [[nodiscard]] Round view() const noexcept { return {transfers, steps, this_round}; }
};

// co_yield round(send(..), recv(..), combine(..)): transfers first, then steps in their order.
template <typename... Parts>
[[nodiscard]] auto round(const Parts&... parts) noexcept {
  constexpr std::size_t transfers =
      (std::size_t{0} + ... + std::size_t{std::same_as<Parts, Transfer>});
  constexpr std::size_t steps = sizeof...(Parts) - transfers;
  const auto all = std::tie(parts...);
  return [&all]<std::size_t... t, std::size_t... s>(std::index_sequence<t...>,
                                                    std::index_sequence<s...>) noexcept {
    return FixedRound<transfers, steps>{{&std::get<t>(all)...}, {&std::get<transfers + s>(all)...}};
  }(std::make_index_sequence<transfers>{}, std::make_index_sequence<steps>{});
}

// A round of any number of transfers and steps, reused from round to round.
class RoundList {
 public:
  RoundList& clear() noexcept {
    transfers_.clear();
    steps_.clear();
    return *this;
  }
  RoundList& add(const Transfer& transfer) {
    transfers_.push_back(transfer);
    return *this;
  }
  RoundList& add(const LocalStep& step) {
    steps_.push_back(step);
    return *this;
  }
  [[nodiscard]] bool empty() const noexcept { return transfers_.empty() && steps_.empty(); }
  [[nodiscard]] Round view() const {
    point_at(transfers_, transfer_pointers_);
    point_at(steps_, step_pointers_);
    return {transfer_pointers_, step_pointers_, this_round};
  }

 private:
  template <typename Part>
  static void point_at(const std::vector<Part>& parts, std::vector<const Part*>& pointers) {
    pointers.clear();
    for (const Part& part : parts) pointers.push_back(&part);
  }

  std::vector<Transfer> transfers_;
  std::vector<LocalStep> steps_;
  mutable std::vector<const Transfer*> transfer_pointers_;
  mutable std::vector<const LocalStep*> step_pointers_;
};

// co_yield fence(n): nothing but waiting for what was deferred to fence n; n = at_the_end: for all.
struct FenceRound {
  Fence number;
  [[nodiscard]] Round view() const noexcept { return {{}, {}, number}; }
};
inline FenceRound fence(Fence number) { return {number}; }

}  // namespace roundelay
