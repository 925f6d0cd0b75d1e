// SPDX-License-Identifier: Apache-2.0
// Names as a sentence has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace roundelay::choose {

// "ring, bruck"; "none" if there are none.
template <typename Names>
[[nodiscard]] std::string listed(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "none" : text;
}

// Of the algorithms of a collective for which something holds.
template <typename Condition>
[[nodiscard]] std::string names_of(Collective collective, const Condition& holds) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : algorithms_of(collective)) {
    if (holds(*algorithm)) names.push_back(algorithm->name);
  }
  return listed(names);
}

// How many letters have to be put in, taken out, changed or swapped with the next one to make one
// of the other.
[[nodiscard]] inline std::size_t edits_between(std::string_view a, std::string_view b) {
  // From the first i letters of a to each beginning of b, for i and the two before it.
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> above = row;
  std::vector<std::size_t> two_above = row;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

// The name that is nearest to one that is not valid. Empty where more than a third of the letters
// would have to be edited, not counted those with which all names begin.
template <typename Names>
[[nodiscard]] std::string nearest(std::string_view wrong, const Names& names) {
  std::size_t letters = 0;
  for (const std::string_view name : names) {
    const auto differ = std::ranges::mismatch(wrong, name).in1;
    letters = std::max(letters, static_cast<std::size_t>(wrong.end() - differ));
  }
  std::string found;
  std::size_t least = std::max<std::size_t>(1, letters / 3) + 1;
  for (const auto& name : names) {
    const std::string_view text = name;
    if (const std::size_t edits = edits_between(wrong, text); edits < least) {
      least = edits;
      found = text;
    }
  }
  return found;
}

// What would be valid in place of a name that is not: "bruck, ring (did you mean 'ring'?)".
template <typename Names>
[[nodiscard]] std::string valid_for(std::string_view wrong, const Names& names) {
  const std::string near = nearest(wrong, names);
  const std::string all = listed(names);
  return near.empty() ? all : all + " (did you mean '" + near + "'?)";
}

}  // namespace roundelay::choose
