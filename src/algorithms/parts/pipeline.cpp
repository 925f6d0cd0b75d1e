// SPDX-License-Identifier: Apache-2.0
#include "algorithms/parts/pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace roundelay {

namespace {

constexpr std::int64_t most_blocks = 65536;

int through_graph(const Dimensions& of, double units) {
  return best_blocks(of, units, Skips::halving(of.p).rounds(), of.network.startup);
}

}  // namespace

int blocks_of(const Choice& choice, const Dimensions& of, BestBlocks best) {
  const std::int64_t asked = choice.number(0);
  return asked > 0 ? static_cast<int>(asked) : best(of.chosen_by());
}

int best_blocks(const Dimensions& of, double units, int rounds, double message) noexcept {
  const double best =
      std::max(std::round(std::sqrt(std::max(0, rounds - 1) * units / std::max(1.0, message))),
               std::ceil(units / of.network.longest_message));
  return static_cast<int>(
      std::clamp(best, 1.0, std::max(1.0, std::min(units, static_cast<double>(most_blocks)))));
}

Parameter blocks_parameter() {
  return {.name = "blocks",
          .summary = "into how many blocks the message is cut; auto: the model chooses",
          .least = 1,
          .most = most_blocks,
          .standard = automatic_word,
          .automatic = true,
          .tried = {1, 2, 7}};
}

Formula blocks_formula(const Choice& choice, BestBlocks best) {
  if (choice.number(0) > 0) return static_cast<double>(choice.number(0));
  return Formula::of("blocks",
                     [best](const Dimensions& of) -> double { return best(of.chosen_by()); });
}

namespace {

// Calls `visit` with the number of blocks of each parameter `blocks` of the choice, of its own and
// of those of its parts.
template <typename Visit>
void visit_blocks(Choice& choice, const Visit& visit) {
  const std::vector<Parameter>& parameters = choice.algorithm->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == Parameter::Kind::algorithm) {
      Choice part = choice.nested(i);
      visit_blocks(part, visit);
      choice.values[i].algorithm = std::make_shared<const Choice>(std::move(part));
    } else if (parameters[i].name == blocks_parameter().name) {
      visit(choice.values[i].number);
    }
  }
}

std::vector<int> asked_blocks(Choice choice) {
  std::vector<int> blocks;
  visit_blocks(choice, [&](std::int64_t number) { blocks.push_back(static_cast<int>(number)); });
  return blocks;
}

}  // namespace

std::vector<int> blocks_in_turn(const Choice& choice, const Dimensions& of) {
  const std::vector<int> asked = asked_blocks(choice);
  std::vector<int> found = asked;
  const double rounds = choice.claims().rounds(of);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] > 0) continue;
    const auto rounds_with = [&](int number) {
      std::vector<int> cut = asked;
      cut[i] = number;
      return cut_into(cut, choice).claims().rounds(of);
    };
    constexpr int some = 16;
    const double of_some = rounds_with(some);
    const double of_more = rounds_with(2 * some) - of_some;
    const double blocks = of_more > 0 ? some * (1 + (rounds - of_some) / of_more) : 1;
    found[i] = std::max(1, static_cast<int>(std::round(blocks)));
  }
  return found;
}

Choice cut_into(const std::vector<int>& blocks, Choice choice) {
  auto next = blocks.begin();
  visit_blocks(choice, [&](std::int64_t& number) { number = *next++; });
  return choice;
}

int whole_message(const Dimensions& of) { return through_graph(of, of.m); }

Blocks pipeline_blocks(const Problem& x, BestBlocks best) {
  const Dimensions of{
      .p = x.group.size, .m = static_cast<double>(x.data.length()), .network = x.network};
  return Blocks::even(x.data, blocks_of(*x.choice, of, best));
}

namespace {

int excess(const Dimensions& of) {
  return through_graph(of, std::max(0.0, of.longest_block() - of.m / of.p));
}

AllRoots cut_of_all_roots(const Choice& choice, const Dimensions& of) {
  const bool automatic = choice.number(0) == 0;
  return {blocks_of(choice, of, excess), automatic ? best_skips(of) : Skips::halving(of.p)};
}

}  // namespace

AllRoots cut_of_all_roots(const Problem& x) {
  Units m = 0;
  Units longest = 0;
  for (int j = 0; j < x.group.size; ++j) {
    m += x.blocks[j].length();
    longest = std::max(longest, x.blocks[j].length());
  }
  return cut_of_all_roots(*x.choice, {.p = x.group.size,
                                      .m = static_cast<double>(m),
                                      .longest = static_cast<double>(longest),
                                      .network = x.network});
}

Formula rounds_of_all_roots(const Choice& choice) {
  if (choice.number(0) > 0)
    return if_many(static_cast<double>(choice.number(0)) - 1 + ceil_log2(p()));
  return if_many(
      Formula::of("rounds_of_blocks_and_skips", [choice](const Dimensions& of) -> double {
        const AllRoots cut = cut_of_all_roots(choice, of);
        return cut.n == 1 ? cut.skip.rounds() : cut.n - 1 + Skips::halving(of.p).rounds();
      }));
}

Formula piece_of_all_roots(const Choice& choice) {
  return ceil(longest_block() / blocks_formula(choice, excess));
}

Slices all_roots(const Blocks& blocks, int n, const Pipeline& pipeline, const CirculantTable& table,
                 int round, int rank, SliceRoom& room) {
  const auto entries = table.round(pipeline.skip(round));
  const int p = blocks.size();
  Slices slices;
  for (int j = 0; j < p; ++j) {
    if (j == rank) continue;
    const int v = rank > j ? rank - j : rank - j + p;
    const int block = pipeline.block(entries[static_cast<std::size_t>(v)], round);
    if (block >= 0) slices.add(Blocks::even(blocks[j], n)[block], room);
  }
  return slices;
}

}  // namespace roundelay
