// SPDX-License-Identifier: Apache-2.0
// The catalogue: every algorithm describes itself here, once, and is found by its name.
//
// An algorithm is one file, src/algorithms/<collective>/<name>.cpp, that ends with
//
//   const Registered entry{{.collective = Collective::allgather, .name = "ring", ..}};
//
// Command lines, profiles, tests, reports and documentation all read it from here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/formula.hpp"
#include "schedule/group.hpp"
#include "schedule/schedule.hpp"

namespace roundelay {

enum class Collective : std::uint8_t { allgather, allreduce, barrier, bcast, reduce };
inline constexpr std::array collectives{Collective::allgather, Collective::allreduce,
                                        Collective::barrier, Collective::bcast, Collective::reduce};
[[nodiscard]] std::string_view name_of(Collective collective) noexcept;
// Whether data is combined: then units are elements, else bytes.
[[nodiscard]] bool reduces(Collective collective) noexcept;
[[nodiscard]] bool rooted(Collective collective) noexcept;

struct Choice;

// All that a schedule may depend on. Every rank passes the same but for the ranks of the group and
// where its own data is.
//
//   allgather  blocks: output cut into one block per rank; the own block is filled in at the start
//   allreduce  data:   output; holds the own contribution at the start, the result at the end
//   barrier    nothing
//   bcast      data:   output; holds the message at the root at the start, everywhere at the end
//   reduce     input:  the own contribution, to be left alone unless it is the same slice as data;
//              data:   output, of the same length; holds the result at the root at the end, and is
//                      free for partial results elsewhere
struct Problem {
  Group group{0, 1};
  int root = 0;
  bool commutative = true;  // whether operands may be exchanged
  Slice input = {};
  Slice data = {};
  Blocks blocks;
  Slice scratch = {};  // of as many units as the claims say
  const Choice* choice = nullptr;
};

// What a schedule is claimed to need and to cost: each is a formula in p and m, where m is the
// length of the whole message (bcast, reduce, allreduce: the vector; allgather: all blocks
// together). Exact where p divides m; `verify` proves rounds and volume, a test the cost.
struct Claims {
  Formula scratch;  // units, on the rank that needs most
  Formula rounds;   // rounds with a transfer, of the rank that has most
  Formula volume;   // units sent or received (the greater), of the rank that moves most
  // Time of the whole in a one-ported, full-duplex network: alpha a + beta b + gamma c.
  Formula alpha;  // messages one after the other
  Formula beta;   // units one after the other
  Formula gamma;  // units combined one after the other
  // Whether all ranks have these costs alike and in step: as a part of another algorithm, an
  // algorithm that has them adds exactly these.
  bool symmetric = false;
  // Whether the costs are a sum of parts of which that cannot be said: upper bounds, not exact.
  bool at_most = false;
};

// What an algorithm asks of a call.
enum class Restriction : std::uint8_t { commutative, power_of_two };
[[nodiscard]] std::string_view name_of(Restriction restriction) noexcept;
[[nodiscard]] std::string_view sentence_of(Restriction restriction) noexcept;

struct Parameter {
  std::string_view name;
  std::string_view summary;
  // A number within [least, most]; or one of `words` (the value is its index); or an algorithm of
  // another collective.
  enum class Kind : std::uint8_t { number, word, algorithm } kind = Kind::number;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::vector<std::string_view> words = {};
  Collective collective = Collective::allgather;
  std::string_view standard;  // the default, as it would be written
};

struct Algorithm {
  Collective collective;
  std::string_view name;
  std::string_view summary;  // one sentence
  std::string_view paper;    // and section
  std::vector<Restriction> restrictions = {};
  std::vector<Parameter> parameters = {};
  Claims (*claims)(const Choice& choice) = nullptr;
  Schedule (*schedule)(const Problem& problem) = nullptr;  // none: the MPI library's own

  [[nodiscard]] bool native() const noexcept { return schedule == nullptr; }
  [[nodiscard]] bool needs(Restriction restriction) const noexcept;
  [[nodiscard]] const Parameter* parameter(std::string_view parameter_name) const noexcept;
};

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

// The first restriction that does not hold for this number of ranks and this operation, or nullptr.
[[nodiscard]] const Restriction* violated(const Choice& choice, int ranks, bool commutative);

// All algorithms, by collective and name.
[[nodiscard]] std::span<const Algorithm* const> catalogue();
[[nodiscard]] std::vector<const Algorithm*> algorithms_of(Collective collective);
[[nodiscard]] const Algorithm* find(Collective collective, std::string_view name) noexcept;
[[nodiscard]] const Collective* find_collective(std::string_view name) noexcept;

// Puts an algorithm into the catalogue while the program starts.
class Registered {
 public:
  explicit Registered(Algorithm algorithm);
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() = default;

 private:
  friend std::span<const Algorithm* const> catalogue();
  Algorithm algorithm_;
  const Registered* next_;
};

}  // namespace roundelay
