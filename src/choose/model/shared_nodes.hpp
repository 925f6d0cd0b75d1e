// SPDX-License-Identifier: Apache-2.0
// The model where there are several nodes and some hold several ranks, which share a link.
#pragma once

#include <optional>

#include "choose/candidates.hpp"
#include "choose/chooser.hpp"
#include "interpret/node_links.hpp"

namespace roundelay::choose {

// Running the schedules of so many ranks would take longer than the calls that gain by it.
inline constexpr const char* too_many_to_price = "model: too many ranks to price";
// An algorithm that passes blocks on in fewer messages takes much less time than all that MPI
// libraries have.
inline constexpr const char* by_fewer_startups = "model: fewer start-ups";

// Whether some block is exposed to several of so many ranks; which does not depend on lengths.
[[nodiscard]] bool exposes(const Choice& choice, int ranks);

// Bytes that leave or enter one of the parts of the ranks, at the least, in a call of so many
// bytes, whatever the algorithm; of the part and the direction where it is most. The parts may be
// nodes or what else the ranks can be cut into. With a collective that has a root, `root` is a
// rank, or none where it may be any.
[[nodiscard]] double least_through_a_link(Collective collective, double bytes,
                                          const Partition& parts, std::optional<int> root = {});

// Whether it is known which ranks of a group share nodes, and all nodes are at one site.
[[nodiscard]] bool knows_shared_nodes(const Facts& shape);

// What a call takes there, by a run of the schedules of all ranks; without a root, `root` does not
// matter. No value: the run was given up.
[[nodiscard]] std::optional<interpret::Traffic> run_on_shared_nodes(
    const Choice& choice, const Facts& facts, int root, const interpret::NodeLinks& links,
    const NetworkLengths& network, interpret::RunBudget& budget);

// Nobody knows what the MPI library would take. But nothing is quicker than the link of the busiest
// node: where one of ours comes close to that, little is lost at the worst. Everything else is left
// to the MPI library. `links` are those of an early message.
[[nodiscard]] Verdict on_shared_nodes(const Facts& facts, const Machine& machine,
                                      const interpret::NodeLinks& links,
                                      const NetworkLengths& network);

// The same of exchanges of short blocks, whose time is start-ups: what passes blocks on, if it
// takes much less than all that MPI libraries have, too.
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

// What each of ours takes there that is possible, in its cheaper discipline, in no order; not those
// that only memory is for. Nothing where they cannot be priced: blocks of other lengths, too many
// ranks or transfers.
[[nodiscard]] std::vector<Candidate> prices_on_shared_nodes(const Facts& facts,
                                                            const Machine& machine,
                                                            const interpret::NodeLinks& links,
                                                            const NetworkLengths& network);

}  // namespace roundelay::choose
