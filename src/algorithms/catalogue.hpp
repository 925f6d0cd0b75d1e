// SPDX-License-Identifier: Apache-2.0
// The catalogue: every algorithm describes itself here, once, and is found by its name.
//
// An algorithm is one file, src/algorithms/<collective>/<name>.cpp, that ends with
//
//   const Registered entry{{.collective = Collective::allgather, .name = "ring", ..}};
//
// or, where the same schedule does for another collective too, {{..}, {Collective::allgatherv}}.
// Command lines, profiles, tests, reports and documentation all read it from here.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives.hpp"
#include "algorithms/formula.hpp"
#include "schedule/graph.hpp"
#include "schedule/group.hpp"
#include "schedule/memo.hpp"
#include "schedule/schedule.hpp"
#include "schedule/scratch_used.hpp"
#include "schedule/topology.hpp"

namespace roundelay {

struct Choice;

// What an algorithm is for: communicators with one group of ranks, or with two, of which MPI says
// that data goes from the one to the other. An algorithm for two groups is for one direction: from
// p senders to q receivers. Where MPI wants both, two schedules run at once, the groups exchanged.
enum class Groups : std::uint8_t { one, two };
[[nodiscard]] std::string_view name_of(Groups groups) noexcept;

// All that a schedule may depend on. Every rank passes the same but for the ranks of the group and
// where its own data is.
//
//   allgather(v)    blocks: output cut into one block per rank; the own one is filled in at the
//                           start
//   allreduce       input:  the own contribution, to be left alone unless it is the same slice as
//                           data;
//                   data:   output, of the same length; holds the result at the end
//   alltoall(v, w)  given:  input cut into one block for each rank (all as long in an alltoall, and
//                           for an algorithm that pads);
//                   blocks: output cut into one block from each rank; the schedule moves the own
//                           block, too. given may be the same as blocks if the algorithm works in
//                           place
//   barrier         nothing
//   bcast           data:   output; holds the message at the root at the start, everywhere at the
//                           end
//   gather          blocks: at the root output cut into one block per rank, the own one filled in
//                           at the start; elsewhere the same cut, but there is no such memory
//                   input:  elsewhere the own block
//   gatherv         the same, but blocks are known to the root only
//   neighbor_allgather(v)
//                   input:  the own block, which goes to all destinations
//                   blocks: output cut into one block from each source
//   neighbor_alltoall(v, w)
//                   given:  input cut into one block for each destination
//                   blocks: output cut into one block from each source
//   reduce          input:  the own contribution, to be left alone unless it is the same slice as
//                           data;
//                   data:   output, of the same length; holds the result at the root at the end,
//                           and is free for partial results elsewhere
//   reduce_scatter(_block)
//                   input:  the own contribution to all blocks, to be left alone unless it is the
//                           same slice as all of blocks
//                   blocks: output cut into one block per rank, one after the other; holds the
//                           result of the own block in its place at the end; the others are free
//                           for partial results
//   scan, exscan    input and data as for reduce, of a result at every rank: of the ranks up to it,
//                   or before it (rank 0 has none, and its data is left alone)
//   scatter         blocks: at the root input cut into one block per rank; elsewhere the same cut,
//                           but there is no such memory
//                   data:   output; elsewhere the own block. The root's own stays where it is
//   scatterv        the same, but blocks are known to the root only
//
// Between two groups: `group` has all ranks of both, first the senders, then the receivers.
//
//   allgather(v)    input:  at a sender its block
//                   blocks: at a receiver output cut into one block per sender; at a sender the
//                           same cut, but there is no such memory
//   allreduce       input:  at a sender its contribution, to be left alone
//                   data:   at a receiver output, for the result
//   barrier         nothing; for both directions: all ranks wait for all
//   bcast           data:   at the root, a sender, and at a receiver output, which holds the
//                           message at the root at the start, at all of them at the end
//   gather(v)       input:  at a sender its block
//                   blocks: at the root, a receiver, output cut into one block per sender; gather:
//                           elsewhere the same cut, but there is no such memory
//   reduce          input:  at a sender its contribution, to be left alone
//                   data:   at the root, a receiver, output, for the result
//   reduce_scatter(_block)
//                   input:  at a sender its contribution, to be left alone
//                   blocks: the message cut into one block per receiver, one after the other; there
//                           is no such memory
//                   data:   at a receiver output, for its block of the result
//   scatter(v)      blocks: at the root, a sender, input cut into one block per receiver; scatter:
//                           elsewhere the same cut, but there is no such memory
//                   data:   at a receiver output, for its block
struct Problem {
  Group group{0, 1};
  int senders = 0;          // how many of the group; only where there are two
  int root = 0;             // a rank of the group
  bool commutative = true;  // whether operands may be exchanged
  Slice input = {};
  Slice data = {};
  Blocks blocks = {};
  Blocks given = {};
  // alltoallv, of an algorithm that needs them: how long the blocks are that the ranks of the own
  // site have for each rank, a row for each of them by its place.
  std::span<const Units> rows = {};
  // alltoallv, alltoallw and among neighbours, of an algorithm that passes blocks on: how long
  // those are that arrive here to be passed on, in the order of their places in scratch memory.
  // None: as the first block.
  std::span<const Units> passing = {};
  Slice scratch = all_scratch;
  NetworkLengths network = {};
  Memo* memo = nullptr;  // of the communicator; none: nothing is remembered
  // Only of a whole communicator, not of parts of a call, and of an algorithm that asks for it by a
  // restriction.
  const Topology* topology = nullptr;
  const Graph* graph = nullptr;  // of a neighbourhood collective
  const Choice* choice = nullptr;
};

// What a schedule is claimed to need, as its paper says: each is a formula in p and m, where m is
// the length of the whole message: the vector where data is combined or broadcast, all blocks
// together where they are gathered or scattered, all that one rank sends where every rank sends to
// every other (to neighbours: p blocks). Exact where p divides m and blocks are even. `verify`
// proves all of it; what a call takes is found by a run: src/interpret/critical_path.hpp.
struct Claims {
  // Units, on the rank that needs most: an upper bound, of which `verify` proves only that no rank
  // uses more. What a call takes is asked of the schedule (scratch_used).
  Formula scratch = 0;
  Formula rounds;  // rounds with a transfer, of the rank that has most
  Formula volume;  // units sent or received (the greater), of the rank that moves most
  // Sends, and as many receives, that a rank may have in flight at once: an upper bound, too.
  Formula ports = 1;
  // Messages and units that go between sites (between nodes where sites are not known), of all
  // ranks together; none: nothing is claimed.
  std::optional<Formula> far_messages = std::nullopt;
  std::optional<Formula> far_volume = std::nullopt;
  // Whether all ranks move and combine as much in each of their rounds: one stands for all.
  bool symmetric = false;
  // Whether rounds and volume are upper bounds, not exact.
  bool at_most = false;
};

// What an algorithm asks of a call.
enum class Restriction : std::uint8_t {
  commutative,
  several_sites,
  several_parts,  // of the level that the parameter `level` names
  ordered_parts   // or the operation commutes
};
[[nodiscard]] std::string_view name_of(Restriction restriction) noexcept;
[[nodiscard]] std::string_view sentence_of(Restriction restriction) noexcept;

struct Parameter {
  std::string_view name;
  std::string_view summary;
  // A number within [least, most]; or one of `words` (the value is its index); or an algorithm of
  // another collective, for one group.
  enum class Kind : std::uint8_t { number, word, algorithm } kind = Kind::number;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::vector<std::string_view> words = {};
  Collective collective = Collective::allgather;
  std::string_view standard;  // the default, as it would be written
  // A number that may be left to the algorithm: "auto", whose value is 0.
  bool automatic = false;
  // Numbers that stand for all in tests; none: the ends of the range.
  std::vector<std::int64_t> tried = {};
  // A number of which the model takes the one that it expects to be cheapest.
  bool priced = false;
  // A number for which the model takes the length of this dimension of the machine's torus, if the
  // machine is one. Dimensions count from 1; 0: for none.
  int dimension = 0;
};
inline constexpr std::string_view automatic_word = "auto";

struct Algorithm {
  Collective collective;
  std::string_view name;
  std::string_view summary;     // one sentence
  std::string_view paper;       // and section
  Groups groups = Groups::one;  // the MPI library's own is for both
  std::vector<Restriction> restrictions = {};
  std::vector<Parameter> parameters = {};
  // alltoall(v, w): takes a call whose contribution lies where the result shall be. For the others
  // it is copied first.
  bool in_place = false;
  // Where data is combined: whether the order depends on nothing but the number of ranks (and on
  // whose result it is, in scan and exscan): not on the length, the blocks, the root, or whether
  // the operation commutes. `verify` proves it.
  bool fixed_order = false;
  // Whether, by its design, ranks are sent units that they hold or that they never use; or work on
  // some that nobody uses. Of all others a test shows that they do not.
  bool redundant = false;
  // Whether Open MPI and MPICH have it, too.
  bool common = false;
  Claims (*claims)(const Choice& choice) = nullptr;
  // Whether a rank has to know how long the blocks are that the others of its site send: see
  // Problem::rows.
  bool needs_rows = false;
  // alltoallv, alltoallw, among neighbours: whether a rank has to know how long the blocks are that
  // it passes on: see Problem::passing. The schedule itself tells: blocks of one unit each, the
  // lengths, leave that in its scratch memory.
  bool passes_on = false;
  // alltoallv, alltoallw: whether all blocks are to be as long as the longest of all ranks, which
  // they agree on before. Then Problem is that of an alltoall; a block's own length goes with it.
  bool pads = false;
  Schedule (*schedule)(const Problem& problem) = nullptr;  // none: the MPI library's own

  [[nodiscard]] bool native() const noexcept { return schedule == nullptr; }
  [[nodiscard]] bool is_for(Groups its) const noexcept { return native() || groups == its; }
  [[nodiscard]] bool needs(Restriction restriction) const noexcept;
  // Whether it asks where the ranks are: then it is for whole communicators, not a part of another.
  [[nodiscard]] bool uses_topology() const noexcept {
    return needs(Restriction::several_sites) || needs(Restriction::several_parts);
  }
  // Whether the ranks tell each other lengths before it runs. Of an edge nobody knows any but its
  // ends. Where MPI wants all blocks of a rank to be alike, the graph may say that all of all ranks
  // are.
  [[nodiscard]] bool tells_lengths(const Graph* graph) const noexcept {
    if (!passes_on && !pads) return false;
    return irregular(collective) ||
           (among_neighbours(collective) && (graph == nullptr || !graph->has_one_length()));
  }
  [[nodiscard]] const Parameter* parameter(std::string_view parameter_name) const noexcept;
};

// Up to this many bytes MPI libraries send at once, and without asking the receiver first.
inline constexpr std::int64_t short_message = 4096;

// When receives are posted and sends leave (DESIGN: early is best for latency, paced keeps a
// pipeline alive where flows share a link). A parameter of every algorithm.
enum class Discipline : std::uint8_t { early, paced };
[[nodiscard]] const Parameter& discipline_parameter();

// An algorithm with its parameters bound.
struct Choice {
  struct Value {
    std::int64_t number = 0;
    std::shared_ptr<const Choice> algorithm;  // of a parameter of that kind
  };

  const Algorithm* algorithm = nullptr;
  std::vector<Value> values;  // in the order of algorithm->parameters
  Discipline discipline = Discipline::early;

  // With every parameter at its default.
  explicit Choice(const Algorithm& of);

  [[nodiscard]] std::int64_t number(std::size_t index) const { return values[index].number; }
  [[nodiscard]] const Choice& nested(std::size_t index) const { return *values[index].algorithm; }
  [[nodiscard]] Claims claims() const { return algorithm->claims(*this); }
  [[nodiscard]] Schedule schedule(const Problem& problem) const {
    return algorithm->schedule(problem);
  }
  // As it would be written: "scatter_allgather(allgather=ring)"; defaults are left out.
  [[nodiscard]] std::string text() const;
};

// Of an algorithm that uses the topology, which: sites, or what the parameter `level` says.
[[nodiscard]] const Parameter& level_parameter();
[[nodiscard]] Level level_of(const Choice& choice) noexcept;

// What restrictions are about.
struct Circumstances {
  int ranks = 1;
  bool commutative = true;
  const Topology* topology = nullptr;  // if anybody knows
};
// The first restriction that does not hold, or nullptr.
[[nodiscard]] const Restriction* violated(const Choice& choice, const Circumstances& of);

// All algorithms, by collective and name.
[[nodiscard]] std::span<const Algorithm* const> catalogue();
[[nodiscard]] std::vector<const Algorithm*> algorithms_of(Collective collective);
[[nodiscard]] std::vector<const Algorithm*> algorithms_of(Collective collective, Groups groups);
[[nodiscard]] const Algorithm* find(Collective collective, std::string_view name) noexcept;
[[nodiscard]] const Collective* find_collective(std::string_view name) noexcept;

// Puts an algorithm into the catalogue while the program starts, for its collective and for those
// that it does for as well.
class Registered {
 public:
  explicit Registered(Algorithm algorithm, std::initializer_list<Collective> also = {});
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() = default;

 private:
  friend std::span<const Algorithm* const> catalogue();
  std::vector<Algorithm>& algorithms_;  // never destroyed
  const Registered* next_;
};

}  // namespace roundelay
