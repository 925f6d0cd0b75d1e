// SPDX-License-Identifier: Apache-2.0
#include "interpret/slowdowns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace roundelay::interpret {

Slowdowns::Slowdowns(const Call& call, const Link& link)
    : ranks_(call.of().ranks()),
      torus_(link.torus),
      hop_(link.hop),
      on_torus_(call.of().q == 0 && !link.torus.empty() && torus_.places() == ranks_),
      taper_(call.of().q == 0 && !on_torus_ ? link.taper : std::span<const double>(), ranks_) {
  if (taper_.any() && !call.is_symmetric()) taper_.count(call, [](int rank) { return rank; });
}

Slowdown Slowdowns::next(int from, int to, int round) {
  if (next_ < slowdowns_.size()) return slowdowns_[next_++];
  return {.byte = taper_.factor(from, to, round)};
}

namespace {

// What goes through something at once.
struct Load {
  double sum = 0;
  double most = 0;

  void add(double more) {
    sum += more;
    most = std::max(most, more);
  }
  // A rank has several links: what it sends over them at once is over with the last.
  [[nodiscard]] double share() const { return sum > 0 ? most / sum : 1; }
};

}  // namespace

void Slowdowns::share_links(const std::vector<Message>& messages) {
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto left = [&](std::size_t i) { return messages[i].left; };
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(left(i), i); });
  slowdowns_.resize(messages.size());
  for (auto first = order.begin(); first != order.end();) {
    const auto last =
        std::find_if(first, order.end(), [&](std::size_t i) { return left(i) > left(*first); });
    share_at_once(messages, {first, last});
    first = last;
  }
}

void Slowdowns::share_at_once(const std::vector<Message>& messages,
                              std::span<const std::size_t> some) {
  const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
  const auto for_each_link = [&](const Message& message, const auto& use) {
    torus_.for_each_link(message.from, message.to, [&](int place, std::size_t direction) {
      use(at(place) * torus_.directions() + direction);
    });
  };
  std::vector<double> units(at(ranks_) * torus_.directions());  // that pass each link
  for (const std::size_t i : some) {
    for_each_link(messages[i], [&](std::size_t link) { units[link] += messages[i].units; });
  }
  std::vector<Load> sent(at(ranks_));
  std::vector<Load> received(at(ranks_));
  for (const std::size_t i : some) {
    const Message& message = messages[i];
    double busiest = 0;
    for_each_link(message, [&](std::size_t link) { busiest = std::max(busiest, units[link]); });
    slowdowns_[i] = {.byte = message.units > 0 ? busiest / message.units : 1,
                     .startup = hop_ * (torus_.hops(message.from, message.to) - 1)};
    sent[at(message.from)].add(busiest);
    received[at(message.to)].add(busiest);
  }
  for (const std::size_t i : some) {
    slowdowns_[i].byte *=
        std::min(sent[at(messages[i].from)].share(), received[at(messages[i].to)].share());
  }
}

const Slowdowns::Shift& Slowdowns::shift(int distance) {
  const auto [at, is_new] = shifts_.try_emplace(distance);
  Shift& its = at->second;
  if (!is_new) return its;
  std::vector<double> passing(static_cast<std::size_t>(ranks_) * torus_.directions());
  for (int rank = 0; rank < ranks_; ++rank) {
    torus_.for_each_link(rank, (rank + distance) % ranks_, [&](int place, std::size_t direction) {
      ++passing[static_cast<std::size_t>(place) * torus_.directions() + direction];
    });
  }
  its.passing.resize(torus_.directions());
  for (std::size_t i = 0; i < passing.size(); ++i) {
    double& most = its.passing[i % torus_.directions()];
    most = std::max(most, passing[i]);
    its.hops += passing[i] / ranks_;
  }
  return its;
}

double Slowdowns::share_alone(int rank, const Round& round, bool sends) {
  if (!on_torus_) return 1;
  std::vector<double> passing(torus_.directions());
  double sum = 0;
  for (const Transfer* transfer : round.transfers) {
    if (!transfer->happens() || transfer->sends() != sends) continue;
    const auto units = static_cast<double>(transfer->data.length());
    const Shift& its = shift(distance(rank, *transfer));
    for (std::size_t i = 0; i < passing.size(); ++i) passing[i] += units * its.passing[i];
    sum += units;
  }
  return sum > 0 ? std::ranges::max(passing) / sum : 1;
}

}  // namespace roundelay::interpret
