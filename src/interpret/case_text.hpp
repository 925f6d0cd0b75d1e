// SPDX-License-Identifier: Apache-2.0
// A case in words, for who reads what is wrong with it.
#pragma once

#include <string>

#include "interpret/case.hpp"

namespace roundelay::interpret {

[[nodiscard]] std::string case_text(const Case& of);
// Only of its ranks: how many, where they are, and their graph.
[[nodiscard]] std::string ranks_text(const Case& of);

}  // namespace roundelay::interpret
