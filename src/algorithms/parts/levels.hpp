// SPDX-License-Identifier: Apache-2.0
// What algorithms share that are composed over the parts of a topology, nodes or sites: stages
// among the ranks of a part and among those that stand for the parts.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// The parts that a schedule is for.
[[nodiscard]] inline const Partition& parts_of(const Problem& x) {
  return x.topology->at(level_of(*x.choice));
}

// The ranks of the caller's part. Refers to the partition.
[[nodiscard]] inline Subgroup within_part(const Group& g, const Partition& parts) {
  const int part = parts.part_of(g.rank);
  return g.listed(parts.members(part).data(), parts.size(part), parts.place_of(g.rank));
}

// The ranks that speak for their parts: the first of each, but the root for its own.
class Leaders {
 public:
  Leaders(const Partition& parts, int rank, int root) : part_(parts.part_of(rank)) {
    for (int part = 0; part < parts.count(); ++part) ranks_.push_back(parts.members(part)[0]);
    ranks_[static_cast<std::size_t>(parts.part_of(root))] = root;
    const int leader = ranks_[static_cast<std::size_t>(part_)];
    leads_ = leader == rank;
    place_ = parts.place_of(leader);
  }

  // Whether this rank is one of them.
  [[nodiscard]] bool leads() const noexcept { return leads_; }
  // The place of the own part's.
  [[nodiscard]] int place() const noexcept { return place_; }
  // All of them, of which the caller has to be one. Refers to this.
  [[nodiscard]] Subgroup group(const Group& g) const noexcept {
    return g.listed(ranks_.data(), static_cast<int>(ranks_.size()), part_);
  }

 private:
  std::vector<int> ranks_;
  int part_;
  int place_ = 0;
  bool leads_ = false;
};

// A stage: what the algorithm that the call's choice has for a parameter does among a group. After
// it everything is complete that it left to a fence: co_yield fence(at_the_end).
[[nodiscard]] inline Problem stage_of(const Problem& x, const Group& g, std::size_t parameter) {
  return {.group = g,
          .commutative = x.commutative,
          .scratch = x.scratch,
          .network = x.network,
          .memo = x.memo,
          .choice = &x.choice->nested(parameter)};
}

// The parameters of a composed algorithm: the level, then its stages.
struct Stage {
  std::string_view name;
  std::string_view summary;
  Collective collective;
  std::string_view standard;
};
[[nodiscard]] inline std::vector<Parameter> level_parameters(std::initializer_list<Stage> stages) {
  std::vector<Parameter> parameters{level_parameter()};
  for (const Stage& stage : stages) {
    parameters.push_back({.name = stage.name,
                          .summary = stage.summary,
                          .kind = Parameter::Kind::algorithm,
                          .collective = stage.collective,
                          .standard = stage.standard});
  }
  return parameters;
}

// The claims of stages. Bounds, for not all parts are alike: n is the ranks of the part where it is
// most, k the number of parts.
class LevelClaims {
 public:
  explicit LevelClaims(const Choice& choice) : choice_(&choice), level_(level_of(choice)) {}

  // A stage by the algorithm of that parameter, of a message of so many units; `longest`: of its
  // longest block, where blocks are not even.
  [[nodiscard]] Claims within(std::size_t parameter, const Formula& units,
                              const std::optional<Formula>& longest = std::nullopt) const {
    return stage(parameter, units, "n", [=](const Partition& parts, const Dimensions& of) {
      std::vector<Message> messages;
      for (int part = 0; part < parts.count(); ++part) {
        messages.push_back(message(parts.size(part), units, longest, of));
      }
      return messages;
    });
  }
  [[nodiscard]] Claims between(std::size_t parameter, const Formula& units,
                               const std::optional<Formula>& longest = std::nullopt) const {
    return stage(parameter, units, "k", [=](const Partition& parts, const Dimensions& of) {
      return std::vector{message(parts.count(), units, longest, of)};
    });
  }
  // Of the blocks of all ranks those of a lane and of its followers, among its ranks.
  [[nodiscard]] Claims of_lanes(std::size_t parameter) const {
    const auto messages = [](const Partition& parts, const Dimensions& of) {
      std::vector<Message> cells;
      const int lanes = parts.smallest();
      for (int lane = 0; lane < lanes; ++lane) {
        int ranks = 0;
        for (int part = 0; part < parts.count(); ++part) {
          ranks += ceil_quotient(parts.size(part) - lane, lanes);
        }
        const int most = ceil_quotient(parts.largest() - lane, lanes);
        cells.push_back(
            {parts.count(), ranks * of.m / of.p, std::max(of.m / of.p, of.longest_block()) * most});
      }
      return cells;
    };
    return stage(parameter, ceil(m() / smallest()), "k", messages);
  }
  // Units of the blocks of the first lane, which has most.
  [[nodiscard]] Formula longest_lane() const {
    return longest_block() * of_parts("ranks_of_first_lane", [](const Partition& parts) -> double {
             int ranks = 0;
             for (int part = 0; part < parts.count(); ++part) {
               ranks += ceil_quotient(parts.size(part), parts.smallest());
             }
             return ranks;
           });
  }
  // One message of so many units between each follower of a lane and who leads it.
  [[nodiscard]] Claims of_followers(const Formula& units) const {
    const Formula followers = of_parts("followers", [](const Partition& parts) -> double {
      return ceil_quotient(parts.largest(), parts.smallest()) - 1;
    });
    Claims claims;
    claims.rounds = min(1, followers);
    claims.volume = followers * units;
    claims.ports = followers;
    return claims;
  }

  [[nodiscard]] Formula of_parts(std::string text,
                                 std::function<double(const Partition&)> function) const {
    return Formula::of(std::move(text),
                       [level = level_, function = std::move(function)](const Dimensions& of) {
                         return of.topology != nullptr && of.topology->at(level).known()
                                    ? function(of.topology->at(level))
                                    : 1;
                       });
  }
  [[nodiscard]] Formula largest() const {
    return of_parts("largest_part", [](const Partition& p) -> double { return p.largest(); });
  }
  [[nodiscard]] Formula smallest() const {
    return of_parts("smallest_part", [](const Partition& p) -> double { return p.smallest(); });
  }

  // One after the other.
  static Claims in_turn(const std::vector<Claims>& stages) {
    Claims all;
    all.at_most = true;
    for (const Claims& stage : stages) {
      all.scratch = max(all.scratch, stage.scratch);
      all.rounds = all.rounds + stage.rounds;
      all.volume = all.volume + stage.volume;
      all.ports = max(all.ports, stage.ports);
    }
    return all;
  }

 private:
  // What is to be done among so many ranks; no longest block: blocks are even.
  struct Message {
    int ranks;
    double units;
    double longest;
  };
  static Message message(int ranks, const Formula& units, const std::optional<Formula>& longest,
                         const Dimensions& of) {
    return {ranks, units(of), longest ? (*longest)(of) : 0};
  }
  static int ceil_quotient(int a, int b) { return (a + b - 1) / b; }

  // The same stage at several places at once: as `messages` says, but as it is written of `units`.
  template <typename Messages>
  [[nodiscard]] Claims stage(std::size_t parameter, const Formula& units, const char* ranks,
                             Messages messages) const {
    Claims claims = choice_->nested(parameter).claims();
    const Formula named = Formula::of(ranks, [](const Dimensions&) { return 1.0; });
    const auto in_parts = [&](const Formula& claim, bool of_blocks) {
      return Formula::written_as(
          Formula::of_part(claim, named, units),
          [level = level_, messages, claim, of_blocks](const Dimensions& of) {
            double most = 0;
            if (of.topology == nullptr || !of.topology->at(level).known()) return most;
            const Partition& parts = of.topology->at(level);
            const std::vector<Message> real_ones = messages(parts, of.chosen_by());
            auto real_one = real_ones.begin();
            for (const Message& one : messages(parts, of)) {
              const double m = divisible(one.units, one.ranks);
              const double even = m / one.ranks;
              const Dimensions real{.p = one.ranks,
                                    .m = real_one->units,
                                    .longest = real_one->longest > 0 ? real_one->longest : -1,
                                    .network = of.network};
              ++real_one;
              // As much beyond the even ones as it is: pipelines cut that.
              const double block = even + std::max(0.0, one.longest - one.units / one.ranks);
              Dimensions stage = real;
              stage.m = m;
              stage.longest = block;
              stage.real = &real;
              most = std::max(most, claim(stage) * (of_blocks && m > 0 ? block / even : 1));
            }
            return most;
          });
    };
    // Claims are of even blocks: as bounds, all blocks count as long as the longest.
    claims.volume = in_parts(claims.volume, true);
    for (Formula* claim : {&claims.scratch, &claims.rounds, &claims.ports}) {
      *claim = in_parts(*claim, false);
    }
    return claims;
  }

  // The next length that an algorithm for so many ranks can cut into even parts.
  static double divisible(double units, int ranks) {
    const auto p = static_cast<unsigned>(ranks);
    const auto pieces = static_cast<double>(std::lcm(p, std::bit_floor(p)));
    return std::ceil(units / pieces) * pieces;
  }

  const Choice* choice_;
  Level level_;
};

}  // namespace roundelay
