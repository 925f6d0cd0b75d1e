// SPDX-License-Identifier: Apache-2.0
// allgather.inter_root: one sender gathers all blocks and sends them to one receiver, who
// broadcasts them.
//
// What MPICH and Open MPI do: the baseline. All m units pass through one link, before and after it
// through one rank: with a long broadcast about 4 m one after the other.
//
//   p = 3, q = 2 (senders 0 1 2, receivers 3 4):
//     gather:      1 2 -> 0
//     then         0 -> 3 (blocks 0 1 2)
//     broadcast:   3 -> 4
#include "algorithms/catalogue.hpp"
#include "algorithms/parts/binomial.hpp"
#include "algorithms/parts/leaders.hpp"

namespace roundelay {
namespace {

Schedule gathered(Problem x) {
  const Slice all_blocks = x.scratch.part(0, x.blocks.whole().length());
  const Slice rest = after(x.scratch, all_blocks.length());
  const Blocks held = x.blocks.over(all_blocks);
  const Subgroup senders = x.group.strided(0, 1, x.senders);
  if (senders.rank == 0) co_yield round(copy(x.input, held[0]));
  co_yield all(binomial_gather(senders, 0, x.input, held, rest));
  if (senders.rank == 0) co_yield round(send(all_blocks, x.group[x.senders]));
}

Claims inter_root_claims(const Choice& choice) {
  const Claims gather = binomial_claims();
  const Claims bcast = choice.nested(0).claims();
  const auto broadcast = [](const Formula& claim) {
    return Formula::of_even_part(claim, q(), m());
  };
  return {.scratch = m() + max(gather.scratch, broadcast(bcast.scratch)),
          .rounds = 1 + max(gather.rounds, broadcast(bcast.rounds)),
          .volume = m() + broadcast(bcast.volume),
          .ports = broadcast(bcast.ports),
          .at_most = true};
}

const Registered entry{
    {.collective = Collective::allgather,
     .name = "inter_root",
     .summary =
         "One sender gathers all blocks and sends them to one receiver, which broadcasts them.",
     .paper = "MPICH and Open MPI",
     .groups = Groups::two,
     .parameters = {{.name = "bcast",
                     .summary = "how the receiver broadcasts them",
                     .kind = Parameter::Kind::algorithm,
                     .collective = Collective::bcast,
                     .standard = "scatter_allgather"}},
     .common = true,
     .claims = inter_root_claims,
     .schedule = [](const Problem& x) {
       return x.group.rank < x.senders ? gathered(x) : broadcast_by_leader(x, x.blocks.whole(), 0);
     }}};

}  // namespace
}  // namespace roundelay
