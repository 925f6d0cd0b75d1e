// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#ifndef ROUNDELAY_VERSION
#error "the build defines ROUNDELAY_VERSION, the version of the project"
#endif

namespace roundelay::preload {

inline constexpr std::string_view version = ROUNDELAY_VERSION;

}  // namespace roundelay::preload
