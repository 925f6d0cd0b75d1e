// SPDX-License-Identifier: Apache-2.0
#include "interpret/node_links.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "algorithms/parts/pipeline.hpp"
#include "interpret/event_loop.hpp"
#include "interpret/flights.hpp"
#include "interpret/lockstep.hpp"
#include "interpret/stopped.hpp"
#include "interpret/taper.hpp"
#include "schedule/idle_rounds.hpp"

namespace roundelay::interpret {

namespace {

class RunOverNodes {
 public:
  RunOverNodes(const Call& call, const NodeLinks& links, RunBudget& budget,
               const Schedules& schedules)
      : nodes_(call.of().topology.at(links.level)),
        links_(links),
        budget_(budget),
        taper_(links.taper, nodes_.count()),
        posted_at_(places(nodes_.ranks())),
        sending_(places(nodes_.ranks())),
        receiving_(places(nodes_.ranks())),
        cores_(places(nodes_.ranks())),
        out_of_(places(nodes_.count())),
        into_(places(nodes_.count())),
        ranks_that_send_(places(nodes_.count())),
        sent_(places(nodes_.ranks())),
        exposed_(places(nodes_.ranks())),
        steadiness_(places(is_unsteady() ? nodes_.ranks() : 0)),
        lockstep_(*this, nodes_.ranks(), schedules) {
    traffic_.leaving.resize(out_of_.size());
    traffic_.entering.resize(into_.size());
    if (taper_.any()) taper_.count(call, [&](int rank) { return nodes_.part_of(rank); });
  }

  std::optional<Traffic> run() {
    const bool over =
        events_.run(lockstep_, budget_.seconds, [&](std::size_t flight) { land(flight); });
    return over ? summary(events_.now()) : std::nullopt;
  }

  // What Lockstep calls.

  [[nodiscard]] bool leaves_at_once(const Transfer& transfer) const {
    return transfer.sends() && static_cast<double>(transfer.data.length()) <= links_.eager;
  }

  void posted(int rank, int /*round*/, const Round& posted) {
    Stoppable::check();
    budget_.look_at(posted);
    for (const Transfer* transfer : posted.transfers) {
      if (transfer->happens()) posted_at_[places(rank)].push_back(events_.now());
    }
    if (!steadiness_.empty()) steadiness_[places(rank)].next(posted, links_.unsteady);
  }

  void matched(const Posted& send, const Posted& receive) {
    const std::size_t flight = flights_.keep({send, receive});
    const int from = nodes_.part_of(send.rank);
    const int to = nodes_.part_of(receive.rank);
    const double ready =
        leaves_at_once(*send.transfer) ? posted_at_[places(send.rank)][send.number] : events_.now();
    const double landing = from == to ? pass_within(send, receive.rank, ready)
                                      : pass_between(send, receive.rank, from, to, ready);
    events_.add_landing(std::max(events_.now(), landing), flight);
  }

  void arrived(int rank, int /*round*/, const Round& arrived) {
    double units = 0;
    for (const LocalStep* step : arrived.steps) units += static_cast<double>(step->into.length());
    double& core = core_of(rank);
    core = std::max(events_.now(), core) + links_.step_byte * units;
    events_.add_steps_done(core, rank);
  }

  void landed(int /*rank*/, const Transfer& /*deferred*/) {}

 private:
  // Ranks do not always begin together: between four nodes, from none of 12 exchanges of a job to
  // all of 8 took turns (docs/explanation/model.md). So much of it decides between algorithms that
  // otherwise take as long. Between two nodes there is nothing to decide.
  static constexpr double begin_apart = 0.1;

  // The last message of a rank to another node.
  struct Sent {
    int peer = -1;
    double end = 0;     // of a long one
    bool first = true;  // that the rank sent to another node
  };

  // The last block that a rank exposed.
  struct Exposed {
    int round = -1;
    Slice slice = {};

    friend bool operator==(const Exposed&, const Exposed&) = default;
  };

  // Of a rank.
  class Steadiness {
   public:
    void next(const Round& round, const Unsteadiness& by) {
      more_ += some_absorbed_.next(round, by);
      more_if_shared_ += none_absorbed_.next(round, unabsorbed(by));
      for (std::size_t i = 0; i < round.transfers.size(); ++i) {
        const Transfer& transfer = *round.transfers[i];
        if (!transfer.happens()) continue;
        const auto units = static_cast<double>(transfer.data.length());
        (transfer.sends() ? sent_ : received_) += units;
        int& partner = transfer.sends() ? to_ : from_;
        keeps_partners_ = keeps_partners_ && (partner < 0 || partner == transfer.peer);
        partner = transfer.peer;
        if (transfer.sends()) continue;
        const Unsteady::Extra& extra = some_absorbed_.extra(i);
        const double longer = extra.paired + (extra.beside ? by.queueing - 1 : 0);
        more_ += longer * units;
        more_if_shared_ += longer * units;
      }
      by_ = by;
    }
    [[nodiscard]] bool keeps_partners() const noexcept { return keeps_partners_; }
    [[nodiscard]] double share(bool shared) {
      const double more = shared ? more_if_shared_ + none_absorbed_.last(unabsorbed(by_))
                                 : more_ + some_absorbed_.last(by_);
      return more / std::max(1.0, std::max(sent_, received_));
    }

   private:
    static Unsteadiness unabsorbed(Unsteadiness by) {
      by.absorbed = 0;
      return by;
    }

    Unsteady some_absorbed_;
    Unsteady none_absorbed_;
    Unsteadiness by_;
    double more_ = 0;
    double more_if_shared_ = 0;
    double sent_ = 0;
    double received_ = 0;
    int to_ = -1;
    int from_ = -1;
    bool keeps_partners_ = true;
  };

  std::optional<Traffic> summary(double seconds) {
    if (seconds > budget_.seconds) return std::nullopt;
    traffic_.seconds = seconds;
    for (Steadiness& rank : steadiness_) {
      traffic_.unsteady = std::max(traffic_.unsteady, rank.share(traffic_.ranks_that_share > 1));
      traffic_.keeps_partners = traffic_.keeps_partners && rank.keeps_partners();
    }
    return std::move(traffic_);
  }

  [[nodiscard]] bool is_unsteady() const noexcept {
    return links_.unsteady.drift > 1 || links_.unsteady.queueing > 1;
  }

  static std::size_t places(int count) { return static_cast<std::size_t>(count); }

  // Until when the one is busy that copies for this rank and combines what it has.
  double& core_of(int rank) {
    return cores_[places(links_.near_in_turn ? nodes_.part_of(rank) : rank)];
  }

  // Whether memory has the block that is sent, for another reader.
  bool is_in(const Posted& send) {
    if (!send.transfer->exposed()) return false;
    const Exposed block{send.round, *send.transfer->data.begin()};
    return std::exchange(exposed_[places(send.rank)], block) == block;
  }

  // Both return when the message has arrived.

  double pass_within(const Posted& send, int receiver, double ready) {
    const int sender = send.rank;
    const bool has_copy = is_in(send);
    const double copies = has_copy ? 0.5 : 1;
    const double time =
        copies * links_.near_byte * static_cast<double>(send.transfer->data.length());
    // On one node, a round that no message outlasts is exchanged without a list of open messages.
    const bool outlasts = nodes_.count() == 1 && send.transfer->due != this_round;
    const double startup = (outlasts ? 2 : 1) * links_.near_startup;
    double& core = core_of(receiver);
    const double sent = has_copy ? ready : sending_[places(sender)];
    const double left = std::max({ready, sent, receiving_[places(receiver)] - startup, core});
    core = left + time;
    if (!has_copy) sending_[places(sender)] = left + time;
    receiving_[places(receiver)] = left + startup + time;
    return left + startup + time;
  }

  double pass_between(const Posted& send, int receiver, int from, int to, double ready) {
    const int sender = send.rank;
    const Units units = send.transfer->data.length();
    traffic_.leaving[places(from)] += units;
    traffic_.entering[places(to)] += units;
    double time = links_.byte * taper_.factor(from, to, send.round) * static_cast<double>(units);
    const double own = links_.rank_byte * static_cast<double>(units);
    const double left = std::max({ready, sending_[places(sender)], out_of_[places(from)]});
    const bool is_long = static_cast<double>(units) >= links_.crossing;
    const Sent& back = sent_[places(receiver)];
    const bool first = sent_[places(sender)].peer < 0;
    if (is_long && back.peer == sender && back.end > left) {
      const double together = nodes_.count() > 2 ? begin_apart : 0;
      time *= 1 + (first && back.first ? together : 1) * (links_.pairing - 1);
    }
    out_of_[places(from)] = left + time;
    sending_[places(sender)] = left + std::max({time, own, links_.gap});
    const double arrived =
        std::max({left + links_.startup, receiving_[places(receiver)], into_[places(to)]});
    into_[places(to)] = arrived + time;
    receiving_[places(receiver)] = arrived + std::max({time, own, links_.gap});
    if (first) {
      int& ranks = ranks_that_send_[places(from)];
      traffic_.ranks_that_share = std::max(traffic_.ranks_that_share, ++ranks);
    }
    const double landed = arrived + std::max(time, own);
    sent_[places(sender)] = {receiver, is_long ? landed : 0, first};
    return landed;
  }

  void land(std::size_t at) {
    const Flight flight = flights_.take(at);
    lockstep_.complete(flight.send, flight.receive);
  }

  const Partition& nodes_;
  const NodeLinks& links_;
  RunBudget& budget_;
  Taper taper_;
  std::vector<std::vector<double>> posted_at_;  // each transfer of each rank
  Traffic traffic_;
  EventLoop events_;
  Flights flights_;
  std::vector<double> sending_;  // until when each rank does
  std::vector<double> receiving_;
  std::vector<double> cores_;
  std::vector<double> out_of_;  // until when each node's link is busy
  std::vector<double> into_;
  std::vector<int> ranks_that_send_;  // to other nodes, of each node
  std::vector<Sent> sent_;            // by each rank
  std::vector<Exposed> exposed_;      // by each rank
  std::vector<Steadiness> steadiness_;
  Lockstep<RunOverNodes> lockstep_;
};

// What a rank does in a schedule of which one rank stands for all.
struct Rounds {
  int all = 0;
  int messages = 0;  // that it sends
  // In all rounds with a message it sends as much to the same rank as in the first, and receives as
  // much from the same.
  bool alike = true;
};

Rounds rounds_of(Schedule schedule) {
  struct Messages {
    int to = -1;
    int from = -1;
    Units sent = 0;
    Units received = 0;

    bool operator==(const Messages&) const = default;
  };
  Messages first;
  Rounds found;
  IdleRounds rounds;
  for (; rounds.next(schedule); ++found.all) {
    Messages its;
    for (const Transfer* transfer : schedule.round().transfers) {
      if (!transfer->happens()) continue;
      found.messages += transfer->sends() ? 1 : 0;
      int& peer = transfer->sends() ? its.to : its.from;
      found.alike = found.alike && peer < 0;
      peer = transfer->peer;
      (transfer->sends() ? its.sent : its.received) = transfer->data.length();
    }
    if (its == Messages()) continue;
    if (first == Messages()) first = its;
    found.alike = found.alike && its == first;
  }
  return found;
}

Schedule first_rounds_of(Schedule schedule, int rounds) {
  struct Same {
    const Round& round;
    [[nodiscard]] Round view() const { return round; }
  };
  for (; rounds > 0 && schedule.next(); --rounds) co_yield Same{schedule.round()};
}

// What many rounds or blocks take, by two runs: of a few of them, and of twice as many. Then the
// ranks go on in step, so that each of the others takes as long; or as long as the busiest link is
// busy with it, if there are more ranks than have got to work.
template <typename RunOf>
std::optional<Traffic> run_first_of(int many, int few, const NodeLinks& links,
                                    const RunBudget& budget, const RunOf& first) {
  const std::optional<Traffic> some = first(few);
  std::optional<Traffic> all = first(2 * few);
  if (!some || !all) return std::nullopt;
  const double others = static_cast<double>(many - 2 * few) / few;
  Units busiest = 0;
  const auto extend = [&](Units& to, Units from) {
    busiest = std::max(busiest, to - from);
    to += static_cast<Units>(others * static_cast<double>(to - from));
  };
  for (std::size_t node = 0; node < all->leaving.size(); ++node) {
    extend(all->leaving[node], some->leaving[node]);
    extend(all->entering[node], some->entering[node]);
  }
  all->all_rounds = false;
  all->seconds +=
      others * std::max(all->seconds - some->seconds, links.byte * static_cast<double>(busiest));
  return all->seconds > budget.seconds ? std::nullopt : std::move(all);
}

constexpr int fewest = 8;

// Where all rounds are alike.
std::optional<Traffic> run_first_rounds(const Call& call, int rounds, const NodeLinks& links,
                                        RunBudget& budget) {
  return run_first_of(rounds, fewest, links, budget, [&](int most) {
    return RunOverNodes(call, links, budget,
                        [&](int rank) { return first_rounds_of(call.schedule(rank), most); })
        .run();
  });
}

// So many blocks of a pipeline stand for all: they go over each skip of a circulant graph as often.
int few_blocks(const Call& call, const Partition& nodes) {
  const int ranks = call.choice().algorithm->uses_topology() ? nodes.count() : nodes.ranks();
  const int skips = std::max(1, Skips::halving(ranks).rounds());
  return (fewest + skips - 1) / skips * skips;
}

std::optional<Traffic> run_all(const Call& call, const NodeLinks& links, RunBudget& budget) {
  return RunOverNodes(call, links, budget, call.schedules()).run();
}

// Where blocks follow each other: a shorter message, cut into fewer blocks of the same length, of
// which a few are those of the pipeline that has most. If they tell that all blocks are not too
// much work, all are run.
std::optional<Traffic> run_first_blocks(const Call& call, const NodeLinks& links,
                                        RunBudget& budget) {
  const std::vector<int> blocks = blocks_in_turn(call.choice(), call.dimensions());
  const bool is_whole = !has_p_blocks(call.collective());  // else ranks cut their own blocks
  const int most = is_whole && !blocks.empty() ? std::ranges::max(blocks) : 0;
  const int few = few_blocks(call, call.of().topology.at(links.level));
  if (most <= 2 * few) return run_all(call, links, budget);
  std::vector<int> left{budget.transfers};
  auto all = run_first_of(most, few, links, budget, [&](int some) {
    Case shorter = call.of();
    shorter.m = (shorter.m * some + most - 1) / most;
    std::vector<int> fewer = blocks;
    for (int& number : fewer) number = std::max(1, (number * some + most / 2) / most);
    const Call part(cut_into(fewer, call.choice()), shorter);
    auto traffic = run_all(part, links, budget);
    left.push_back(budget.transfers);
    return traffic;
  });
  if (!all) return std::nullopt;
  const double of_few = left[0] - left[1];
  const double of_more = left[1] - left[2];
  const double of_all = of_more + (of_more - of_few) * (most - 2 * few) / few;
  return of_all > budget.transfers ? std::move(all) : run_all(call, links, budget);
}

}  // namespace

std::optional<Traffic> run_over_nodes(const Choice& choice, const Case& of, const NodeLinks& links,
                                      RunBudget& budget) {
  if (!of.topology.at(links.level).known()) {
    throw std::invalid_argument("the nodes of the ranks are not known");
  }
  budget.transfers -= of.p;  // to begin with
  if (budget.transfers < 0) return std::nullopt;
  const Call call(choice, of);
  try {
    if (call.is_symmetric()) {
      const Rounds rounds = rounds_of(call.schedule(0));
      if (rounds.messages > budget.transfers / of.p) {
        if (!rounds.alike) throw TooMuch();
        return run_first_rounds(call, rounds.all, links, budget);
      }
    } else if (choice.claims().rounds(call.dimensions()) * of.p > budget.transfers) {
      return run_first_blocks(call, links, budget);
    }
    return run_all(call, links, budget);
  } catch (const TooMuch&) {
    budget.transfers = std::min(budget.transfers, -1);
    return std::nullopt;
  }
}

}  // namespace roundelay::interpret
