// SPDX-License-Identifier: Apache-2.0
// Ports as the papers' model has them: one message in each direction at a time.
#pragma once

#include <string>

namespace roundelay::simulate {

// Limits each link whose name matches the regular expression to one flow at a time: the others
// wait their turn. SimGrid lets flows share a link fairly, so that the blocks of a pipeline which
// are under way together would all arrive together, at the end. For one rank to call.
void give_ports_one_flow(const std::string& links);

}  // namespace roundelay::simulate
