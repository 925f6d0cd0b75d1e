// SPDX-License-Identifier: Apache-2.0
#include "interpret/history.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "interpret/expressions.hpp"
#include "interpret/knowledge.hpp"
#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

namespace {

// What one unit of memory was filled with at some time. Whether it is needed afterwards is known
// only when the run is over.
struct Value {
  Expression from = 0;
  Units index = 0;
  int needed = -1;  // the number of the last round that reads it
};

using ValueId = std::size_t;
inline constexpr ValueId hollow = ~ValueId{0};
inline constexpr int to_the_end = std::numeric_limits<int>::max();

// Unit by unit, of each space: pictures are of short messages.
using Memory = std::array<std::vector<ValueId>, 3>;

bool has_tokens(const Trace& trace) {
  return std::ranges::any_of(trace.ranks, [](const RankTrace& rank) {
    return std::ranges::any_of(rank.rounds, [](const TracedRound& round) {
      return std::ranges::any_of(round.transfers, &TracedTransfer::token);
    });
  });
}

class Historian {
 public:
  explicit Historian(const Trace& trace)
      : trace_(trace),
        p_(static_cast<int>(trace.ranks.size())),
        // Whether operands are in order is verify's concern.
        expressions_(p_, true),
        with_tokens_(has_tokens(trace)),
        known_(with_tokens_ ? p_ : 0) {
    for (int rank = 0; rank < p_; ++rank) {
      const RankTrace& traced = traced_of(rank);
      Rank& me = ranks_.emplace_back();
      const std::array sizes{traced.input, traced.output, traced.scratch};
      for (std::size_t space = 0; space < sizes.size(); ++space) {
        me.memory[space].assign(static_cast<std::size_t>(sizes[space]), hollow);
      }
      std::vector<Value> given;
      for (Units index = 0; index < traced.given.length(); ++index) {
        given.push_back({static_cast<Expression>(rank), index});
      }
      write(rank, {&traced.given, 1}, given);
      record(rank);
    }
    lockstep_.emplace(*this, p_, [this](int rank) { return replay(traced_of(rank)); });
  }

  History run() {
    lockstep_->run();
    lockstep_->require_end();
    History told;
    for (int rank = 0; rank < p_; ++rank) {
      // What was deferred to the end has landed since the last state.
      at(rank).states.pop_back();
      record(rank);
      const Slice wanted = traced_of(rank).wanted;
      for (const ValueId id : read(rank, {&wanted, 1}, to_the_end)) {
        values_[id].needed = to_the_end;
      }
      told.steps = std::max(told.steps, at(rank).end);
    }
    for (const Rank& rank : ranks_) told.ranks.push_back(described(rank));
    std::ranges::sort(deliveries_, {}, [](const Delivery& it) {
      return std::tuple(it.step, it.from, it.to, it.from_round);
    });
    told.deliveries = std::move(deliveries_);
    return told;
  }

  // What Lockstep calls.

  void posted(int rank, int /*round*/, const Round& /*posted*/) {
    at(rank).starts.push_back(at(rank).end);
  }

  void matched(const Posted& send, const Posted& receive) {
    const int step = std::max(start_of(send), start_of(receive));
    std::vector<Value> carried;
    if (send.transfer->token()) {
      known_.tell(send, receive);
    } else {
      for (const ValueId id : read(send.rank, send.transfer->data.view(), send.round)) {
        carried.push_back({values_[id].from, values_[id].index});
      }
    }
    deliveries_.push_back({send.rank, receive.rank, send.round, receive.round, step,
                           send.transfer->token(), send.transfer->exposed(), pieces_of(carried)});
    pass(send, {step + 1, {}});
    pass(receive, {step + 1, std::move(carried)});
    lockstep_->complete(send, receive);
  }

  void arrived(int rank, int round, const Round& arrived) {
    known_.settle(rank);
    for (const LocalStep* step : arrived.steps) do_step(rank, round, *step);
    record(rank);
    lockstep_->ready(rank);
  }

  void landed(int rank, const Transfer& deferred) {
    const auto found = flying_.find(&deferred);
    land(rank, deferred, found->second);
    flying_.erase(found);
  }

 private:
  struct Snapshot {
    int step;
    Memory memory;
    std::vector<int> heard;
  };
  struct Rank {
    Memory memory;
    std::vector<int> starts;  // of each round, the step
    int end = 0;              // the step after the last that is known to be its
    std::vector<Snapshot> states;

    std::vector<ValueId>& space(Space which) { return memory[static_cast<std::size_t>(which)]; }
  };
  struct Flight {
    int end;
    std::vector<Value> values;  // to be written; none where they are sent
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const RankTrace& traced_of(int rank) const {
    return trace_.ranks[static_cast<std::size_t>(rank)];
  }
  int start_of(const Posted& one) {
    return at(one.rank).starts[static_cast<std::size_t>(one.round)];
  }

  // Every unit of the slices, in their order.
  template <typename Visit>
  void visit(int rank, std::span<const Slice> slices, const Visit& each) {
    for (const Slice& slice : slices) {
      std::vector<ValueId>& space = at(rank).space(slice.space());
      if (slice.offset() < 0 || slice.end() > static_cast<Units>(space.size())) {
        throw Broken("rank " + std::to_string(rank) + " goes beyond the end of a space");
      }
      for (Units unit = slice.offset(); unit < slice.end(); ++unit) {
        each(space[static_cast<std::size_t>(unit)]);
      }
    }
  }

  std::vector<ValueId> read(int rank, std::span<const Slice> slices, int round) {
    std::vector<ValueId> found;
    visit(rank, slices, [&](ValueId id) {
      if (id == hollow) throw Broken(rank, round, "reads what was never filled");
      values_[id].needed = std::max(values_[id].needed, round);
      found.push_back(id);
    });
    return found;
  }

  void write(int rank, std::span<const Slice> slices, std::span<const Value> fresh) {
    auto next = fresh.begin();
    visit(rank, slices, [&](ValueId& id) {
      if (next == fresh.end())
        throw Broken("rank " + std::to_string(rank) + " receives too little");
      id = values_.size();
      values_.push_back(*next++);
    });
  }

  void pass(const Posted& one, Flight flight) {
    if (one.deferred != nullptr) {
      flying_.emplace(one.transfer, std::move(flight));
    } else {
      land(one.rank, *one.transfer, flight);
    }
  }

  void land(int rank, const Transfer& transfer, const Flight& flight) {
    at(rank).end = std::max(at(rank).end, flight.end);
    if (!transfer.sends()) write(rank, transfer.data.view(), flight.values);
  }

  void do_step(int rank, int round, const LocalStep& step) {
    std::vector<Value> fresh;
    for (const ValueId id : read(rank, {&step.from, 1}, round)) {
      fresh.push_back({values_[id].from, values_[id].index});
    }
    if (step.kind == LocalStep::Kind::combine) {
      auto lower = fresh.begin();
      for (const ValueId id : read(rank, {&step.into, 1}, round)) {
        const auto both = expressions_.combine(lower->from, values_[id].from);
        if (!both || lower->index != values_[id].index) {
          throw Broken(rank, round, "combines what must not be combined");
        }
        (lower++)->from = *both;
      }
    }
    write(rank, {&step.into, 1}, fresh);
  }

  void record(int rank) {
    Rank& me = at(rank);
    std::vector<int> heard;
    for (int other = 0; with_tokens_ && other < p_; ++other) {
      if (known_.knows(rank, other)) heard.push_back(other);
    }
    me.states.push_back({me.end, me.memory, std::move(heard)});
  }

  [[nodiscard]] Piece piece_of(const Value& value) const {
    Piece piece{{}, value.index, 1};
    for (int rank = 0; rank < p_; ++rank) {
      if (expressions_.has(value.from, rank)) piece.ranks.push_back(rank);
    }
    return piece;
  }

  // Values of the same contributors at following places are one piece.
  static bool continues(const Value& last, const Value& next) {
    return last.from == next.from && last.index + 1 == next.index;
  }

  [[nodiscard]] std::vector<Piece> pieces_of(std::span<const Value> values) const {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0 && continues(values[i - 1], values[i])) {
        ++pieces.back().length;
      } else {
        pieces.push_back(piece_of(values[i]));
      }
    }
    return pieces;
  }

  [[nodiscard]] std::vector<HeldState> described(const Rank& rank) const {
    std::vector<HeldState> states;
    for (const Snapshot& snapshot : rank.states) {
      HeldState& state = states.emplace_back(HeldState{snapshot.step, {}, snapshot.heard});
      const int rounds = static_cast<int>(states.size()) - 1;
      for (const Space space : {Space::input, Space::output, Space::scratch}) {
        describe(space, snapshot.memory[static_cast<std::size_t>(space)], rounds, state.holds);
      }
    }
    return states;
  }

  // `rounds` are over: what a later one reads is needed.
  void describe(Space space, std::span<const ValueId> units, int rounds,
                std::vector<Held>& into) const {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      if (units[unit] == hollow) continue;
      const Value& value = values_[units[unit]];
      const bool needed = value.needed >= rounds;
      if (unit > 0 && units[unit - 1] != hollow && into.back().needed == needed &&
          continues(values_[units[unit - 1]], value)) {
        into.back().where.extend(1);
        ++into.back().what.length;
      } else {
        into.push_back({Slice(space, static_cast<Units>(unit), 1), piece_of(value), needed});
      }
    }
  }

  const Trace& trace_;
  int p_;
  Expressions expressions_;
  bool with_tokens_;
  Knowledge known_;
  std::vector<Rank> ranks_;
  std::vector<Value> values_;
  std::map<const Transfer*, Flight> flying_;  // deferred
  std::vector<Delivery> deliveries_;
  std::optional<Lockstep<Historian>> lockstep_;
};

}  // namespace

History history(const Trace& trace) { return Historian(trace).run(); }

}  // namespace roundelay::interpret
