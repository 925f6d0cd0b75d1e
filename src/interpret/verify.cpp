// SPDX-License-Identifier: Apache-2.0
#include "interpret/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interpret/contents.hpp"
#include "interpret/exact_length.hpp"
#include "interpret/exposed_blocks.hpp"
#include "interpret/expressions.hpp"
#include "interpret/knowledge.hpp"
#include "interpret/lockstep.hpp"
#include "interpret/memory_rules.hpp"

namespace roundelay::interpret {

namespace {

class Verifier {
 public:
  Verifier(const Call& call, const Schedules& schedules, std::stop_token stop)
      : call_(call),
        stop_(std::move(stop)),
        expressions_(call.of().ranks(), call.of().commutative),
        known_(call.collective() == Collective::barrier ? call.of().ranks() : 0) {
    ranks_.resize(static_cast<std::size_t>(call.of().ranks()));
    for (int rank = 0; rank < call.of().ranks(); ++rank) {
      at(rank).rules = MemoryRules(call, rank);
      Contents& contents = at(rank).space(call.given(rank).space());
      for (const Run& run : call.given_runs(rank)) contents.write(run);
    }
    lockstep_.emplace(*this, call.of().ranks(), schedules);
  }

  Proof run() {
    Proof proof;
    try {
      lockstep_->run();
      lockstep_->require_end();
      for (int rank = 0; rank < call_.of().ranks(); ++rank) check_result(rank);
      proof.orders = std::move(orders_);
      for (const Rank& rank : ranks_) {
        proof.rounds = std::max(proof.rounds, rank.rounds);
        proof.volume = std::max({proof.volume, rank.sent, rank.received});
      }
      proof.far_messages = far_messages_;
      proof.far_volume = far_volume_;
      check_claims(proof);
      proof.ok = true;
    } catch (const Broken& broken) {
      proof.error = broken.what();
    }
    return proof;
  }

  // What Lockstep calls.

  void posted(int rank, int round, const Round& posted) {
    if (stop_.stop_requested()) throw Stopped();
    if (at(rank).rules.post(round, posted)) {
      ++at(rank).rounds;
      at(rank).course.push_back(share_of(posted));
    }
    exposed_.posted(rank, round, posted);
  }

  void matched(const Posted& send, const Posted& receive) {
    const Slices& from = send.transfer->data;
    const Slices& into = receive.transfer->data;
    if (send.transfer->kind != receive.transfer->kind || from.length() != into.length()) {
      throw Broken(receive.rank, receive.round,
                   describe(*receive.transfer) + " is of " + measure(*receive.transfer) +
                       ", but rank " + std::to_string(send.rank) + " sends " +
                       measure(*send.transfer) + " in its round " + std::to_string(send.round));
    }
    if (send.transfer->token()) {
      known_.tell(send, receive);
    } else {
      move(send, receive);
    }
    const Partition& parts = call_.of().topology.outermost();
    if (parts.known() && parts.part_of(send.rank) != parts.part_of(receive.rank)) {
      ++far_messages_;
      far_volume_ += from.length();
    }
    if (!send.transfer->exposed()) {
      lockstep_->complete(send, receive);
      return;
    }
    for (const Flight& both : exposed_.matched(send, receive)) {
      lockstep_->complete(both.send, both.receive);
    }
  }

  void arrived(int rank, int round, const Round& arrived) {
    known_.settle(rank);
    for (const LocalStep* step : arrived.steps) {
      if (step->from.empty() && step->into.empty()) continue;
      at(rank).rules.step(round, *step);
      do_step(rank, round, *step);
    }
    for (const LocalStep* step : arrived.steps) {
      if (spent_by(*step, arrived) != nullptr)
        at(rank).space(step->from.space()).forget(step->from);
    }
    lockstep_->ready(rank);
  }

  void landed(int rank, const Transfer& deferred) { at(rank).rules.land(deferred); }

 private:
  // What a rank does in a round with a transfer.
  struct Share {
    int sends = 0;
    int receives = 0;
    Units sent = 0;
    Units received = 0;
    Units combined = 0;

    friend bool operator==(const Share&, const Share&) = default;
  };
  static Share share_of(const Round& round) {
    Share share;
    for (const Transfer* transfer : round.transfers) {
      if (!transfer->happens()) continue;
      ++(transfer->sends() ? share.sends : share.receives);
      (transfer->sends() ? share.sent : share.received) += transfer->data.length();
    }
    for (const LocalStep* step : round.steps) {
      if (step->kind == LocalStep::Kind::combine) share.combined += step->into.length();
    }
    return share;
  }

  struct Rank {
    std::array<Contents, 3> spaces;
    MemoryRules rules;
    int rounds = 0;
    std::vector<Share> course;
    Units sent = 0;
    Units received = 0;

    Contents& space(Space which) { return spaces[static_cast<std::size_t>(which)]; }
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  static std::string measure(const Transfer& transfer) {
    return transfer.token() ? "a token" : std::to_string(transfer.data.length()) + " units";
  }

  std::optional<Units> read(int rank, Slice slice, Message& into) {
    return at(rank).space(slice.space()).read(slice, into);
  }

  static std::string hollow(Slice slice, Units gap) {
    return text(slice) + ", but " + text(Slice(slice.space(), gap, 1)) + " was never filled";
  }

  void move(const Posted& send, const Posted& receive) {
    message_.clear();
    for (const Slice& slice : send.transfer->data) {
      if (const auto gap = read(send.rank, slice, message_)) {
        throw Broken(send.rank, send.round,
                     describe(*send.transfer) + " takes " + hollow(slice, *gap));
      }
    }
    at(send.rank).sent += send.transfer->data.length();
    at(receive.rank).received += send.transfer->data.length();
    Units begin = 0;
    std::size_t piece = 0;
    for (const Slice& slice : receive.transfer->data) {
      const Units end = begin + slice.length();
      Contents& space = at(receive.rank).space(slice.space());
      for (; piece < message_.size() && message_[piece].offset < end; ++piece) {
        const Run& run = message_[piece];
        const Units from = std::max(run.offset, begin);
        const Units to = std::min(run.end(), end);
        space.write({slice.offset() + from - begin, to - from, run.index + from - run.offset,
                     run.expression});
        if (run.end() > end) break;
      }
      begin = end;
    }
  }

  void do_step(int rank, int round, const LocalStep& step) {
    const bool combines = step.kind == LocalStep::Kind::combine;
    message_.clear();
    if (const auto gap = read(rank, step.from, message_)) {
      throw Broken(rank, round, (combines ? "combines " : "copies ") + hollow(step.from, *gap));
    }
    if (combines) {
      higher_.clear();
      if (const auto gap = read(rank, step.into, higher_)) {
        throw Broken(rank, round, "combines with " + hollow(step.into, *gap));
      }
      message_ = combined(rank, round, step);
    }
    Contents& space = at(rank).space(step.into.space());
    for (const Run& run : message_) {
      space.write({step.into.offset() + run.offset, run.length, run.index, run.expression});
    }
  }

  // message_ op higher_.
  Message combined(int rank, int round, const LocalStep& step) {
    Message result;
    auto low = message_.begin();
    auto high = higher_.begin();
    Units begin = 0;
    while (low != message_.end()) {
      const Units end = std::min(low->end(), high->end());
      const Units index = low->index + begin - low->offset;
      const Units other = high->index + begin - high->offset;
      const auto operands = [&] {
        return "combines " + text(step.from) + " with " + text(step.into);
      };
      if (index != other) {
        throw Broken(rank, round,
                     operands() + ", but the first holds element " + std::to_string(index) +
                         " of the vector where the second holds element " + std::to_string(other));
      }
      const auto both = expressions_.combine(low->expression, high->expression);
      if (!both) {
        throw Broken(rank, round,
                     operands() + ", which hold the contributions of " +
                         expressions_.text(low->expression) + " and of " +
                         expressions_.text(high->expression) +
                         (call_.of().commutative ? "" : ", not in rank order"));
      }
      result.push_back({begin, end - begin, index, *both});
      begin = end;
      if (low->end() == end) ++low;
      if (high->end() == end) ++high;
    }
    return result;
  }

  void check_result(int rank) {
    if (call_.collective() == Collective::barrier) {
      if (const auto missing = known_.missing(rank)) {
        throw Broken("rank " + std::to_string(rank) +
                     " leaves the barrier without knowing that rank " + std::to_string(*missing) +
                     " has entered it");
      }
      return;
    }
    message_.clear();
    for (const Run& wanted : call_.wanted_runs(rank)) check_run(rank, wanted);
    if (call_.collective() != Collective::allreduce) return;
    const int first = call_.of().ranks() - call_.of().receivers();
    if (rank <= first) {
      same_bits_ = message_;
    } else if (const auto differs = first_difference(same_bits_, message_)) {
      throw Broken(unit_wanted(rank, *differs) + " was combined in another order than on rank " +
                   std::to_string(first) + ", so its bits may differ");
    }
  }

  // Leaves in message_ what is there.
  void check_run(int rank, const Run& wanted) {
    const Slice all = call_.wanted(rank);
    const Units before = wanted.offset - all.offset();
    message_.clear();
    if (const auto gap = read(rank, {all.space(), wanted.offset, wanted.length}, message_)) {
      throw Broken(unit_wanted(rank, *gap - all.offset()) + " was never filled");
    }
    const RankRange whose = call_.contributors(rank);
    for (const Run& run : message_) {
      if (run.index != wanted.index + run.offset) {
        throw Broken(unit_wanted(rank, before + run.offset) + " holds unit " +
                     std::to_string(run.index) + " of the message");
      }
      if (!reduces(call_.collective())) continue;
      orders_.insert(expressions_.order(run.expression));
      if (!expressions_.is_of(run.expression, whose.first, whose.count)) {
        throw Broken(unit_wanted(rank, before + run.offset) + " holds the contributions of " +
                     expressions_.text(run.expression) + " only");
      }
    }
  }

  [[nodiscard]] std::string unit_wanted(int rank, Units which) const {
    return "rank " + std::to_string(rank) + ", at the end: unit " + std::to_string(which) + " of " +
           text(call_.wanted(rank));
  }

  static std::optional<Units> first_difference(const Message& a, const Message& b) {
    const auto [mine, theirs] = std::ranges::mismatch(a, b, [](const Run& x, const Run& y) {
      return x.length == y.length && x.expression == y.expression;
    });
    if (mine == a.end() && theirs == b.end()) return std::nullopt;
    return mine != a.end() ? mine->offset : theirs->offset;
  }

  void check_claims(const Proof& proof) const {
    const Case& of = call_.of();
    const Choice& choice = call_.choice();
    const Dimensions real = call_.dimensions();
    if (of.distribution == Distribution::even && claims_are_exact(choice, of.p, of.m)) {
      require_claims(real, proof);
      if (choice.claims().symmetric) require_symmetry();
    } else if (choice.claims().at_most) {
      Dimensions even = real;
      even.m = static_cast<double>(next_exact_length(choice, of.p, call_.even_length()));
      even.longest = -1;
      even.real = &real;
      require_claims(even, proof);
    }
  }
  void require_symmetry() const {
    for (const Rank& rank : ranks_) {
      const auto [its, first] = std::ranges::mismatch(rank.course, ranks_.front().course);
      if (its == rank.course.end() && first == ranks_.front().course.end()) continue;
      throw Broken("it claims to be symmetric, but in round " +
                   std::to_string(its - rank.course.begin()) + " of those with a transfer rank " +
                   std::to_string(&rank - ranks_.data()) + " does not do as much as rank 0");
    }
  }
  void require_claims(const Dimensions& of, const Proof& proof) const {
    const std::string lie = claim_error(call_.choice(), of, proof, rooted(call_.collective()));
    if (!lie.empty()) throw Broken(lie);
  }

  const Call& call_;
  std::stop_token stop_;
  std::vector<Rank> ranks_;
  Expressions expressions_;
  Knowledge known_;
  ExposedBlocks exposed_;
  Units far_messages_ = 0;
  Units far_volume_ = 0;
  Message message_;
  Message higher_;
  Message same_bits_;
  std::set<std::uint64_t> orders_;
  std::optional<Lockstep<Verifier>> lockstep_;
};

}  // namespace

std::string claim_error(const Choice& choice, const Dimensions& of, const Proof& measured,
                        bool less_will_do) {
  const Claims claims = choice.claims();
  const auto check = [&](const char* what, const Formula& formula, Units value) -> std::string {
    // Whole numbers all, but for the rounding of the formula.
    const Units claimed = std::llround(formula(of));
    if (value == claimed || (value < claimed && (less_will_do || claims.at_most))) return {};
    return "it takes " + std::to_string(value) + " " + what + ", but claims " + formula.text() +
           " = " + std::to_string(claimed);
  };
  std::string error = check("rounds", claims.rounds, measured.rounds);
  if (error.empty()) error = check("units of volume", claims.volume, measured.volume);
  if (!of.topology->outermost().known()) return error;
  if (error.empty() && claims.far_messages.has_value()) {
    error = check("messages between sites", *claims.far_messages, measured.far_messages);
  }
  if (error.empty() && claims.far_volume.has_value()) {
    error = check("units between sites", *claims.far_volume, measured.far_volume);
  }
  return error;
}

Proof verify(const Call& call, const Schedules& schedules, const std::stop_token& stop) {
  return Verifier(call, schedules, stop).run();
}

Proof verify(const Choice& choice, const Case& of, const std::stop_token& stop) {
  const Call call(choice, of);
  return verify(call, call.schedules(), stop);
}

}  // namespace roundelay::interpret
