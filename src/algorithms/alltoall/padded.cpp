// SPDX-License-Identifier: Apache-2.0
// alltoallv.padded: all blocks are padded to the longest and go by an algorithm for even blocks.
//
// Fan, Gilray, Pascucci, Huang, Micinski, Kumar 2022, Optimizing the Bruck Algorithm for
// Non-uniform All-to-all Communication (HPDC'22), padded Bruck. The ranks agree on the longest
// block of all before (Algorithm::pads), in about ceil(log2 p) rounds of one number, which are not
// claimed. In the paper a receiver knows how much of a block is data; here the length goes with
// each block, 8 bytes, so that a receiver may have room for more than it is sent. For short blocks
// of about the same length: no lengths go ahead as in tuna, but what is padded moves, too. By
// default bruck, of which the radix may be chosen: alltoall=bruck(radix=4).
//
//   p = 3, radix 2, rank 0 has blocks of 2, 0 and 5 bytes, and 5 is the longest of all:
//     sends 13 bytes to 1 for 1, of which 8 are the number 0, and 13 to 2 for 2, by way of bruck
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule padded(const Problem& x) {
  Problem even = x;
  even.choice = &x.choice->nested(0);
  return even.choice->schedule(even);
}

const Registered entry{
    {
        .collective = Collective::alltoallv,
        .name = "padded",
        .summary = "All blocks are padded to the longest and go by an algorithm for even blocks.",
        .paper = "Fan et al. 2022, Optimizing the Bruck Algorithm for Non-uniform All-to-all "
                 "Communication",
        .parameters = {{.name = "alltoall",
                        .summary = "how the padded blocks go",
                        .kind = Parameter::Kind::algorithm,
                        .collective = Collective::alltoall,
                        .standard = "bruck"}},
        .claims = [](const Choice& choice) -> Claims {
          Claims claims = choice.nested(0).claims();
          for (Formula* claim : {&claims.scratch, &claims.rounds, &claims.volume, &claims.ports}) {
            *claim = Formula::of_part(*claim, p(), p() * longest_block());
          }
          return claims;
        },
        .pads = true,
        .schedule = padded,
    },
    {Collective::alltoallw}};

}  // namespace
}  // namespace roundelay
