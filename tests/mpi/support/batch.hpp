// SPDX-License-Identifier: Apache-2.0
// Batch: cases that the fuzzer draws to run under one forced text, in lanes that run side by side,
// each on a communicator of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/case.hpp"
#include "support/dice.hpp"

namespace test {

// How MPI_COMM_WORLD is split into a lane's communicators; of each rank of the world.
struct Family {
  std::vector<int> colours;
  std::vector<int> keys;
  bool of_freed = false;  // made from a communicator that is freed at once

  [[nodiscard]] std::vector<int> sizes() const {
    std::map<int, int> members;
    for (const int colour : colours) ++members[colour];
    std::vector<int> sizes;
    for (const auto& [colour, size] : members) sizes.push_back(size);
    return sizes;
  }
};

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
    for (Spec& spec : specs) {
      (among_neighbours(spec.collective) ? neighbours_ : specs_).push_back(std::move(spec));
    }
  }

  // So many batches in a row use the same families.
  static constexpr int batches_of_family = 4;

  [[nodiscard]] Family family(int batch, int lane) const {
    Dice dice{seed_, 1, index(batch / batches_of_family), index(lane)};
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
      const std::vector<int> sizes = family(number, lane).sizes();
      std::vector<Step>& steps = batch.lanes.emplace_back();
      for (int left = 1 + dice.below(4); left > 0; --left) {
        steps.push_back({possible(dice, sizes, forced), dice.one_in(8)});
        Case& one = steps.back().one;
        // Of several threads, any may go on with a pending call, and with all others on its
        // communicator.
        const bool of_its_thread = lanes > 1 && one.operand != nullptr && one.operand->of_program();
        if (of_its_thread) one.arguments.form = {.large = one.arguments.form.large};
        if (dice.one_in(6)) steps.back().late = dice.below(ranks_);
        steps.back().amidst = nonblocking_ && dice.one_in(4) && !of_its_thread;
        steps.back().over = !one.arguments.form.blocking() && dice.one_in(3);
      }
    }
    for (const auto& [collective, spec] : forced) {
      if (!spec->algorithm.empty()) batch.forced += spec->text() + ";";
    }
    return batch;
  }

 private:
  // Of a collective, the algorithm of the whole batch.
  using Forced = std::map<std::string, const Spec*>;

  static std::uint64_t index(int number) { return static_cast<std::uint64_t>(number); }

  // A case that is possible on communicators of all these sizes.
  Case possible(Dice& dice, const std::vector<int>& sizes, Forced& forced) const {
    for (;;) {
      const bool neighbours = !neighbours_.empty() && dice.one_in(5);
      const Spec& any = dice.among(neighbours ? neighbours_ : specs_);
      const auto already = forced.find(any.collective);
      const Case drawn = draw(dice, already == forced.end() ? any : *already->second);
      const bool fits = std::ranges::all_of(
          sizes, [&](int size) { return drawn.seated(size).is_possible(size); });
      if (!fits) continue;
      forced.emplace(any.collective, drawn.spec);
      return drawn;
    }
  }

  Case draw(Dice& dice, const Spec& spec) const {
    Case drawn{&spec, nullptr, nullptr, {}};
    Arguments& a = drawn.arguments;
    a.root = is_rooted(spec.collective) || spec.collective == "barrier" ? dice.below(5040) : 0;
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
    const bool may_be_in_place = spec.collective != "bcast" && !among_neighbours(spec.collective);
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
  std::vector<Spec> specs_;       // of collectives of all ranks
  std::vector<Spec> neighbours_;  // of those among neighbours
  bool nonblocking_;
  Layouts layouts_;
  Operands operands_;
  std::vector<Cast> casts_ = casts_of(layouts_);
};

}  // namespace test
