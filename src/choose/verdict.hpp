// SPDX-License-Identifier: Apache-2.0
// What runs, and why.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/catalogue.hpp"

namespace roundelay::choose {

struct Verdict {
  // Who says it. `fixed`: the user, the order of operations, or that there is nothing to choose.
  enum class Source : std::uint8_t { fixed, profile, model };

  std::shared_ptr<const Choice> choice;  // none: there is nothing to do
  std::string reason;
  NetworkLengths network = {};  // in bytes
  // Left to the MPI library because nobody knows how long such calls are.
  bool length_is_missing = false;
  Source source = Source::fixed;
  double seconds = 0;  // that the model expects, where it runs schedules over shared links
};

// The MPI library's own algorithm, for that reason.
[[nodiscard]] Verdict leave_native(Collective collective, std::string reason);
// Why neighbours have no schedule where the MPI library takes the edges between two ranks for one
// another.
inline constexpr const char* graph_read_otherwise =
    "a graph that the MPI library reads in another way";
// Why data is not combined by a schedule where elements in a row overlap: there is no place for
// more of them than the program has.
inline constexpr const char* elements_overlap = "elements of the datatype overlap";

}  // namespace roundelay::choose
