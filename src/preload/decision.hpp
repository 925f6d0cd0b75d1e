// SPDX-License-Identifier: Apache-2.0
// What was decided for calls of a kind on one communicator, and what came of it.
#pragma once

#include <memory>
#include <optional>

#include "preload/names.hpp"
#include "preload/record.hpp"

namespace roundelay::preload {

class Learning;

struct Decision {
  Plan plan;
  const Outcome* outcome;  // what reports say of it
  Tally tally;
  Accepted accepted;
  bool length_is_missing = false;  // as in Verdict
  bool may_learn = false;          // what is decided may be improved by measuring
  // What it was decided for, where that is no wish of the user's.
  std::optional<Facts> guessed_for = std::nullopt;
  double expected_seconds = 0;  // of a call, as the model says where it was asked; 0: it was not
  // Not null while the ranks learn; then it says what each call runs.
  Learning* learning = nullptr;
  // The same for the calls that do not wait, if there were any.
  std::unique_ptr<Decision> nonblocking = nullptr;
  std::unique_ptr<Decision> persistent = nullptr;

  // Of a form that does not wait.
  [[nodiscard]] std::unique_ptr<Decision>& later(Form form) noexcept {
    return form == Form::persistent ? persistent : nonblocking;
  }

  // Whether a schedule may run.
  [[nodiscard]] bool may_run_schedule() const noexcept {
    return plan.way == Plan::Way::schedule || learning != nullptr;
  }
};

}  // namespace roundelay::preload
