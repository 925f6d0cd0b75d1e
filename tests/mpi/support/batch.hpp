// SPDX-License-Identifier: Apache-2.0
// Batch: cases that the fuzzer draws to run under one forced text, in lanes that run side by side,
// each on a communicator of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/case.hpp"
#include "support/dice.hpp"
#include "support/family.hpp"

namespace test {

struct Step {
  Case one;
  bool fresh = false;   // on a duplicate that is made for it and freed behind it
  int late = -1;        // the rank of the world that comes later than the others
  bool amidst = false;  // while another call is pending on its communicator
  bool over = false;    // if it does not wait: another call begins and ends while it is pending
};

struct Batch {
  std::string forced;
  std::vector<std::vector<Step>> lanes;
};

class Drawing {
 public:
  // `nonblocking`: calls that do not wait and persistent ones are drawn, too, of algorithms that
  // are not the MPI library's own.
  Drawing(std::uint64_t seed, int ranks, std::vector<Spec> specs, bool nonblocking)
      : seed_(seed), ranks_(ranks), nonblocking_(nonblocking), operands_(layouts_) {
    for (Spec& spec : specs) pool_of(spec).push_back(std::move(spec));
  }

  // So many batches in a row use the same families.
  static constexpr int batches_of_family = 4;

  [[nodiscard]] Family family(int batch, int lane) const {
    Dice dice{seed_, 1, index(batch / batches_of_family), index(lane)};
    if (ranks_ > 1 && !native_between_.empty() && dice.one_in(3)) return family_between(dice);
    const int colours = dice.one_in(10) ? ranks_ : 1 + dice.below(2);
    const bool in_order = dice.one_in(2);
    Family family;
    for (int rank = 0; rank < ranks_; ++rank) {
      family.colours.push_back(dice.below(colours));
      family.keys.push_back(in_order ? 0 : dice.below(ranks_));
    }
    family.of_freed = dice.one_in(2);
    return family;
  }

  [[nodiscard]] Batch batch(int number, int most_lanes) const {
    Dice dice{seed_, 2, index(number)};
    const int lanes = dice.one_in(3) ? 1 : most_lanes;
    Batch batch;
    Forced forced;
    for (int lane = 0; lane < lanes; ++lane) {
      const Family on = family(number, lane);
      std::vector<Step>& steps = batch.lanes.emplace_back();
      for (int left = 1 + dice.below(4); left > 0; --left) {
        steps.push_back({possible(dice, on, forced), dice.one_in(8)});
        Case& one = steps.back().one;
        // Of several threads, any may go on with a pending call, and with all others on its
        // communicator.
        const bool of_its_thread = lanes > 1 && one.operand != nullptr && one.operand->of_program();
        if (of_its_thread) one.arguments.form = {.large = one.arguments.form.large};
        if (dice.one_in(6)) steps.back().late = dice.below(ranks_);
        steps.back().amidst = nonblocking_ && dice.one_in(4) && !of_its_thread;
        steps.back().over = !one.arguments.form.blocking() && dice.one_in(3);
        if (on.between() && (steps.back().amidst || steps.back().over)) {
          force_between(dice, "allreduce", forced);
        }
      }
    }
    // What is native may be so on both kinds of communicators.
    std::set<std::string> texts;
    for (const auto& [kind, spec] : forced) {
      if (!spec->algorithm.empty()) texts.insert(spec->text() + ";");
    }
    for (const std::string& text : texts) batch.forced += text;
    return batch;
  }

 private:
  // By the names of algorithms.
  using Variants = std::map<std::string, std::vector<Spec>>;
  // Of a collective, between two groups or not, the algorithm of the whole batch.
  using Forced = std::map<std::pair<std::string, bool>, const Spec*>;

  static std::uint64_t index(int number) { return static_cast<std::uint64_t>(number); }

  std::vector<Spec>& pool_of(const Spec& spec) {
    if (among_neighbours(spec.collective)) return neighbours_;
    if (!spec.between()) return specs_;
    return spec.may_be_native() ? native_between_ : between_[spec.collective][spec.name()];
  }

  // Of one or two pairs of groups.
  [[nodiscard]] Family family_between(Dice& dice) const {
    for (;;) {
      const int pairs = 1 + dice.below(2);
      const bool in_order = dice.one_in(2);
      Family family;
      for (int rank = 0; rank < ranks_; ++rank) {
        family.colours.push_back(dice.one_in(8) ? Family::outside : dice.below(pairs));
        family.groups.push_back(dice.below(2));
        family.keys.push_back(in_order ? 0 : dice.below(ranks_));
      }
      family.of_freed = dice.one_in(2);
      family.leave_out_the_lonely();
      if (!family.shapes().empty()) return family;
    }
  }

  // A case that is possible on all communicators of this family.
  Case possible(Dice& dice, const Family& on, Forced& forced) const {
    for (;;) {
      const Spec& any = on.between() ? any_between(dice) : any_within(dice);
      const auto already = forced.find({any.collective, any.between()});
      if (already == forced.end() && contradicts(any, forced)) continue;
      const Case drawn = draw(dice, already == forced.end() ? any : *already->second);
      if (!on.fits(drawn)) continue;
      forced.emplace(std::pair(any.collective, any.between()), drawn.spec);
      return drawn;
    }
  }

  const Spec& any_within(Dice& dice) const {
    const bool neighbours = !neighbours_.empty() && dice.one_in(5);
    return dice.among(neighbours ? neighbours_ : specs_);
  }
  const Spec& any_between(Dice& dice) const {
    if (between_.empty() || dice.one_in(4)) return dice.among(native_between_);
    return any_variant(dice, any_of(dice, between_));
  }

  // Of some collectives and algorithms there are many more variants than of others.
  static const Spec& any_variant(Dice& dice, const Variants& variants) {
    return dice.among(any_of(dice, variants));
  }
  template <typename Item>
  static const Item& any_of(Dice& dice, const std::map<std::string, Item>& items) {
    return std::next(items.begin(), dice.below(static_cast<int>(items.size())))->second;
  }

  // For the calls beside a case, which are native between two groups unless something is forced.
  void force_between(Dice& dice, const std::string& collective, Forced& forced) const {
    const auto found = between_.find(collective);
    if (found == between_.end()) return;
    forced.emplace(std::pair(collective, true), &any_variant(dice, found->second));
  }

  // What is forced to be native is so between two groups only if it is so in one.
  static bool contradicts(const Spec& spec, const Forced& forced) {
    const auto other = forced.find({spec.collective, !spec.between()});
    if (other == forced.end()) return false;
    const Spec& between = spec.between() ? spec : *other->second;
    const Spec& within = spec.between() ? *other->second : spec;
    return between.algorithm == "native" && !within.may_be_native();
  }

  Case draw(Dice& dice, const Spec& spec) const {
    Case drawn{&spec, nullptr, nullptr, {}};
    Arguments& a = drawn.arguments;
    const bool rooted = is_rooted(spec.collective) || spec.collective == "barrier";
    a.root = rooted ? dice.below(5040) : 0;
    a.root_group = rooted && spec.between() ? dice.below(2) : 0;
    if (nonblocking_ && !spec.may_be_native()) {
      const int form = dice.below(3);
      a.form.nonblocking = form == 1;
      a.form.starts = form == 2 ? 1 + dice.below(4) : 0;
    }
    if (among_neighbours(spec.collective)) a.graph = static_cast<std::uint64_t>(dice.below(10000));
    if (spec.collective == "barrier") return drawn;
    std::size_t size = 0;
    if (combines(spec.collective)) {
      drawn.operand = &dice.among(operands_.all());
      size = drawn.operand->layout->size();
    } else {
      drawn.cast = &dice.among(casts_);
      size = drawn.cast->of(0).size();
    }
    if (has_blocks(spec.collective)) size *= static_cast<std::size_t>(ranks_);
    a.items = items(dice, static_cast<MPI_Aint>(size));
    if (spec.between() && goes_both_ways(spec.collective)) {
      a.items_back = dice.one_in(2) ? a.items : items(dice, static_cast<MPI_Aint>(size));
    }
    const bool may_be_in_place =
        spec.collective != "bcast" && !spec.between() && !among_neighbours(spec.collective);
    a.in_place = may_be_in_place && dice.one_in(3);
    a.form.large = has_large && dice.one_in(2);
    return drawn;
  }

  // None, one, few, or as many as make up to 8 KB, 128 KB and 1 MB.
  static MPI_Aint items(Dice& dice, MPI_Aint size) {
    const int kind = dice.below(200);
    if (kind < 15) return 0;
    if (kind < 35) return 1;
    if (kind < 90) return 2 + dice.below(16);
    const int bits = kind < 160 ? 13 : (kind < 199 ? 17 : 20);
    return dice.spread(bits) / size + 1;
  }

  std::uint64_t seed_;
  int ranks_;
  std::vector<Spec> specs_;                  // of collectives of all ranks
  std::vector<Spec> neighbours_;             // of those among neighbours
  std::vector<Spec> native_between_;         // of those between two groups: what may be native
  std::map<std::string, Variants> between_;  // and the rest, by collective
  bool nonblocking_;
  Layouts layouts_;
  Operands operands_;
  std::vector<Cast> casts_ = casts_of(layouts_);
};

}  // namespace test
