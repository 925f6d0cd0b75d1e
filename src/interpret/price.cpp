// SPDX-License-Identifier: Apache-2.0
#include "interpret/price.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "interpret/event_loop.hpp"
#include "interpret/flights.hpp"
#include "interpret/lockstep.hpp"
#include "interpret/waiting_for_ports.hpp"

namespace roundelay::interpret {

namespace {

// Their sends and receives take about a gigabyte.
constexpr std::ptrdiff_t most_messages_in_flight = 2'000'000;

class TooManyInFlight : public std::exception {};

class Clockwork {
 public:
  Clockwork(int p, const Schedules& schedules, const Network& network, const std::stop_token& stop)
      : network_(network),
        stop_(stop),
        sending_(static_cast<std::size_t>(p), network.ports),
        receiving_(static_cast<std::size_t>(p), network.ports),
        waiting_(p),
        lockstep_(*this, p, schedules) {}

  double run() {
    events_.run(lockstep_, no_limit, [&](std::size_t flight) { land(flight); });
    return events_.now();
  }

  // What Lockstep calls.

  void posted(int /*rank*/, int /*round*/, const Round& posted) {
    if (stop_.stop_requested()) throw Stopped();
    open_ +=
        std::ranges::count_if(posted.transfers, [](const Transfer* it) { return it->happens(); });
    if (open_ > 2 * most_messages_in_flight) throw TooManyInFlight();
  }

  void matched(const Posted& send, const Posted& receive) {
    const std::size_t flight = flights_.keep({send, receive});
    if (!start(flight)) waiting_.add(flight, send.rank, receive.rank);
  }

  void arrived(int rank, int /*round*/, const Round& arrived) {
    double units = 0;
    for (const LocalStep* step : arrived.steps) {
      if (step->kind == LocalStep::Kind::combine) units += static_cast<double>(step->into.length());
    }
    events_.add_steps_done(events_.now() + network_.gamma * units, rank);
  }

  void landed(int /*rank*/, const Transfer& /*deferred*/) {}

 private:
  int& sender_ports(const Flight& flight) {
    return sending_[static_cast<std::size_t>(flight.send.rank)];
  }
  int& receiver_ports(const Flight& flight) {
    return receiving_[static_cast<std::size_t>(flight.receive.rank)];
  }

  // If both have a port free.
  bool start(std::size_t at) {
    const Flight& flight = flights_[at];
    if (sender_ports(flight) == 0 || receiver_ports(flight) == 0) return false;
    --sender_ports(flight);
    --receiver_ports(flight);
    const bool near =
        flight.send.rank / network_.ranks_per_node == flight.receive.rank / network_.ranks_per_node;
    const double alpha = near ? network_.alpha_node : network_.alpha;
    const double beta = near ? network_.beta_node : network_.beta;
    const auto units = static_cast<double>(flight.send.transfer->data.length());
    events_.add_landing(events_.now() + alpha + beta * units, at);
    return true;
  }

  void land(std::size_t at) {
    const Flight flight = flights_.take(at);
    ++sender_ports(flight);
    ++receiver_ports(flight);
    waiting_.retry(flight.send.rank, flight.receive.rank, sending_, receiving_,
                   [&](std::size_t other) { start(other); });
    open_ -= 2;
    lockstep_.complete(flight.send, flight.receive);
  }

  Network network_;
  std::ptrdiff_t open_ = 0;  // sends and receives that are posted and have not landed
  std::stop_token stop_;
  EventLoop events_;
  Flights flights_;
  std::vector<int> sending_;  // ports free
  std::vector<int> receiving_;
  WaitingForPorts waiting_;
  Lockstep<Clockwork> lockstep_;
};

}  // namespace

double price(int p, const Schedules& schedules, const Network& network,
             const std::stop_token& stop) {
  if (network.ports < 1 || network.ranks_per_node < 1) {
    throw std::invalid_argument("a network has at least one port and one rank per node, not " +
                                std::to_string(network.ports) + " and " +
                                std::to_string(network.ranks_per_node));
  }
  return Clockwork(p, schedules, network, stop).run();
}

double price(const Choice& choice, const Case& of, const Network& network,
             const std::stop_token& stop) {
  const Call call(choice, of);
  try {
    return price(of.ranks(), call.schedules(), network, stop);
  } catch (const TooManyInFlight&) {
    throw std::invalid_argument(std::string(name_of(choice.algorithm->collective)) + "." +
                                choice.text() + ": with " + std::to_string(of.ranks()) +
                                " ranks more than " + std::to_string(most_messages_in_flight) +
                                " messages are in flight at once, which do not fit into memory: "
                                "give fewer ranks");
  }
}

}  // namespace roundelay::interpret
