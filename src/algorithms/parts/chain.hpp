// SPDX-License-Identifier: Apache-2.0
// Chains: n blocks pass from rank to rank in p + n - 2 rounds. Every rank sends to one other only,
// so that nothing queues, and what a rank has to send it sends without waiting for the round.
#pragma once

#include <cstdint>

#include "algorithms/catalogue.hpp"
#include "schedule/group.hpp"
#include "schedule/schedule.hpp"
#include "schedule/slice.hpp"

namespace roundelay {

// What a rank does with a block that has arrived, before it hands on the same block of `held`.
enum class OnTheWay : std::uint8_t {
  nothing,             // `arriving` is `held`
  combine,             // adds it to that of `held`
  combine_to_hand_on,  // so does every rank but the last
};
Schedule chain(Subgroup t, Blocks held, Blocks arriving, OnTheWay what);

// The best number of blocks: what the first takes to the end and the gaps between all of them are
// least, n = sqrt((p - 2) m / gap).
[[nodiscard]] int through_chain(const Dimensions& of);

// What takes as long as the last block needs to the end of the chain.
[[nodiscard]] Claims chain_claims(const Choice& choice);

}  // namespace roundelay
