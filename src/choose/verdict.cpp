// SPDX-License-Identifier: Apache-2.0
#include "choose/verdict.hpp"

#include <utility>

namespace roundelay::choose {

Verdict leave_native(Collective collective, std::string reason) {
  return {std::make_shared<const Choice>(*find(collective, "native")), std::move(reason)};
}

}  // namespace roundelay::choose
