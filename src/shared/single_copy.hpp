// SPDX-License-Identifier: Apache-2.0
// Which way of a long message is faster between two ranks: through cells, which are copied into and
// out of, or read by its receiver where it is. That depends on how far their cores are from each
// other and on what the system takes for a read, so it is measured. It also depends on what else
// the core of the sender has to do. Where only one rank sends, both copy at the same time. Where
// both send, each has two copies to make, or one. So both cases are measured: on one machine cells
// took 0.5 to 0.8 of the time one way, and 1.2 to 1.5 of it both ways.
//
// Nothing is measured where ranks share cores: there all time on a core counts, and a copy into
// cells and out of them takes twice as much. The two that measure take turns, so that they find the
// data in their cache, and do not see that. Of messages of a cell and more, a bcast, allgather or
// alltoall by cells took up to 3.6 times as long. (What several ranks read is not asked for here:
// see Port::in_a_cell.)
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "shared/port.hpp"

namespace roundelay::shared {

// Returns when the message is done.
using Finish = std::function<void(const Message&)>;

// The longest message that is measured.
inline constexpr std::size_t longest_measured = 131072;
// What is needed for it: a message each way.
inline constexpr std::size_t memory_to_measure = 2 * longest_measured;

// From how many bytes on a message is to be read in place, by this rank's times; `never`: not at
// all, or it could not be read. Both ranks call it, each with the other's number and an idle port;
// what the slower one finds is right. Where only one sends, it is the one that `sends`. `memory` is
// memory_to_measure bytes, with which nothing else is done.
[[nodiscard]] InPlaceFrom worth_reading_in_place(Port& port, int other, bool sends,
                                                 bool shares_cores, std::span<std::byte> memory,
                                                 const Finish& finish);

}  // namespace roundelay::shared
