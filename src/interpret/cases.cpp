// SPDX-License-Identifier: Apache-2.0
// Which cases prove an algorithm.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "interpret/thrown.hpp"
#include "interpret/verify.hpp"
#include "schedule/idle_rounds.hpp"

namespace roundelay::interpret {

namespace {

// What p, the greatest power of two in it and, where blocks are cut into as many as the choice
// says, that number divide.
Units least_exact(const Choice& choice, int p) {
  const auto ranks = static_cast<unsigned>(p);
  Units pieces = 1;
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    if (choice.values[i].algorithm != nullptr) {
      pieces = std::lcm(pieces, least_exact(choice.nested(i), 1));
    } else if (choice.algorithm->parameters[i].automatic) {
      pieces = std::lcm(pieces, std::max<Units>(1, choice.number(i)));
    }
  }
  return static_cast<Units>(std::lcm(ranks, std::bit_floor(ranks))) * pieces;
}

// With `only`, only that one, if there is such a rank.
std::set<int> roots_of(const Choice& choice, const Case& shape, std::optional<int> only) {
  const Collective collective = choice.algorithm->collective;
  const int p = shape.p;
  const int ranks = shape.q > 0 && receives_at_root(collective) ? shape.q : p;
  if (only.has_value()) {
    if (*only >= ranks) return {};
    return {rooted(collective) ? *only : 0};
  }
  if (!rooted(collective)) return {0};
  if (shape.q > 0) return {0, ranks / 2, ranks - 1};
  if (p > (choice.algorithm->uses_topology() ? 6 : 17)) return {0, 1, p / 2, p - 1};
  std::set<int> roots;
  for (int root = 0; root < p; ++root) roots.insert(root);
  return roots;
}

// Where there are two groups, how many receive: as many as send, a multiple, one more and one less.
std::set<int> receivers_of(int p) {
  std::set<int> receivers{1, p, p + 1, 2 * p + 1};
  if (p <= 12) receivers.insert({std::max(1, p - 1), p + 2, 2 * p, 3 * p + 1});
  return receivers;
}

// Two parts and more, of equal and of unequal sizes, of ranks that follow each other or do not.
std::vector<Partition> partitions_of(int p) {
  std::vector<Partition> partitions;
  const auto add = [&](int least, auto label) {
    if (p < least) return;
    std::vector<int> labels;
    for (int rank = 0; rank < p; ++rank) labels.push_back(label(rank));
    partitions.push_back(Partition::by(labels));
  };
  add(1, [&](int rank) { return 2 * rank / p; });
  add(3, [&](int rank) { return rank == p / 2 ? 0 : 1; });
  add(4, [&](int rank) { return rank * rank % 3; });
  add(5, [&](int rank) { return rank % 2 == 0 ? 0 : rank % 4; });
  add(7, [&](int rank) { return std::bit_width(static_cast<unsigned>(5 * rank / p)); });
  if (p <= 8) add(3, [&](int rank) { return rank; });
  return partitions;
}

// The ranks of each part by turns on two nodes of its own.
Partition two_nodes_a_part(const Partition& parts) {
  std::vector<int> nodes;
  for (int rank = 0; rank < parts.ranks(); ++rank) {
    nodes.push_back(2 * parts.part_of(rank) + parts.place_of(rank) % 2);
  }
  return Partition::by(nodes);
}

// So many edges from each rank to ranks that follow from its number and `seed`, itself among them
// and some twice, as blocks of another order; some ranks have none.
std::shared_ptr<const Graph> scattered_graph(int p, unsigned seed) {
  std::vector<Graph::Neighbours> ranks(static_cast<std::size_t>(p));
  for (unsigned rank = 0; rank < ranks.size(); ++rank) {
    const unsigned edges = p > 1 && (rank + seed) % 5 == 4 ? 0 : 1 + rank * seed % 4;
    for (unsigned i = 0; i < edges; ++i) {
      const unsigned peer = (rank + seed * i * (i + 1) / 2) % static_cast<unsigned>(p);
      auto& sources = ranks[peer].sources;
      ranks[rank].destinations.push_back({static_cast<int>(peer), static_cast<int>(edges - 1 - i)});
      sources.push_back({static_cast<int>(rank), static_cast<int>(2 * sources.size())});
    }
  }
  return std::make_shared<const Graph>(std::move(ranks));
}

// A circle; a torus and a grid, of one rank in a dimension where there is no other way; scattered.
std::vector<std::shared_ptr<const Graph>> graphs_of(int p) {
  const auto cartesian = [](const std::vector<int>& lengths, const std::vector<bool>& periodic) {
    return std::make_shared<const Graph>(Graph::cartesian(lengths, periodic));
  };
  int width = std::max(1, static_cast<int>(std::sqrt(p)));
  while (p % width != 0) --width;
  return {cartesian({p}, {true}), cartesian({width, p / width}, {true, true}),
          cartesian({p / width, 1, width}, {false, true, p < 3}), scattered_graph(p, 1),
          scattered_graph(p, 7)};
}

std::vector<Units> lengths_of(const Choice& choice, int p) {
  const Collective collective = choice.algorithm->collective;
  const Units exact = exact_length(choice, p);
  if (collective == Collective::barrier || p > 40) return {exact};
  if (choice.algorithm->groups == Groups::two && p > 12) return {exact, 2 * p + 3};
  const Units ranks = p;
  if (has_p_blocks(collective)) return {exact, 0, ranks, 3 * ranks};
  return {exact, 0, 1, ranks - 1, 2 * ranks + 3};
}

std::vector<Distribution> distributions_of(Collective collective, int p) {
  if (!irregular(collective) || p > (exchanges(collective) ? 64 : 40)) return {Distribution::even};
  return {Distribution::even, Distribution::uneven, Distribution::degenerate};
}

bool cuts_as_it_likes(const Choice& choice) {
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const bool part_does =
        choice.values[i].algorithm != nullptr && cuts_as_it_likes(choice.nested(i));
    if (part_does || (choice.algorithm->parameters[i].automatic && choice.number(i) == 0)) {
      return true;
    }
  }
  return false;
}

// Where an algorithm chooses a parameter itself: also as if messages were long, or had to be short.
// Else one more network for `one` case: every schedule may ask what the network is like.
std::vector<NetworkLengths> networks_of(const Choice& choice, int p, bool one) {
  if (p > 40) return {{}};
  if (cuts_as_it_likes(choice)) return {{}, {.startup = 1, .gap = 1}, {.longest_message = 2}};
  if (one) return {{}, {.startup = 1, .gap = 1, .longest_message = 2}};
  return {{}};
}

// How many rounds each rank yields: changes with the length only where a parameter does that is
// left to the algorithm.
std::vector<int> rounds_of_ranks(const Choice& choice, Case of, Units m) {
  of.m = m;
  const Call call(choice, of);
  std::vector<int> rounds;
  for (int rank = 0; rank < of.ranks(); ++rank) {
    Schedule schedule = call.schedule(rank);
    rounds.push_back(0);
    IdleRounds walk;
    while (walk.next(schedule)) ++rounds.back();
  }
  return rounds;
}

// The last length before a switch of such a parameter and the first after it, of at least one
// switch wherever the number of rounds at a length differs from that at half the length. Found by
// asking the schedules.
std::vector<Units> lengths_at_switches(const Choice& choice, const Case& shape) {
  std::vector<Units> lengths;
  if (shape.p > 40 || !cuts_as_it_likes(choice)) return lengths;
  constexpr Units longest = 32768;
  const Units unit = has_p_blocks(choice.algorithm->collective) ? shape.p : 1;
  const auto rounds_at = [&](Units units) { return rounds_of_ranks(choice, shape, units * unit); };
  std::vector<int> rounds = rounds_at(1);
  for (Units shorter = 1; shorter < longest; shorter *= 2) {
    std::vector<int> rounds_then = rounds_at(2 * shorter);
    if (rounds_then == rounds) continue;
    Units before = shorter;
    Units after = 2 * shorter;
    while (after - before > 1) {
      const Units middle = (before + after) / 2;
      (rounds_at(middle) == rounds ? before : after) = middle;
    }
    lengths.insert(lengths.end(), {before * unit, after * unit});
    rounds = std::move(rounds_then);
  }
  return lengths;
}

bool may_be_in_place(const Algorithm& algorithm) {
  return facts_of(algorithm.collective).in_place ? algorithm.groups == Groups::one
                                                 : algorithm.in_place;
}

std::string_view name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::even: return "even";
    case Distribution::uneven: return "uneven";
    case Distribution::degenerate: return "degenerate";
  }
  return {};
}

std::string ranks_text(const Case& of) {
  std::string all = "p = " + std::to_string(of.p);
  if (of.q > 0) all += ", q = " + std::to_string(of.q);
  if (of.topology.nodes.known()) all += ", nodes " + of.topology.nodes.text();
  if (of.topology.sites.known()) all += ", sites " + of.topology.sites.text();
  if (of.graph != nullptr) all += ", graph " + of.graph->text();
  return all;
}

std::string network_text(const NetworkLengths& network) {
  const auto units = [](const char* name, double number, double usual) {
    return number == usual
               ? ""
               : std::string(", ") + name + " = " + std::to_string(std::llround(number));
  };
  return units("start-up", network.startup, NetworkLengths().startup) +
         units("gap", network.gap, NetworkLengths().gap) +
         units("longest message", network.longest_message, NetworkLengths().longest_message);
}

std::string case_text(const Case& of) {
  return ranks_text(of) + ", root = " + std::to_string(of.root) + ", m = " + std::to_string(of.m) +
         network_text(of.network) + (of.commutative ? "" : ", not commutative") +
         (of.in_place ? ", in place" : "") +
         (of.distribution == Distribution::even
              ? ""
              : ", " + std::string(name_of(of.distribution)) + " blocks") +
         (of.apart ? " with gaps" : "");
}

}  // namespace

Units exact_length(const Choice& choice, int p) {
  return choice.algorithm->collective == Collective::barrier ? 0 : 2 * least_exact(choice, p);
}

Units next_exact_length(const Choice& choice, int p, Units m) {
  const Units least = least_exact(choice, p);
  return (m + least - 1) / least * least;
}

bool claims_are_exact(const Choice& choice, int p, Units m) {
  return choice.algorithm->collective == Collective::barrier ||
         (m > 0 && m % least_exact(choice, p) == 0);
}

std::vector<Case> shapes_of(const Choice& choice, int p) {
  std::vector<Case> shapes;
  if (choice.algorithm->groups == Groups::two) {
    for (const int q : receivers_of(p)) shapes.push_back({.p = p, .q = q});
  } else if (choice.algorithm->uses_topology()) {
    for (const Partition& partition : partitions_of(p)) {
      Case& shape = shapes.emplace_back(Case{.p = p});
      shape.topology.at(level_of(choice)) = partition;
      // Where sites are known, so are nodes.
      if (level_of(choice) == Level::sites) shape.topology.nodes = two_nodes_a_part(partition);
    }
  } else {
    shapes.push_back({.p = p});
  }
  if (!among_neighbours(choice.algorithm->collective)) return shapes;
  std::vector<Case> with_graphs;
  for (Case& shape : shapes) {
    for (auto& graph : graphs_of(p)) {
      shape.graph = std::move(graph);
      with_graphs.push_back(shape);
    }
  }
  return with_graphs;
}

std::vector<Case> cases_of(const Choice& choice, int p) {
  std::vector<Case> cases;
  for (const Case& shape : shapes_of(choice, p)) {
    const std::vector<Case> some = cases_of(choice, shape);
    cases.insert(cases.end(), some.begin(), some.end());
  }
  return cases;
}

std::vector<Case> cases_of(const Choice& choice, const Case& shape, std::optional<int> root) {
  const Collective collective = choice.algorithm->collective;
  const std::vector<Units> at_switches = lengths_at_switches(choice, shape);
  std::vector<Case> cases;
  Case one = shape;
  for (const bool commutative : {true, false}) {
    if (!commutative && !reduces(collective)) continue;
    one.commutative = commutative;
    if (violated(choice, circumstances_of(one)) != nullptr) continue;
    for (const bool in_place : {false, true}) {
      if (in_place && !may_be_in_place(*choice.algorithm)) continue;
      one.in_place = in_place;
      const std::set<int> roots = roots_of(choice, shape, root);
      for (const int each : roots) {
        one.root = each;
        for (const Distribution distribution : distributions_of(collective, shape.p)) {
          one.distribution = distribution;
          one.apart = laid_out(collective) && distribution == Distribution::uneven;
          const std::vector<Units> lengths = lengths_of(choice, shape.p);
          for (const Units m : lengths) {
            one.m = m;
            const bool last = commutative && !in_place && each == *roots.rbegin() &&
                              distribution == Distribution::even && m == lengths.back();
            for (const NetworkLengths& network : networks_of(choice, shape.p, last)) {
              one.network = network;
              cases.push_back(one);
            }
          }
          // Where a message is cut does not depend on the root: two of them are enough.
          if (each != *roots.begin() && each != *roots.rbegin()) continue;
          one.network = {};
          for (const Units m : at_switches) {
            one.m = m;
            cases.push_back(one);
          }
        }
      }
    }
  }
  return cases;
}

bool is_fixed(Collective collective, int p, const std::set<std::uint64_t>& orders) {
  switch (collective) {
    case Collective::scan: return orders.size() == static_cast<std::size_t>(p);
    case Collective::exscan: return orders.size() + 1 == static_cast<std::size_t>(p);
    default: return orders.size() == 1;
  }
}

namespace {

Proof failed(const Proof& proven, const std::string& error) {
  Proof proof;
  proof.cases = proven.cases;
  proof.error = error;
  return proof;
}

std::string order_error(const Choice& choice, int p, const Proof& proven) {
  const Algorithm& algorithm = *choice.algorithm;
  if (!algorithm.fixed_order || is_fixed(algorithm.collective, p, proven.orders)) return {};
  return "it claims a fixed order, but results were combined in " +
         std::to_string(proven.orders.size()) + " different ones";
}

Proof prove_all(const Choice& choice, const Case& shape, const ProofOptions& options) {
  Proof proven;
  proven.ok = true;
  const std::vector<Case> cases = cases_of(choice, shape, options.root);
  for (const Case& of : cases) {
    Proof proof = verify(choice, of, options.stop);
    if (!proof.ok) {
      proof.cases = proven.cases;
      proof.error = case_text(of) + ": " + proof.error;
      return proof;
    }
    ++proven.cases;
    proven.orders.merge(proof.orders);
    if (of.m != cases.front().m || of.network != cases.front().network ||
        of.distribution != Distribution::even) {
      continue;
    }
    proven.rounds = std::max(proven.rounds, proof.rounds);
    proven.volume = std::max(proven.volume, proof.volume);
    proven.far_messages = std::max(proven.far_messages, proof.far_messages);
    proven.far_volume = std::max(proven.far_volume, proof.far_volume);
  }
  if (cases.empty()) return proven;
  const Call call(choice, cases.front());
  if (const std::string error =
          claim_error(choice, call.dimensions(), proven, options.root.has_value());
      !error.empty()) {
    proven.ok = false;
    proven.error = ranks_text(cases.front()) + ", m = " + std::to_string(cases.front().m) +
                   ", the worst of the roots: " + error;
  } else if (const std::string orders = order_error(choice, shape.p, proven); !orders.empty()) {
    return failed(proven, ranks_text(shape) + ": " + orders);
  }
  return proven;
}

}  // namespace

Proof prove(const Choice& choice, int p, const ProofOptions& options) {
  Proof proven;
  proven.ok = true;
  for (const Case& shape : shapes_of(choice, p)) {
    Proof proof = prove(choice, shape, options);
    proven.cases += proof.cases;
    if (!proof.ok) return failed(proven, proof.error);
    proven.orders.merge(proof.orders);
    proven.rounds = std::max(proven.rounds, proof.rounds);
    proven.volume = std::max(proven.volume, proof.volume);
  }
  if (proven.cases == 0 || options.root.has_value()) return proven;
  const std::string error = order_error(choice, p, proven);
  return error.empty() ? proven : failed(proven, "p = " + std::to_string(p) + ": " + error);
}

Proof prove(const Choice& choice, const Case& shape, const ProofOptions& options) {
  try {
    return prove_all(choice, shape, options);
  } catch (const Stopped&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::invalid_argument&) {
    throw;
  } catch (...) {
    return failed({}, ranks_text(shape) + ": it throws " + describe_thrown());
  }
}

}  // namespace roundelay::interpret
