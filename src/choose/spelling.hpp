// SPDX-License-Identifier: Apache-2.0
// How choices are written: "allgather=bruck; bcast=scatter_allgather(allgather=ring)".
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "algorithms/catalogue.hpp"

namespace roundelay::choose {

// One choice per collective, or none; and one for intercommunicators.
class Choices {
 public:
  [[nodiscard]] const std::shared_ptr<const Choice>& operator[](
      Collective collective) const noexcept {
    return choices_[static_cast<std::size_t>(collective)];
  }
  [[nodiscard]] std::shared_ptr<const Choice>& operator[](Collective collective) noexcept {
    return choices_[static_cast<std::size_t>(collective)];
  }
  [[nodiscard]] const std::shared_ptr<const Choice>& between(Collective collective) const noexcept {
    return between_[static_cast<std::size_t>(collective)];
  }
  [[nodiscard]] std::shared_ptr<const Choice>& between(Collective collective) noexcept {
    return between_[static_cast<std::size_t>(collective)];
  }
  // In the order of the collectives, defaults left out: equal choices have equal texts.
  [[nodiscard]] std::string text() const;

 private:
  std::array<std::shared_ptr<const Choice>, collectives.size()> choices_;
  std::array<std::shared_ptr<const Choice>, collectives.size()> between_;
};

// What was written is not valid: says where, what is wrong and what would be valid.
class SpellingError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

//   choices   = [ entry { ";" entry } ]
//   entry     = collective "=" algorithm
//   algorithm = name [ "(" parameter "=" value { "," parameter "=" value } ")" ]
//   value     = number | word | algorithm
// Throws SpellingError.
[[nodiscard]] Choices parse_choices(std::string_view text);
// One algorithm of a collective, e.g. "scatter_allgather(allgather=ring)". Throws SpellingError.
[[nodiscard]] Choice parse_algorithm(Collective collective, std::string_view text);

}  // namespace roundelay::choose
