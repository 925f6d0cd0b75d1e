// SPDX-License-Identifier: Apache-2.0
#include "interpret/call.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "interpret/passing.hpp"

namespace roundelay::interpret {

namespace {

// The case, complete, if it is one of the algorithm.
Case checked(const Choice& choice, Case of) {
  const Algorithm& algorithm = *choice.algorithm;
  const Collective collective = algorithm.collective;
  const std::string name = std::string(name_of(collective)) + "." + std::string(algorithm.name);
  const auto require = [&](bool condition, const std::string& sentence) {
    if (!condition) throw std::invalid_argument(name + ": " + sentence);
  };
  const bool two_groups = algorithm.groups == Groups::two;
  require(of.p > 0, "the number of ranks must be positive, not " + std::to_string(of.p));
  require((of.q > 0) == two_groups && of.q >= 0,
          std::string("the number of receivers must be ") +
              (two_groups ? "positive" : "0, as there is one group") + ", not " +
              std::to_string(of.q));
  const int roots = receives_at_root(collective) ? of.receivers() : of.p;
  require(of.root >= 0 && of.root < roots,
          "root " + std::to_string(of.root) + " is not one of " + std::to_string(roots) + " ranks");
  require(of.m >= 0, "the length must not be negative: " + std::to_string(of.m));
  require(of.ports >= 0, "the number of ports must not be negative: " + std::to_string(of.ports));
  require(of.longest >= 0 && of.longest <= of.m,
          "the longest block cannot be of " + std::to_string(of.longest) + " units");
  const Units less = of.m / of.p * of.p;
  require(!has_p_blocks(collective) || of.m == less,
          "the length must be a multiple of the " + std::to_string(of.p) + " ranks, not " +
              std::to_string(of.m) + ": give " + std::to_string(less) + " or " +
              std::to_string(less + of.p));
  if (among_neighbours(collective) && of.graph == nullptr) {
    of.graph = std::make_shared<const Graph>(Graph::ring(of.p));
  }
  require(of.graph == nullptr || (of.graph->ranks() == of.p && of.graph->consistent()),
          "the graph must be one of " + std::to_string(of.p) +
              " ranks, with every edge at both its ends");
  require(!algorithm.native(), "the MPI library's own algorithm has no schedule");
  for (const Level level : {Level::nodes, Level::sites}) {
    const Partition& parts = of.topology.at(level);
    require(!parts.known() || parts.ranks() == of.ranks(),
            "places are given for " + std::to_string(parts.ranks()) + " ranks, but there are " +
                std::to_string(of.ranks()));
  }
  const Restriction* restriction = violated(choice, circumstances_of(of));
  if (restriction != nullptr) require(false, std::string(sentence_of(*restriction)));
  return of;
}

}  // namespace

Call::Call(const Choice& choice, const Case& of)
    : choice_(choice),
      of_(checked(choice, of)),
      claims_(choice_.claims()),
      root_(of.q > 0 && receives_at_root(collective()) ? of.p + of.root : of.root),
      lengths_(choice_, of_) {
  if (choice_.algorithm->pads) {
    of_.m = even_length();
    lengths_.pad();
  }
  scratch_ = static_cast<Units>(std::ceil(claims_.scratch(dimensions())));
  collect_rows();
  problems_.reserve(static_cast<std::size_t>(of.ranks()));
  for (int rank = 0; rank < of.ranks(); ++rank) {
    Problem& problem = problems_.emplace_back();
    problem.group = Group(rank, of.ranks());
    problem.senders = of.q > 0 ? of.p : 0;
    problem.root = root_;
    problem.commutative = of.commutative;
    problem.network = of.network;
    if (choice_.algorithm->uses_topology()) problem.topology = &of_.topology;
    problem.graph = of_.graph.get();
    problem.choice = &choice_;
    pose(problem);
    if (of.apart) lay_out(problem);
    if (!rows_.empty()) {
      problem.rows = rows_[static_cast<std::size_t>(of_.topology.sites.part_of(rank))];
    }
  }
  tell_lengths();
}

// Where blocks are of any lengths, for an algorithm that passes them on.
void Call::tell_lengths() {
  if (!choice_.algorithm->passes_on || !choice_.algorithm->tells_lengths(of_.graph.get())) return;
  if (!lengths_.longest()) return;
  std::vector<std::vector<Units>> lengths;
  for (int rank = 0; rank < of_.p; ++rank) {
    const auto row = lengths_.row(rank, {}).counts();
    lengths.emplace_back(row.begin(), row.end());
  }
  passing_ = passing_lengths(problems_, std::move(lengths));
  for (std::size_t rank = 0; rank < problems_.size(); ++rank) {
    problems_[rank].passing = passing_[rank];
  }
}

// Where blocks are of any lengths, for an algorithm that asks for them.
void Call::collect_rows() {
  if (!choice_.algorithm->needs_rows || collective() == Collective::alltoall) return;
  const Partition& sites = of_.topology.sites;
  for (int site = 0; site < sites.count(); ++site) {
    std::vector<Units>& rows = rows_.emplace_back();
    for (const int rank : sites.members(site)) {
      const auto row = lengths_.row(rank, {}).counts();
      rows.insert(rows.end(), row.begin(), row.end());
    }
  }
}

Dimensions Call::dimensions() const {
  Dimensions dimensions{.p = of_.p,
                        .m = static_cast<double>(of_.m),
                        .network = of_.network,
                        .q = of_.q,
                        .topology = &of_.topology,
                        .graph = of_.graph.get()};
  if (const auto longest = lengths_.longest()) dimensions.longest = static_cast<double>(*longest);
  return dimensions;
}

Units Call::even_length() const {
  const auto longest = lengths_.longest();
  return longest ? lengths_.count() * *longest : of_.m;
}

int Call::ports() const {
  if (of_.ports != 0) return of_.ports;
  return std::max(1, static_cast<int>(claims_.ports(dimensions())));
}

bool Call::is_symmetric() const { return claims_.symmetric && of_.longest == 0; }

Schedules Call::schedules() const {
  return [this](int rank) { return schedule(rank); };
}

}  // namespace roundelay::interpret
