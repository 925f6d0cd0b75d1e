// SPDX-License-Identifier: Apache-2.0
// What a call takes by the model, and the numbers of a machine that this comes from.
#pragma once

#include <optional>

#include "choose/facts.hpp"
#include "choose/machine.hpp"
#include "interpret/crossing.hpp"
#include "interpret/node_links.hpp"

namespace roundelay::choose {

// Whether the MPI library's own waits on cores that others need.
[[nodiscard]] bool native_waits(const Facts& facts, const Machine& machine) noexcept;

// Whether messages go through memory alone.
[[nodiscard]] bool in_memory(const Facts& facts) noexcept;

// Whether the ranks of one group have a node each of a torus of which the machine says the lengths.
[[nodiscard]] bool is_torus(const Facts& facts, const Machine& machine) noexcept;

// Seconds of a message, and between two that do not wait for each other.
[[nodiscard]] double startup_of(const Facts& facts, const Machine& machine) noexcept;
[[nodiscard]] double gap_of(const Facts& facts, const Machine& machine) noexcept;
// And of the bytes of the whole message, through one link.
[[nodiscard]] double seconds_of_bytes(const Facts& facts, const Machine& machine) noexcept;
[[nodiscard]] NetworkLengths network_of(const Facts& facts, const Machine& machine) noexcept;

// Where several ranks share a node's link; and where those of a site share the way to another.
[[nodiscard]] interpret::NodeLinks node_links_of(const Facts& facts, const Machine& machine);
[[nodiscard]] interpret::NodeLinks site_links_of(const Facts& facts, const Machine& machine);

struct Cost {
  double seconds = 0;
  double startups = 0;  // of these: what does not depend on lengths
};

// What the ranks tell each other before an algorithm that tells lengths, and the even message that
// stands for the call. All ranks have agreed on how long the longest block is, but no rank knows
// how many blocks are as long. Padded blocks are as long as the longest; blocks that are passed on
// count by the length between the mean and the longest.
struct Telling {
  Telling(const Choice& choice, const Facts& facts);

  Choice before;
  Units told;  // the length of the message of `before`
  Units m;
};

// Where every rank has a link of its own, or all share memory. No value: more than `most` seconds.
[[nodiscard]] std::optional<Cost> cost_of(const Choice& choice, const Facts& facts,
                                          const Machine& machine, double most);

// How far all its units go together: see interpret::distance(). No value: it tells lengths first,
// or that is too much work to find out.
[[nodiscard]] std::optional<double> distance_of(const Choice& choice, const Facts& facts,
                                                const Machine& machine);

// What all ranks together send. No value: that is too much work to find out.
[[nodiscard]] std::optional<interpret::Sent> sent_by_all(const Choice& choice, const Facts& facts,
                                                         const Machine& machine);

// Between two groups, if all goes from `senders` ranks to `receivers`.
[[nodiscard]] std::optional<Cost> cost_between(const Choice& choice, int senders, int receivers,
                                               const Facts& facts, const Machine& machine,
                                               double most);

}  // namespace roundelay::choose
