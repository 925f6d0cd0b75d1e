// SPDX-License-Identifier: Apache-2.0
// The collectives on intercommunicators that move data.
#include "mpi/between.hpp"

#include <numeric>
#include <vector>

#include "algorithms/parts/circulant.hpp"
#include "mpi/byte_blocks.hpp"
#include "mpi/even_blocks.hpp"

namespace roundelay::mpi {

namespace {

// What each rank of the own group sends: only the other group knows it. ceil(log2 p) short rounds;
// the units are bytes of the output.
Schedule gathered_lengths(const Group& own, const std::vector<Units>& lengths) {
  const auto bytes = static_cast<Units>(lengths.size() * sizeof(Units));
  const Blocks blocks = Blocks::even(Slice(Space::output, 0, bytes), own.size);
  return circulant_allgather(own, blocks, Skips::halving(own.size));
}

}  // namespace

Running begin_allgather_between(Plan& plan, Communicator& comm, Buffer sent, Buffer received) {
  ExecutorOfThread executor;
  Call to(*executor, plan, comm);
  Call from(*executor, plan, comm);
  const EvenBlocks mine(to, sent, 1);
  if (const int error = mine.pack(to); error != MPI_SUCCESS) co_return error;
  const std::int64_t m_to = mine.total() * comm.local_size();
  to.set(Space::input, mine.whole().address);
  to.problem.input = Slice(Space::input, 0, mine.total());
  to.problem.blocks = Blocks::even(Slice(Space::output, 0, m_to), comm.local_size());
  const EvenBlocks theirs(from, received, comm.remote_size());
  from.set(Space::output, theirs.whole().address);
  from.problem.blocks = Blocks::even(Slice(Space::output, 0, theirs.total()), comm.remote_size());
  const int error = co_await BothWays(to, from, comm, m_to, theirs.total());
  co_return error != MPI_SUCCESS ? error : theirs.unpack(from);
}

Running begin_allgatherv_between(Plan& plan, Communicator& comm, Buffer sent,
                                 std::vector<Buffer> received) {
  ExecutorOfThread executor;
  Call to(*executor, plan, comm);
  Call from(*executor, plan, comm);
  const EvenBlocks mine(to, sent, 1);
  if (const int error = mine.pack(to); error != MPI_SUCCESS) co_return error;
  std::vector<Units> lengths(static_cast<std::size_t>(comm.local_size()));
  const Subgroup own = local_group(comm);
  lengths[static_cast<std::size_t>(own.rank)] = mine.total();
  Schedule schedule = gathered_lengths(own, lengths);
  const Memory memory = memory_of_bytes({}, lengths);
  int error = co_await to.run_early(schedule, memory);
  if (error != MPI_SUCCESS) co_return error;
  std::vector<Units> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), Units{0});
  const std::int64_t m_to = offsets.back() + lengths.back();
  to.set(Space::input, mine.whole().address);
  to.problem.input = Slice(Space::input, 0, mine.total());
  to.problem.blocks = Blocks::cut(Slice(Space::output, 0, m_to), lengths, offsets);
  ByteBlocks theirs(from, received);
  from.problem.blocks = theirs.in(Space::output);
  error = co_await BothWays(to, from, comm, m_to, theirs.total());
  co_return error != MPI_SUCCESS ? error : theirs.unpack_all();
}

Running begin_barrier_between(Plan& plan, Communicator& comm) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  co_return co_await OneWay(call, comm, comm.is_low(), 0);
}

Running begin_nothing_between(const Plan& plan, Communicator& comm) {
  // As in the calls of all other ranks.
  static_cast<void>(comm.tags().of_next_call(plan.choice->algorithm->collective));
  co_return MPI_SUCCESS;
}

Running begin_bcast_between(Plan& plan, Communicator& comm, Buffer buffer, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const bool sends = root == MPI_ROOT;
  const EvenBlocks data(call, buffer, 1);
  int error = sends ? data.pack(call) : MPI_SUCCESS;
  if (error != MPI_SUCCESS) co_return error;
  call.set(Space::output, data.whole().address);
  call.problem.root = sending_root(comm, root);
  call.problem.data = Slice(Space::output, 0, data.total());
  error = co_await OneWay(call, comm, sends, data.total());
  co_return error != MPI_SUCCESS || sends ? error : data.unpack(call);
}

Running begin_gather_between(Plan& plan, Communicator& comm, Buffer sent, Buffer received,
                             int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = receiving_root(comm, root);
  if (root == MPI_ROOT) {
    const EvenBlocks out(call, received, comm.remote_size());
    call.set(Space::output, out.whole().address);
    call.problem.blocks = Blocks::even(Slice(Space::output, 0, out.total()), comm.remote_size());
    const int error = co_await OneWay(call, comm, false, out.total());
    co_return error != MPI_SUCCESS ? error : out.unpack(call);
  }
  const EvenBlocks mine(call, sent, 1);
  if (const int error = mine.pack(call); error != MPI_SUCCESS) co_return error;
  const std::int64_t total = mine.total() * comm.local_size();
  call.set(Space::input, mine.whole().address);
  call.problem.input = Slice(Space::input, 0, mine.total());
  call.problem.blocks = Blocks::even(Slice(Space::output, 0, total), comm.local_size());
  co_return co_await OneWay(call, comm, true, total);
}

Running begin_gatherv_between(Plan& plan, Communicator& comm, Buffer sent,
                              std::vector<Buffer> received, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = receiving_root(comm, root);
  if (root == MPI_ROOT) {
    ByteBlocks out(call, received);
    call.problem.blocks = out.in(Space::output);
    const int error = co_await OneWay(call, comm, false, out.total());
    co_return error != MPI_SUCCESS ? error : out.unpack_all();
  }
  const EvenBlocks mine(call, sent, 1);
  if (const int error = mine.pack(call); error != MPI_SUCCESS) co_return error;
  call.set(Space::input, mine.whole().address);
  call.problem.input = Slice(Space::input, 0, mine.total());
  co_return co_await OneWay(call, comm, true, mine.total());
}

Running begin_scatter_between(Plan& plan, Communicator& comm, Buffer sent, Buffer received,
                              int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = sending_root(comm, root);
  if (root == MPI_ROOT) {
    const EvenBlocks in(call, sent, comm.remote_size());
    if (const int error = in.pack(call); error != MPI_SUCCESS) co_return error;
    call.set(Space::input, in.whole().address);
    call.problem.blocks = Blocks::even(Slice(Space::input, 0, in.total()), comm.remote_size());
    co_return co_await OneWay(call, comm, true, in.total());
  }
  const EvenBlocks mine(call, received, 1);
  const std::int64_t total = mine.total() * comm.local_size();
  call.set(Space::output, mine.whole().address);
  call.problem.data = Slice(Space::output, 0, mine.total());
  call.problem.blocks = Blocks::even(Slice(Space::input, 0, total), comm.local_size());
  const int error = co_await OneWay(call, comm, false, total);
  co_return error != MPI_SUCCESS ? error : mine.unpack(call);
}

Running begin_scatterv_between(Plan& plan, Communicator& comm, std::vector<Buffer> sent,
                               Buffer received, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = sending_root(comm, root);
  if (root == MPI_ROOT) {
    ByteBlocks in(call, sent);
    if (const int error = in.pack_all(); error != MPI_SUCCESS) co_return error;
    call.problem.blocks = in.in(Space::input);
    co_return co_await OneWay(call, comm, true, in.total());
  }
  const EvenBlocks mine(call, received, 1);
  call.set(Space::output, mine.whole().address);
  call.problem.data = Slice(Space::output, 0, mine.total());
  const int error = co_await OneWay(call, comm, false, mine.total());
  co_return error != MPI_SUCCESS ? error : mine.unpack(call);
}

}  // namespace roundelay::mpi
