// SPDX-License-Identifier: Apache-2.0
// What `roundelay run` learns of a job: lines of JSON that processes append to the file that
// ROUNDELAY_STATUS names. Without that variable nothing is written.
#pragma once

#include <string_view>

namespace roundelay::preload {

// That this library ends the job, and why.
void tell_error(std::string_view why);

// A line that is JSON already and ends in a newline.
void tell(std::string_view line);

}  // namespace roundelay::preload
