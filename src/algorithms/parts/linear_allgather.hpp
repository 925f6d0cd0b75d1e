// SPDX-License-Identifier: Apache-2.0
// allgather.linear, also as the end of what leaves every rank with a block.
#pragma once

#include "algorithms/catalogue.hpp"

namespace roundelay {

Schedule linear_allgather(Group g, Blocks out);

}  // namespace roundelay
