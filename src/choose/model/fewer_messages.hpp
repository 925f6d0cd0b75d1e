// SPDX-License-Identifier: Apache-2.0
// What passes blocks on in fewer messages, between nodes that hold several ranks.
#pragma once

#include "choose/chooser.hpp"
#include "interpret/node_links.hpp"

namespace roundelay::choose {

// An algorithm that passes blocks on in fewer messages takes much less time than all that MPI
// libraries have.
inline constexpr const char* by_fewer_startups = "model: fewer start-ups";

// Of exchanges of short blocks, whose time is start-ups: what passes blocks on, if it takes much
// less than all that MPI libraries have, too.
[[nodiscard]] Verdict fewer_startups_on_shared_nodes(const Facts& facts, const Machine& machine,
                                                     const interpret::NodeLinks& links,
                                                     const NetworkLengths& network);

// Among neighbours, over a graph: whether it may be worth while to pass blocks on as this algorithm
// does. One that collects what goes to other nodes: some rank has more than a few edges to them.
// Others: no rank sends as many messages as there are edges of the rank that has most. All ranks
// know, as the graph and the nodes are the same for all.
[[nodiscard]] bool spares_messages(const Algorithm& algorithm, const Facts& facts);
// Whether there is such an algorithm, between nodes that are known.
[[nodiscard]] bool may_have_fewer_messages(const Facts& facts);
// Then the same as of short exchanges, of what a rank receives in the mean.
[[nodiscard]] Verdict fewer_messages_among_neighbours(const Facts& facts, const Machine& machine,
                                                      const interpret::NodeLinks& links,
                                                      const NetworkLengths& network);

}  // namespace roundelay::choose
