// SPDX-License-Identifier: Apache-2.0
// The collectives in which a rank exchanges blocks with its neighbours.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/byte_blocks.hpp"
#include "mpi/call.hpp"
#include "mpi/collectives.hpp"
#include "mpi/told_lengths.hpp"

namespace roundelay::mpi {

namespace {

// Whether what the rank has for itself fits where it shall be.
bool own_blocks_fit(const Graph& graph, int rank, std::span<const Units> sent,
                    std::span<const Units> received) {
  for (std::size_t i = 0; i < graph.sources(rank).size(); ++i) {
    const Edge from = graph.sources(rank)[i];
    if (from.peer != rank) continue;
    const int block = sent.size() == 1 ? 0 : graph.sent_along(rank, i).block;
    if (sent[static_cast<std::size_t>(block)] > received[static_cast<std::size_t>(from.block)]) {
      return false;
    }
  }
  return true;
}

}  // namespace

// As with alltoallv, a receiver may have room for more than it is sent: what lies behind it stays
// as it was.
Running begin_neighbor_alltoallv(Plan& plan, Communicator& comm, Buffers sent, Buffers received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const std::shared_ptr<const Graph> kept = comm.graph();  // the communicator may get another one
  const Graph& graph = *kept;
  ByteBlocks in(call, sent);
  ByteBlocks out(call, received);
  if (!own_blocks_fit(graph, comm.rank(), in.lengths(), out.lengths())) co_return MPI_ERR_TRUNCATE;
  call.problem.graph = &graph;
  if (!received.empty()) call.problem.blocks = out.in(Space::output);
  if (!sent.empty()) call.problem.given = in.in(Space::input);
  if (sends_one_block(plan.choice->algorithm->collective)) {
    call.problem.input = call.problem.given[0];
    call.problem.given = {};
  }
  int error = MPI_SUCCESS;
  std::optional<ToldLengths> lengths;
  if (plan.choice->algorithm->tells_lengths(&graph)) {
    lengths.emplace(call.problem, in.lengths());
    Schedule schedule = lengths->schedule();
    error = co_await call.run_early(schedule, lengths->memory);
    if (error != MPI_SUCCESS) co_return error;
    if (!lengths->fit(out.lengths())) co_return MPI_ERR_TRUNCATE;
    if (!received.empty()) call.problem.blocks = out.in(Space::output, lengths->arriving());
    call.problem.passing = lengths->passing();
  }
  do {
    error = in.pack_all();
    if (error == MPI_SUCCESS) error = out.pack_all();
    if (error == MPI_SUCCESS) error = co_await call.run(out.total());
    if (error == MPI_SUCCESS) error = out.unpack_all();
  } while (co_await again(error));
  co_return error;
}

}  // namespace roundelay::mpi
