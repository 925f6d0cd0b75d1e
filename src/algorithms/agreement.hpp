// SPDX-License-Identifier: Apache-2.0
// The algorithm by which ranks agree on a few numbers.
#pragma once

#include <memory>

#include "algorithms/catalogue.hpp"

namespace roundelay {

// An allreduce of the numbers. Never destroyed: collectives in atexit handlers.
[[nodiscard]] inline const std::shared_ptr<const Choice>& agreement() {
  static const auto* const choice = new std::shared_ptr<const Choice>(
      std::make_shared<const Choice>(*find(Collective::allreduce, "recursive_doubling")));
  return *choice;
}

}  // namespace roundelay
