// SPDX-License-Identifier: Apache-2.0
// How much is run for a decision. A count bounds it, not a clock, so that all ranks decide alike:
// docs/explanation/model.md has what it takes.
#pragma once

namespace roundelay::choose {

// With one rank on each node a decision takes up to some seconds for so many ranks, and four times
// as long for twice as many.
inline constexpr int most_ranks_priced = 8192;
inline constexpr const char* too_many_to_price = "model: too many ranks to price";

// Critical paths. Of more transfers, a cost is found by those ranks that critical_path() names;
// until then it takes some milliseconds.
inline constexpr int most_transfers_of_cost = 10000;
// Of more ranks, uneven blocks count as if all were as long as the longest.
inline constexpr int most_ranks_of_uneven_blocks = 128;
// That are counted of a schedule, of what it sends and how far: some milliseconds.
inline constexpr int most_messages_counted = 200000;

// Between nodes of several ranks: transfers that are run for one decision, and as many again to
// find the best stages of what is composed; and for one algorithm.
inline constexpr int most_transfers_between_nodes = 120000;
inline constexpr int most_transfers_of_one = 40000;
// Of more ranks only excerpts and fewer nodes are run.
inline constexpr int most_ranks_run = 1024;
// An excerpt has about so many.
inline constexpr int ranks_of_excerpt = 64;

// Of one algorithm between sites.
inline constexpr int most_transfers_between_sites = 50000;

// In memory: ranks, and transfers of one algorithm.
inline constexpr int most_ranks_in_memory = 64;
inline constexpr int most_transfers_in_memory = 20000;

}  // namespace roundelay::choose
