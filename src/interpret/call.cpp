// SPDX-License-Identifier: Apache-2.0
#include "interpret/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "interpret/passing.hpp"

namespace roundelay::interpret {

namespace {

void require(bool condition, const std::string& sentence) {
  if (!condition) throw std::invalid_argument(sentence);
}

// Whether it is who receives that has a block of its own of what is cut.
bool cuts_what_is_received(Collective collective) {
  return facts_of(collective).cut == Cut::by_receiver;
}

Units weight(Distribution distribution, int i, int p) {
  switch (distribution) {
    case Distribution::even: return 1;
    case Distribution::uneven: return i % 3;
    case Distribution::degenerate: return i == p / 2 ? 1 : 0;
  }
  return 0;
}

}  // namespace

Call::Call(const Choice& choice, const Case& of) : choice_(choice), of_(of) {
  const std::string name =
      std::string(name_of(collective())) + "." + std::string(choice_.algorithm->name);
  require(of.p > 0, name + ": the number of ranks must be positive, not " + std::to_string(of.p));
  require((of.q > 0) == (choice_.algorithm->groups == Groups::two) && of.q >= 0,
          name + ": the number of receivers must be " +
              (choice_.algorithm->groups == Groups::two ? "positive" : "0, as there is one group") +
              ", not " + std::to_string(of.q));
  const bool among_receivers = of.q > 0 && receives_at_root(collective());
  const int roots = among_receivers ? of.q : of.p;
  require(of.root >= 0 && of.root < roots, name + ": root " + std::to_string(of.root) +
                                               " is not one of " + std::to_string(roots) +
                                               " ranks");
  root_ = among_receivers ? of.p + of.root : of.root;
  require(of.m >= 0, name + ": the length must not be negative: " + std::to_string(of.m));
  require(of.ports >= 0,
          name + ": the number of ports must not be negative: " + std::to_string(of.ports));
  require(of.longest >= 0 && of.longest <= of.m,
          name + ": the longest block cannot be of " + std::to_string(of.longest) + " units");
  const Units less = of.m / of.p * of.p;
  require(!has_p_blocks(collective()) || of.m == less,
          name + ": the length must be a multiple of the " + std::to_string(of.p) + " ranks, not " +
              std::to_string(of.m) + ": give " + std::to_string(less) + " or " +
              std::to_string(less + of.p));
  if (among_neighbours(collective()) && of.graph == nullptr) {
    of_.graph = std::make_shared<const Graph>(Graph::ring(of.p));
  }
  require(of_.graph == nullptr || (of_.graph->ranks() == of.p && of_.graph->consistent()),
          name + ": the graph must be one of " + std::to_string(of.p) +
              " ranks, with every edge at both its ends");
  require(!choice_.algorithm->native(), name + ": the MPI library's own algorithm has no schedule");
  for (const Level level : {Level::nodes, Level::sites}) {
    const Partition& parts = of_.topology.at(level);
    require(!parts.known() || parts.ranks() == of.ranks(),
            name + ": places are given for " + std::to_string(parts.ranks()) +
                " ranks, but there are " + std::to_string(of.ranks()));
  }
  if (const Restriction* restriction = violated(choice_, circumstances_of(of_))) {
    throw std::invalid_argument(name + ": " + std::string(sentence_of(*restriction)));
  }
  cut();
  if (choice_.algorithm->pads) pad();
  scratch_ = static_cast<Units>(std::ceil(choice_.claims().scratch(dimensions())));
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
  std::vector<std::vector<Units>> lengths;
  const auto size = static_cast<std::size_t>(of_.p);
  for (const Cut& sent : sent_) lengths.push_back(sent.counts);
  for (std::size_t i = 0; i < cut_.counts.size(); i += size) {
    const auto row = std::span(cut_.counts).subspan(i, size);
    lengths.emplace_back(row.begin(), row.end());
  }
  if (lengths.empty()) return;
  passing_ = passing_lengths(problems_, std::move(lengths));
  for (std::size_t rank = 0; rank < problems_.size(); ++rank) {
    problems_[rank].passing = passing_[rank];
  }
}

// Where blocks are of any lengths, for an algorithm that asks for them.
void Call::collect_rows() {
  if (!choice_.algorithm->needs_rows || collective() == Collective::alltoall) return;
  const Partition& sites = of_.topology.sites;
  const auto size = static_cast<std::size_t>(of_.p);
  for (int site = 0; site < sites.count(); ++site) {
    std::vector<Units>& rows = rows_.emplace_back();
    for (const int rank : sites.members(site)) {
      const auto row = std::span(cut_.counts).subspan(static_cast<std::size_t>(rank) * size, size);
      rows.insert(rows.end(), row.begin(), row.end());
    }
  }
}

int Call::block_count() const noexcept {
  return of_.q > 0 && cuts_what_is_received(collective()) ? of_.q : of_.p;
}

void Call::Cut::place(int p) {
  displacements.resize(counts.size());
  for (auto row = counts.begin(), place = displacements.begin(); row != counts.end();
       row += p, place += p) {
    std::exclusive_scan(row, row + p, place, Units{0});
  }
}

Blocks Call::Cut::row(int index, int p, Slice whole) const {
  const auto size = static_cast<std::size_t>(p);
  const std::size_t first = static_cast<std::size_t>(index) * size;
  const Units length = displacements[first + size - 1] + counts[first + size - 1];
  return Blocks::cut({whole.space(), whole.offset(), length},
                     std::span(counts).subspan(first, size),
                     std::span(displacements).subspan(first, size));
}

// Of what goes along each edge of a graph, at both ends. A block that no edge has is empty.
void Call::cut_by_edges() {
  const Graph& graph = *of_.graph;
  const Distribution distribution = irregular(collective()) ? of_.distribution : Distribution::even;
  const bool one = sends_one_block(collective());
  const auto length = [&](int rank, Edge along) {
    const bool uneven = distribution == Distribution::uneven;
    const int which = uneven && !one ? rank + 2 * along.peer + along.block : rank;
    return weight(distribution, which, of_.p) * (of_.m / of_.p);
  };
  sent_.resize(static_cast<std::size_t>(of_.p));
  received_.resize(sent_.size());
  for (int rank = 0; rank < of_.p; ++rank) {
    Cut& sent = sent_[static_cast<std::size_t>(rank)];
    sent.counts.resize(static_cast<std::size_t>(one ? 1 : graph.sent_blocks(rank)));
    if (one) sent.counts.front() = length(rank, {});
    for (const Edge to : graph.destinations(rank)) {
      if (!one) sent.counts[static_cast<std::size_t>(to.block)] = length(rank, to);
    }
    Cut& received = received_[static_cast<std::size_t>(rank)];
    received.counts.resize(static_cast<std::size_t>(graph.received_blocks(rank)));
    for (std::size_t i = 0; i < graph.sources(rank).size(); ++i) {
      const Edge from = graph.sources(rank)[i];
      received.counts[static_cast<std::size_t>(from.block)] =
          length(from.peer, {rank, graph.sent_along(rank, i).block});
    }
    for (Cut* cut : {&sent, &received}) {
      if (!cut->counts.empty()) cut->place(static_cast<int>(cut->counts.size()));
    }
  }
}

// All of them, of a space; one that is empty, if there are none.
Blocks Call::Cut::all(Slice whole) const {
  return counts.empty() ? Blocks() : row(0, static_cast<int>(counts.size()), whole);
}

// Lengths and places of all blocks.
void Call::cut() {
  if (among_neighbours(collective())) return cut_by_edges();
  const bool irregular_ones = irregular(collective());
  if (exchanges(collective())) {
    const Distribution distribution = irregular_ones ? of_.distribution : Distribution::even;
    // Cut evenly, without p^2 lengths.
    const bool asks = choice_.algorithm->needs_rows && irregular_ones;
    if (distribution == Distribution::even && !asks) return;
    // How many times m / p units rank i has for rank j.
    const auto times = [&](int i, int j) {
      if (distribution == Distribution::uneven) {
        // In place both have the same, so that they can be exchanged.
        return weight(distribution, of_.in_place ? i + j : i + 2 * j, of_.p);
      }
      const Units own = weight(distribution, i, of_.p);
      return of_.in_place ? std::max(own, weight(distribution, j, of_.p)) : own;
    };
    for (int i = 0; i < of_.p; ++i) {
      for (int j = 0; j < of_.p; ++j) {
        cut_.counts.push_back(times(i, j) * (of_.m / of_.p));
        turned_.counts.push_back(times(j, i) * (of_.m / of_.p));
      }
    }
    turned_.place(of_.p);
  } else if (irregular_ones && of_.longest > 0) {
    const auto count = static_cast<std::size_t>(block_count());
    const Units others = std::max<Units>(1, block_count() - 1);
    const Units rest = of_.m - of_.longest;
    for (std::size_t i = 0; i < count; ++i) {
      const auto before = static_cast<Units>(i > count / 2 ? i - 1 : i);
      cut_.counts.push_back(i == count / 2 ? of_.longest
                                           : rest / others + (before < rest % others ? 1 : 0));
    }
  } else if (irregular_ones) {
    const int count = block_count();
    Units whole = 0;
    for (int i = 0; i < count; ++i) whole += weight(of_.distribution, i, count);
    Units rest = whole == 0 ? of_.m : of_.m % whole;
    for (int i = 0; i < count; ++i) {
      const Units times = weight(of_.distribution, i, count);
      // What is left over goes to the last ranks that have any, or to the last of all.
      cut_.counts.push_back(whole == 0 ? 0 : times * (of_.m / whole));
    }
    const auto last = static_cast<std::size_t>(count);
    for (std::size_t i = last; rest > 0; i = i > 1 ? i - 1 : last) {
      if (whole != 0 && cut_.counts[i - 1] == 0 && of_.m >= whole) continue;
      ++cut_.counts[i - 1];
      --rest;
    }
  }
  cut_.place(block_count());
}

// All blocks as long as the longest.
void Call::pad() {
  of_.m = even_length();
  cut_ = turned_ = {};
}

// The blocks that one rank has for each, or those that all share.
Blocks Call::row(int rank, Slice whole) const {
  if (cut_.counts.empty()) return Blocks::even(whole, block_count());
  return cut_.row(exchanges(collective()) ? rank : 0, block_count(), whole);
}

// The blocks that one rank gets from each.
Blocks Call::column(int rank, Slice whole) const {
  if (turned_.counts.empty()) return Blocks::even(whole, of_.p);
  return turned_.row(rank, of_.p, whole);
}

void Call::lay_out(Problem& problem) {
  const int rank = problem.group.rank;
  if (!laid_out(collective()) || !has_blocks(rank)) return;
  const bool in_place = !problem.given.is_even() && problem.given.whole() == problem.blocks.whole();
  problem.blocks = laid_apart(problem.blocks, rank);
  problem.given = in_place ? problem.blocks : laid_apart(problem.given, rank + 1);
}

// Downwards or upwards from block `first` on, with a unit between some of them. Empty ones lie
// anywhere.
Blocks Call::laid_apart(const Blocks& blocks, int first) {
  if (blocks.is_even()) return blocks;
  const int count = blocks.size();
  std::vector<Units>& places = places_.emplace_back(static_cast<std::size_t>(count));
  Units end = 0;
  Units next = 0;
  for (int i = 0; i < count; ++i) {
    const int which = (first % 2 == 0 ? first + count - i : first + i) % count;
    const Units length = blocks[which].length();
    if (length == 0) continue;
    places[static_cast<std::size_t>(which)] = next;
    end = next + length;
    next = end + (i % 3 == 2 ? 0 : 1);
  }
  return Blocks::cut({blocks.whole().space(), 0, end}, blocks.counts(), places);
}

void Call::pose(Problem& problem) {
  if (of_.q > 0) return pose_between(problem);
  const int rank = problem.group.rank;
  const bool root = rank == root_;
  const Slice input(Space::input, 0, of_.m);
  const Slice output(Space::output, 0, of_.m);
  switch (collective()) {
    case Collective::allgather:
    case Collective::allgatherv: problem.blocks = row(rank, output); break;
    case Collective::bcast: problem.data = output; break;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      problem.blocks = column(rank, output);
      problem.given = of_.in_place ? problem.blocks : row(rank, input);
      break;
    case Collective::gather:
    case Collective::gatherv:
      if (root || collective() == Collective::gather) problem.blocks = row(rank, output);
      if (!root) problem.input = {Space::input, 0, row(rank, output)[rank].length()};
      break;
    case Collective::scatter:
    case Collective::scatterv:
      if (root || collective() == Collective::scatter) problem.blocks = row(rank, input);
      if (!root) problem.data = {Space::output, 0, row(rank, input)[rank].length()};
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
      problem.input = sent_[static_cast<std::size_t>(rank)].all(input)[0];
      problem.blocks = received_[static_cast<std::size_t>(rank)].all(output);
      break;
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw:
      problem.given = sent_[static_cast<std::size_t>(rank)].all(input);
      problem.blocks = received_[static_cast<std::size_t>(rank)].all(output);
      break;
    case Collective::reduce:
      problem.data = output;
      problem.input = of_.in_place && root ? output : input;
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      problem.blocks = row(rank, output);
      problem.input = of_.in_place ? output : input;
      break;
    case Collective::allreduce:
    case Collective::exscan:
    case Collective::scan:
      problem.data = output;
      problem.input = of_.in_place ? output : input;
      break;
    case Collective::barrier: break;
  }
}

void Call::pose_between(Problem& problem) const {
  const int rank = problem.group.rank;
  const bool root = rank == root_;
  const Slice input(Space::input, 0, of_.m);
  const Slice output(Space::output, 0, of_.m);
  const auto part = [&](Space space, int which) {
    return Slice(space, 0, row(rank, output)[which].length());
  };
  switch (collective()) {
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::gather:
      problem.blocks = row(rank, output);
      if (sends(rank)) problem.input = part(Space::input, rank);
      break;
    case Collective::gatherv:
      if (root) problem.blocks = row(rank, output);
      if (sends(rank)) problem.input = part(Space::input, rank);
      break;
    case Collective::allreduce:
    case Collective::reduce:
      if (sends(rank)) problem.input = input;
      if (root || (!sends(rank) && collective() == Collective::allreduce)) problem.data = output;
      break;
    case Collective::bcast:
      if (root || !sends(rank)) problem.data = output;
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      problem.blocks = row(rank, output);
      if (sends(rank)) problem.input = input;
      if (!sends(rank)) problem.data = part(Space::output, rank - of_.p);
      break;
    case Collective::scatter:
    case Collective::scatterv:
      if (root || collective() == Collective::scatter) problem.blocks = row(rank, input);
      if (!sends(rank)) problem.data = part(Space::output, rank - of_.p);
      break;
    default: break;  // nothing, or there is none between groups
  }
}

Dimensions Call::dimensions() const {
  Dimensions dimensions{.p = of_.p,
                        .m = static_cast<double>(of_.m),
                        .network = of_.network,
                        .q = of_.q,
                        .topology = &of_.topology,
                        .graph = of_.graph.get()};
  if (!cut_.counts.empty()) {
    dimensions.longest = static_cast<double>(std::ranges::max(cut_.counts));
  } else if (among_neighbours(collective())) {
    const Units longest = even_length() / of_.p;
    dimensions.longest = static_cast<double>(longest);
  }
  return dimensions;
}

Units Call::even_length() const {
  if (among_neighbours(collective())) {
    Units longest = 0;
    for (const Cut& sent : sent_) {
      for (const Units count : sent.counts) longest = std::max(longest, count);
    }
    return of_.p * longest;
  }
  return cut_.counts.empty() ? of_.m : block_count() * std::ranges::max(cut_.counts);
}

int Call::ports() const {
  if (of_.ports != 0) return of_.ports;
  return std::max(1, static_cast<int>(choice_.claims().ports(dimensions())));
}

bool Call::is_symmetric() const { return choice_.claims().symmetric && of_.longest == 0; }

Schedules Call::schedules() const {
  return [this](int rank) { return schedule(rank); };
}

bool Call::has_blocks(int rank) const noexcept {
  switch (collective()) {
    case Collective::gather:
    case Collective::scatter: return rank == root_;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return of_.q == 0;
    default: return !sends(rank) || (rooted(collective()) && rank == root_);
  }
}

Units Call::size(int rank, Space space) const {
  const Problem& x = problem(rank);
  if (space == Space::scratch) return scratch_;
  Units size = 0;
  for (const Slice slice :
       {x.input, x.data, x.given.whole(), has_blocks(rank) ? x.blocks.whole() : Slice()}) {
    if (slice.space() == space) size = std::max(size, slice.end());
  }
  return size;
}

Slice Call::given(int rank) const {
  const Problem& x = problem(rank);
  const bool root = rank == root_;
  if (of_.q > 0) {
    if (!sends(rank)) return {};
    if (!root || !rooted(collective())) return x.input;
    return collective() == Collective::bcast ? x.data : x.blocks.whole();
  }
  const Buffers& given = facts_of(collective()).given;
  return slice_of(rank, root ? given.at_root : given.elsewhere);
}

Slice Call::slice_of(int rank, ProblemSlice which) const {
  const Problem& x = problem(rank);
  switch (which) {
    case ProblemSlice::nothing: return {};
    case ProblemSlice::input: return x.input;
    case ProblemSlice::data: return x.data;
    case ProblemSlice::all_blocks: return x.blocks.whole();
    case ProblemSlice::own_block: return x.blocks[rank];
    case ProblemSlice::given_blocks: return x.given.whole();
  }
  return {};
}

Slice Call::wanted(int rank) const {
  if (sends(rank)) return {};
  // Nobody is before rank 0.
  if (collective() == Collective::exscan && rank == 0) return {};
  if (of_.q > 0 && cuts_what_is_received(collective())) return problem(rank).data;
  const Buffers& wanted = facts_of(collective()).wanted;
  return slice_of(rank, rank == root_ ? wanted.at_root : wanted.elsewhere);
}

std::vector<Slice> Call::left_alone(int rank) const {
  if (collective() == Collective::exscan && rank == 0) return {problem(rank).data};
  const Blocks& blocks = problem(rank).blocks;
  if (!of_.apart || blocks.is_even() || blocks.whole().space() != Space::output) return {};
  std::vector<Slice> gaps;
  Units end = 0;
  for (const Run& run : runs_of(blocks, 0)) {
    if (run.offset > end) gaps.emplace_back(Space::output, end, run.offset - end);
    end = run.end();
  }
  return gaps;
}

Message Call::runs_of(const Blocks& blocks, Units index) {
  Message runs;
  for (int block = 0; block < blocks.size(); ++block) {
    const Slice its = blocks[block];
    if (!its.empty()) runs.push_back({its.offset(), its.length(), index, 0});
    index += its.length();
  }
  std::ranges::sort(runs, {}, &Run::offset);
  return runs;
}

// What a rank gives begins with that unit of the message.
Units Call::index_of_given(int rank) const noexcept {
  if (exchanges(collective())) return rank * (2 * of_.m + 1);  // a row is no longer than that
  const Units blocks = of_.graph->degree() + Units{1};
  return rank * (2 * blocks * of_.m + 1);  // a block is no longer than 2 m / p
}

Message Call::given_runs(int rank) const {
  const Slice slice = given(rank);
  if (slice.empty()) return {};
  Units index = slice.offset();
  if (has_p_blocks(collective())) {
    index = index_of_given(rank);
  } else if (!reduces(collective()) && facts_of(collective()).cut == roundelay::Cut::by_sender) {
    index = row(rank, {Space::output, 0, of_.m})[rank].offset();
  }
  if (of_.apart) {
    for (const Blocks& blocks : {problem(rank).given, problem(rank).blocks}) {
      if (!blocks.is_even() && slice == blocks.whole()) return runs_of(blocks, index);
    }
  }
  return {{slice.offset(), slice.length(), index,
           reduces(collective()) ? static_cast<Expression>(rank) : Expression{0}}};
}

Message Call::wanted_runs(int rank) const {
  const Slice slice = wanted(rank);
  if (slice.empty()) return {};
  if (among_neighbours(collective())) {
    Message runs;
    for (std::size_t i = 0; i < of_.graph->sources(rank).size(); ++i) {
      const Edge from = of_.graph->sources(rank)[i];
      const Slice block = problem(rank).blocks[from.block];
      if (block.empty()) continue;
      const auto their_block = static_cast<std::size_t>(of_.graph->sent_along(rank, i).block);
      const Units place =
          sends_one_block(collective())
              ? 0
              : sent_[static_cast<std::size_t>(from.peer)].displacements[their_block];
      runs.push_back({block.offset(), block.length(), index_of_given(from.peer) + place, 0});
    }
    std::ranges::sort(runs, {}, &Run::offset);
    return runs;
  }
  if (exchanges(collective())) {
    Message runs;
    for (int from = 0; from < of_.p; ++from) {
      const Slice block = problem(rank).blocks[from];
      if (block.empty()) continue;
      runs.push_back({block.offset(), block.length(),
                      index_of_given(from) + row(from, {Space::input, 0, of_.m})[rank].offset(),
                      0});
    }
    std::ranges::sort(runs, {}, &Run::offset);
    return runs;
  }
  const Blocks& blocks = problem(rank).blocks;
  if (of_.apart && !blocks.is_even() && slice == blocks.whole()) return runs_of(blocks, 0);
  const bool is_block = slice == problem(rank).data && cuts_what_is_received(collective());
  const int block = of_.q > 0 ? rank - of_.p : rank;
  return {{slice.offset(), slice.length(),
           is_block ? row(rank, {Space::input, 0, of_.m})[block].offset() : slice.offset(), 0}};
}

RankRange Call::contributors(int rank) const {
  if (collective() == Collective::scan) return {0, rank + 1};
  if (collective() == Collective::exscan) return {0, rank};
  return {0, of_.p};
}

}  // namespace roundelay::interpret
