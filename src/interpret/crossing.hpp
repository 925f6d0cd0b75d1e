// SPDX-License-Identifier: Apache-2.0
// What of a call crosses from one part of the ranks to another.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "interpret/call.hpp"
#include "interpret/torus.hpp"

namespace roundelay::interpret {

// For each partition of the case's ranks the units that all ranks together send to other parts of
// it, as the schedules of all ranks have them. Throws std::invalid_argument where Call does, and
// for a partition of other ranks.
[[nodiscard]] std::vector<Units> crossing(const Choice& choice, const Case& of,
                                          std::span<const Partition> partitions);

// Each unit that a rank sends, times the number of links from there to its receiver if the ranks
// are a torus of these lengths; of one length, p: times the number of ranks, the shorter way
// around. How much of a network a call takes in which ranks with near numbers are near. Of a
// symmetric schedule one rank stands for all. No value: that would be to look at more than so many
// messages. Throws std::invalid_argument where Call does.
[[nodiscard]] std::optional<double> distance(const Choice& choice, const Case& of,
                                             const Torus& torus, int most_messages);

// What all ranks together send. No value and exceptions as above.
struct Sent {
  double messages = 0;
  double units = 0;

  friend bool operator==(const Sent&, const Sent&) = default;
};
[[nodiscard]] std::optional<Sent> sent(const Choice& choice, const Case& of, int most_messages);

}  // namespace roundelay::interpret
