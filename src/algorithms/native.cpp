// SPDX-License-Identifier: Apache-2.0
// native: the MPI library's own algorithm, a candidate for every collective.
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

Registered native(Collective collective) {
  return Registered{{.collective = collective,
                     .name = "native",
                     .summary = "The MPI library's own algorithm.",
                     .paper = "the MPI library"}};
}

const std::array entries{native(Collective::allgather), native(Collective::allreduce),
                         native(Collective::barrier), native(Collective::bcast),
                         native(Collective::reduce)};

}  // namespace
}  // namespace roundelay
