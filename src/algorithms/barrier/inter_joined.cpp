// SPDX-License-Identifier: Apache-2.0
// barrier.inter_joined: both groups wait for each other as one.
//
// Natively each group has a barrier of its own, then one rank of each tells one of the other, who
// broadcasts it. As one group, with barrier.dissemination, it takes ceil(log2 (p + q)) rounds.
//
//   p = 2, q = 3, rank 2:   round 0: tells 3, hears from 1
//                           round 1: tells 4, hears from 0
//                           round 2: tells 1, hears from 3
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Schedule inter_joined(Problem x) {
  x.senders = 0;
  x.choice = &x.choice->nested(0);
  co_yield all(x.choice->schedule(x));
}

const Registered entry{
    {.collective = Collective::barrier,
     .name = "inter_joined",
     .summary = "Both groups do one barrier as one group.",
     .paper = "none: algorithms of one group",
     .groups = Groups::two,
     .parameters = {{.name = "barrier",
                     .summary = "the barrier of this one group",
                     .kind = Parameter::Kind::algorithm,
                     .collective = Collective::barrier,
                     .standard = "dissemination"}},
     .claims = [](const Choice& choice) -> Claims {
       const Claims within = choice.nested(0).claims();
       const auto among = [](const Formula& claim) {
         return Formula::of_part(claim, p() + q(), 0);
       };
       return {.rounds = among(within.rounds), .volume = 0, .ports = among(within.ports)};
     },
     .schedule = [](const Problem& x) { return inter_joined(x); }}};

}  // namespace
}  // namespace roundelay
