// SPDX-License-Identifier: Apache-2.0
// An algorithm with what it costs.
#pragma once

#include <memory>
#include <optional>
#include <tuple>

#include "choose/model/cost.hpp"
#include "choose/model/margins.hpp"

namespace roundelay::choose {

struct Priced {
  std::shared_ptr<const Choice> choice = nullptr;
  Cost cost{.seconds = no_limit};

  // At equal cost, prefer more restrictions, because the model does not see what it costs to do
  // without them; then what MPI libraries also have, because the model does not see what the other
  // is for, either (that data stays near, say).
  void take_if_cheaper(const Choice& other, const std::optional<Cost>& its) {
    if (!its || its->seconds > cost.seconds * (1 + rounding)) return;
    const auto plainness = [](const Choice& one) {
      return std::tuple(one.algorithm->restrictions.size(), one.algorithm->common);
    };
    const bool alike = choice != nullptr && its->seconds >= cost.seconds * (1 - rounding);
    if (alike && plainness(other) <= plainness(*choice)) return;
    choice = std::make_shared<const Choice>(other);
    cost = *its;
  }
  // Whether it matters that an MPI library's own messages start up sooner than ours.
  [[nodiscard]] bool starts_up_for_long(double share) const noexcept {
    return choice != nullptr && cost.startups > share * cost.seconds;
  }
};

}  // namespace roundelay::choose
