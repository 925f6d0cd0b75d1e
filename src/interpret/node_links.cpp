// SPDX-License-Identifier: Apache-2.0
#include "interpret/node_links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "interpret/agenda.hpp"
#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

namespace {

class RunOverNodes {
 public:
  RunOverNodes(const Call& call, const NodeLinks& links, Patience& patience)
      : nodes_(call.of().topology.nodes),
        links_(links),
        patience_(patience),
        sending_(places(nodes_.ranks())),
        receiving_(places(nodes_.ranks())),
        out_of_(places(nodes_.count())),
        into_(places(nodes_.count())),
        sent_(places(nodes_.ranks())),
        lockstep_(*this, nodes_.ranks(), call.schedules()) {
    traffic_.leaving.resize(out_of_.size());
    traffic_.entering.resize(into_.size());
  }

  std::optional<Traffic> run() {
    lockstep_.run();
    while (!agenda_.empty()) {
      const auto [time, event] = agenda_.take();
      now_ = time;
      if (now_ > patience_.seconds || patience_.transfers < 0) return std::nullopt;
      if (event.flight == steps_done) {
        lockstep_.ready(event.rank);
      } else {
        land(static_cast<std::size_t>(event.flight));
      }
      lockstep_.run();
    }
    lockstep_.require_end();
    traffic_.seconds = now_;
    return std::move(traffic_);
  }

  // What Lockstep calls.

  void posted(int /*rank*/, int /*round*/, const Round& /*posted*/) {}

  void matched(const Posted& send, const Posted& receive) {
    --patience_.transfers;
    const std::int64_t flight = keep({send, receive});
    const Units units = send.transfer->data.length();
    const int from = nodes_.part_of(send.rank);
    const int to = nodes_.part_of(receive.rank);
    const double landing = from == to ? pass_within(send.rank, receive.rank, units)
                                      : pass_between(send.rank, receive.rank, from, to, units);
    agenda_.add(landing, {flight, 0});
  }

  void arrived(int rank, int /*round*/, const Round& arrived) {
    double units = 0;
    for (const LocalStep* step : arrived.steps) units += static_cast<double>(step->into.length());
    agenda_.add(now_ + links_.step_byte * units, {steps_done, rank});
  }

  void landed(int /*rank*/, const Transfer& /*deferred*/) {}

 private:
  static constexpr std::int64_t steps_done = -1;

  struct Flight {
    Posted send;
    Posted receive;
  };
  struct Event {
    std::int64_t flight;  // that lands, or steps_done
    int rank;
  };
  // The last long message of a rank to another node.
  struct Sent {
    int peer = -1;
    double start = 0;
    double end = 0;
  };

  static std::size_t places(int count) { return static_cast<std::size_t>(count); }

  std::int64_t keep(const Flight& flight) {
    if (free_.empty()) {
      flights_.push_back(flight);
      return static_cast<std::int64_t>(flights_.size()) - 1;
    }
    const std::size_t at = free_.back();
    free_.pop_back();
    flights_[at] = flight;
    return static_cast<std::int64_t>(at);
  }

  // All return when the message has arrived.

  double pass_within(int sender, int receiver, Units units) {
    const double time = links_.near_byte * static_cast<double>(units);
    const double left = std::max(now_, sending_[places(sender)]);
    sending_[places(sender)] = left + time;
    const double arrived = std::max(left + links_.near_startup, receiving_[places(receiver)]);
    receiving_[places(receiver)] = arrived + time;
    return arrived + time;
  }

  double pass_between(int sender, int receiver, int from, int to, Units units) {
    traffic_.leaving[places(from)] += units;
    traffic_.entering[places(to)] += units;
    const double time = links_.byte * static_cast<double>(units);
    const double left = std::max({now_, sending_[places(sender)], out_of_[places(from)]});
    out_of_[places(from)] = left + time;
    sending_[places(sender)] = left + std::max(time, links_.gap);
    const double arrived = std::max(
        {left + links_.startup, receiving_[places(receiver)], into_[places(to)]});
    into_[places(to)] = arrived + time;
    receiving_[places(receiver)] = arrived + std::max(time, links_.gap);
    return cross(sender, receiver, units, left, arrived + time);
  }

  // Later if a message the other way is under way.
  double cross(int sender, int receiver, Units units, double left, double landing) {
    if (static_cast<double>(units) < links_.crossing) return landing;
    const Sent& other = sent_[places(receiver)];
    if (other.peer == sender && other.end > left) {
      const double time = links_.byte * static_cast<double>(units);
      landing = std::max(landing, other.start + links_.startup + links_.pairing * time);
    }
    sent_[places(sender)] = {receiver, left, landing};
    return landing;
  }

  void land(std::size_t at) {
    const Flight flight = flights_[at];
    free_.push_back(at);
    lockstep_.complete(flight.send, flight.receive);
  }

  const Partition& nodes_;
  const NodeLinks& links_;
  Patience& patience_;
  Traffic traffic_;
  double now_ = 0;
  Agenda<Event> agenda_;
  std::vector<Flight> flights_;
  std::vector<std::size_t> free_;   // places in flights_
  std::vector<double> sending_;     // until when each rank does
  std::vector<double> receiving_;
  std::vector<double> out_of_;      // until when each node's link is busy
  std::vector<double> into_;
  std::vector<Sent> sent_;
  Lockstep<RunOverNodes> lockstep_;
};

}  // namespace

std::optional<Traffic> run_over_nodes(const Choice& choice, const Case& of, const NodeLinks& links,
                                      Patience& patience) {
  if (!of.topology.nodes.known()) throw std::invalid_argument("nobody knows the nodes of the case");
  const Call call(choice, of);
  return RunOverNodes(call, links, patience).run();
}

}  // namespace roundelay::interpret
