// SPDX-License-Identifier: Apache-2.0
// The model where there are several nodes and some hold several ranks, which share a link.
#pragma once

#include <vector>

#include "choose/candidates.hpp"
#include "choose/chooser.hpp"
#include "interpret/node_links.hpp"

namespace roundelay::choose {

// Nobody knows what the MPI library would take. But nothing is quicker than the link of the busiest
// node: where one of ours comes close to that, little is lost at the worst. Everything else is left
// to the MPI library. `links` are those of an early message.
[[nodiscard]] Verdict on_shared_nodes(const Facts& facts, const Machine& machine,
                                      const interpret::NodeLinks& links,
                                      const NetworkLengths& network);

// What each of ours takes there that is possible, in its cheaper discipline, in no order; not those
// that only memory is for. Nothing where they cannot be priced: blocks of other lengths, too many
// ranks or transfers.
[[nodiscard]] std::vector<Candidate> prices_on_shared_nodes(const Facts& facts,
                                                            const Machine& machine,
                                                            const interpret::NodeLinks& links,
                                                            const NetworkLengths& network);

}  // namespace roundelay::choose
