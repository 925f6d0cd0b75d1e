// SPDX-License-Identifier: Apache-2.0
// native: the MPI library's own algorithm, a candidate for every collective.
#include "algorithms/catalogue.hpp"

namespace roundelay {
namespace {

const Registered entry{{.collective = Collective::allgather,
                        .name = "native",
                        .summary = "The MPI library's own algorithm.",
                        .paper = "the MPI library"},
                       {Collective::allgatherv,
                        Collective::allreduce,
                        Collective::alltoall,
                        Collective::alltoallv,
                        Collective::alltoallw,
                        Collective::barrier,
                        Collective::bcast,
                        Collective::exscan,
                        Collective::gather,
                        Collective::gatherv,
                        Collective::neighbor_allgather,
                        Collective::neighbor_allgatherv,
                        Collective::neighbor_alltoall,
                        Collective::neighbor_alltoallv,
                        Collective::neighbor_alltoallw,
                        Collective::reduce,
                        Collective::reduce_scatter,
                        Collective::reduce_scatter_block,
                        Collective::scan,
                        Collective::scatter,
                        Collective::scatterv}};

}  // namespace
}  // namespace roundelay
