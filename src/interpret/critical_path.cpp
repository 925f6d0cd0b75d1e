// SPDX-License-Identifier: Apache-2.0
#include "interpret/critical_path.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <limits>
#include <vector>

#include "interpret/lockstep.hpp"
#include "interpret/slowdowns.hpp"
#include "interpret/stopped.hpp"
#include "interpret/timeline.hpp"
#include "schedule/idle_rounds.hpp"

namespace roundelay::interpret {

namespace {

class TooLong : public std::exception {};

class PathRun {
 public:
  PathRun(const Call& call, const Link& link, RunBudget& budget)
      : call_(call),
        link_(link),
        budget_(budget),
        slowdowns_(call, link),
        ranks_(static_cast<std::size_t>(call.of().ranks()), Timeline(link)) {}

  Clock run() {
    if (call_.is_symmetric()) return go_on_alone(0);
    if (slowdowns_.on_torus()) slowdowns_.share_links(messages_of_pilot());
    if (!run_all_ranks()) return sampled();
    Clock latest;
    for (Timeline& rank : ranks_) latest = later(latest, rank.finish());
    return latest;
  }

  // What Lockstep calls.

  void posted(int rank, int /*round*/, const Round& posted) {
    Stoppable::check();
    budget_.look_at(posted);
    at(rank).begin(posted);
  }

  void matched(const Posted& send, const Posted& receive) {
    const Units units = send.transfer->data.length();
    const Clock left = Timeline::pass(at(send.rank), send.number, at(receive.rank), receive.number,
                                      units, slowdowns_.next(send.rank, receive.rank, send.round));
    if (messages_ != nullptr) {
      messages_->push_back({send.rank, receive.rank, static_cast<double>(units), left.seconds});
    }
    lockstep_->complete(send, receive);
  }

  void arrived(int rank, int /*round*/, const Round& arrived) {
    at(rank).end(arrived);
    require_time(at(rank).now());
    lockstep_->ready(rank);
  }

  void landed(int /*rank*/, const Transfer& /*deferred*/) {}

 private:
  // Whether they came to their end before there was too much work.
  bool run_all_ranks() {
    try {
      Lockstep<PathRun> lockstep(*this, call_.of().ranks(), call_.schedules(), Turns::in_order);
      lockstep_ = &lockstep;
      lockstep.run();
      lockstep.require_end();
      return true;
    } catch (const TooMuch&) {
      return false;
    }
  }

  // Of a run in which nothing but start-ups takes time, as far as it comes.
  [[nodiscard]] std::vector<Slowdowns::Message> messages_of_pilot() const {
    const Link startups{
        .startup = 1, .eager = link_.eager, .paced = link_.paced, .unsteady = {.apart = true}};
    RunBudget budget{std::numeric_limits<double>::infinity(), budget_.transfers};
    PathRun pilot(call_, startups, budget);
    std::vector<Slowdowns::Message> messages;
    pilot.messages_ = &messages;
    pilot.run_all_ranks();
    return messages;
  }

  Timeline& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  void require_time(Clock now) const {
    if (now.seconds > budget_.seconds) throw TooLong();
  }

  // The rest of its rounds, whose k-th receive is of what somebody sends as it does its k-th.
  Clock go_on_alone(int rank) {
    Timeline& me = at(rank);
    sends_.clear();
    receives_.clear();
    Schedule schedule = call_.schedule(rank);
    IdleRounds rounds;
    for (int round = 0; rounds.next(schedule); ++round) {
      Stoppable::check();
      if (round < me.rounds()) continue;
      const Round& now = schedule.round();
      // It may have been in the middle of this one.
      me.begin(now);
      pass_alone(me, rank, now);
      me.end(now);
      require_time(me.now());
    }
    part(me, [](const Alone&) { return true; });
    return me.finish();
  }

  void pass_alone(Timeline& me, int rank, const Round& round) {
    std::size_t number = me.first();
    slowdowns_.for_each_alone(
        rank, me.rounds(), round, [&](const Transfer& transfer, Slowdown slowdown) {
          (transfer.sends() ? sends_ : receives_)
              .push_back({number++, transfer.data.length(), slowdown, transfer.due != this_round});
        });
    while (!sends_.empty() && !receives_.empty()) {
      const Alone send = sends_.front();
      const Alone receive = receives_.front();
      sends_.pop_front();
      receives_.pop_front();
      Timeline::pass(me, send.number, me, receive.number, std::max(send.units, receive.units),
                     {std::max(send.slowdown.byte, receive.slowdown.byte),
                      std::max(send.slowdown.startup, receive.slowdown.startup)});
    }
    // What is deferred may be the other half of something later.
    part(me, [](const Alone& one) { return !one.deferred; });
  }

  // Those of which nobody looks at the other end.
  template <typename Which>
  void part(Timeline& me, const Which& which) {
    for (const Alone& one : sends_) {
      if (which(one)) me.send_alone(one.number, one.units, one.slowdown);
    }
    for (const Alone& one : receives_) {
      if (which(one)) me.receive_alone(one.number, one.units, one.slowdown);
    }
    std::erase_if(sends_, which);
    std::erase_if(receives_, which);
  }

  Clock sampled() {
    const int p = call_.of().ranks();
    const int root = call_.root();
    const auto before = [](const Timeline& a, const Timeline& b) {
      return a.now().seconds < b.now().seconds;
    };
    const auto latest = static_cast<int>(std::ranges::max_element(ranks_, before) - ranks_.begin());
    Clock end;
    std::vector<int> some{0, p / 2, p - 1, root, (root + 1) % p, (root + p - 1) % p, latest};
    std::ranges::sort(some);
    const auto rest = std::ranges::unique(some);
    some.erase(rest.begin(), rest.end());
    const Clock reached = ranks_[static_cast<std::size_t>(latest)].now();
    const auto waiting = std::ranges::count_if(
        ranks_, [](const Timeline& rank) { return rank.begun() && rank.rounds() == 0; });
    for (const int rank : some) end = later(end, go_on_alone(rank));
    // As long as those have waited that were reached.
    const double more = static_cast<double>(waiting) / std::max(1, p - static_cast<int>(waiting));
    return end.after(more * reached.seconds, more * reached.startups);
  }

  struct Alone {
    std::size_t number;
    Units units;
    Slowdown slowdown;
    bool deferred;
  };

  const Call& call_;
  Link link_;
  RunBudget& budget_;
  Slowdowns slowdowns_;
  std::vector<Slowdowns::Message>* messages_ = nullptr;  // those that passed, if somebody asks
  std::vector<Timeline> ranks_;
  Lockstep<PathRun>* lockstep_ = nullptr;
  // Of the rank that goes on alone, without their other halves.
  std::deque<Alone> sends_;
  std::deque<Alone> receives_;
};

}  // namespace

std::optional<CriticalPath> critical_path(const Choice& choice, const Case& of, const Link& link,
                                          RunBudget& budget) {
  const Call call(choice, of);
  try {
    const Clock end = PathRun(call, link, budget).run();
    if (end.seconds > budget.seconds) return std::nullopt;
    return CriticalPath{end.seconds, end.startups};
  } catch (const TooLong&) {
    return std::nullopt;
  }
}

}  // namespace roundelay::interpret
