// SPDX-License-Identifier: Apache-2.0
// Which build of this library runs.
#pragma once

#include <string>

namespace roundelay::preload {

// The identity that the linker gave this library, in hexadecimal: equal if and only if the code is
// the same, so that ranks with equal ones compute alike. "unknown" if the linker gave none.
[[nodiscard]] const std::string& build_text();

}  // namespace roundelay::preload
