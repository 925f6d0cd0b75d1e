// SPDX-License-Identifier: Apache-2.0
#include "preload/wishes_between.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "choose/model/between_groups.hpp"
#include "mpi/agree.hpp"
#include "mpi/worlds.hpp"
#include "preload/places.hpp"

namespace roundelay::preload {

namespace {

bool has_one(const Wishes& wishes) {
  return std::ranges::any_of(collectives, [&](Collective collective) {
    const auto is_between = [](const Rule& rule) { return rule.conditions.inter; };
    return wishes.forced.between(collective) != nullptr ||
           (wishes.profile != nullptr &&
            std::ranges::any_of(wishes.profile->rules(collective), is_between));
  });
}

}  // namespace

// Ranks of one world may have different wishes; with another world, where this library may not be,
// nobody asks unless it has a wish.
void WishesBetween::ask(MPI_Comm inter, const Settings& settings) {
  asked_ = &settings;
  wished_ = has_one(settings.wishes);
  distant_ = false;
  if (!mpi::is_one_world(inter)) return;
  enum : std::size_t { no_wish, own_node, not_node, values };
  const std::uint64_t node = node_of_process();
  std::array<std::uint64_t, values> least{wished_ ? 0U : 1U, node, ~node};
  mpi::agree_between(least, inter);
  wished_ = least[no_wish] == 0;
  distant_ = least[own_node] != ~least[not_node];
}

bool WishesBetween::may_run(MPI_Comm inter, Collective collective, const Settings& settings) {
  if (!known(settings)) ask(inter, settings);
  return wished_ || (distant_ && choose::model_knows_between(collective));
}

}  // namespace roundelay::preload
