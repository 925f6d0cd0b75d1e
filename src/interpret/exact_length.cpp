// SPDX-License-Identifier: Apache-2.0
#include "interpret/exact_length.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

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

}  // namespace roundelay::interpret
