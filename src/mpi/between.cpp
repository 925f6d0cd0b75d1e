// SPDX-License-Identifier: Apache-2.0
// The collectives on intercommunicators that move data.
#include <vector>

#include "algorithms/parts/circulant.hpp"
#include "mpi/byte_blocks.hpp"
#include "mpi/directions.hpp"
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
  Call from = to.other_half();
  const EvenBlocks mine(to, sent, 1);
  const std::int64_t m_to = mine.total() * comm.local_size();
  to.set(Space::input, mine.whole().address);
  to.problem.input = Slice(Space::input, 0, mine.total());
  to.problem.blocks = Blocks::even(Slice(Space::output, 0, m_to), comm.local_size());
  const EvenBlocks theirs(from, received, comm.remote_size());
  from.set(Space::output, theirs.whole().address);
  from.problem.blocks = Blocks::even(Slice(Space::output, 0, theirs.total()), comm.remote_size());
  int error = MPI_SUCCESS;
  do {
    error = mine.pack(to);
    if (error == MPI_SUCCESS) error = co_await BothWays(to, from, comm, m_to, theirs.total());
    if (error == MPI_SUCCESS) error = theirs.unpack(from);
  } while (co_await again(error));
  co_return error;
}

Running begin_allgatherv_between(Plan& plan, Communicator& comm, Buffer sent, Buffers received) {
  ExecutorOfThread executor;
  Call to(*executor, plan, comm);
  Call from = to.other_half();
  const EvenBlocks mine(to, sent, 1);
  std::vector<Units> lengths(static_cast<std::size_t>(comm.local_size()));
  const Subgroup own = local_group(comm);
  lengths[static_cast<std::size_t>(own.rank)] = mine.total();
  Schedule schedule = gathered_lengths(own, lengths);
  const Memory memory = memory_of_bytes({}, lengths);
  int error = co_await to.run_early(schedule, memory);
  if (error != MPI_SUCCESS) co_return error;
  const std::vector<Units> offsets = displacements_of(lengths);
  const std::int64_t m_to = offsets.back() + lengths.back();
  to.set(Space::input, mine.whole().address);
  to.problem.input = Slice(Space::input, 0, mine.total());
  to.problem.blocks = Blocks::cut(Slice(Space::output, 0, m_to), lengths, offsets);
  ByteBlocks theirs(from, received);
  from.problem.blocks = theirs.in(Space::output);
  do {
    error = mine.pack(to);
    if (error == MPI_SUCCESS) error = co_await BothWays(to, from, comm, m_to, theirs.total());
    if (error == MPI_SUCCESS) error = theirs.unpack_all();
  } while (co_await again(error));
  co_return error;
}

Running begin_barrier_between(Plan& plan, Communicator& comm) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  int error = MPI_SUCCESS;
  do {
    error = co_await OneWay(call, comm, comm.is_low(), 0);
  } while (co_await again(error));
  co_return error;
}

Running begin_nothing_between(const Plan& plan, Communicator& comm) {
  // As in the calls of all other ranks.
  static_cast<void>(comm.tags().of_next_call(plan.choice->algorithm->collective));
  bool more = true;
  while (more) more = co_await again(MPI_SUCCESS);
  co_return MPI_SUCCESS;
}

// To or from one rank. In each of these, who sends packs, and who receives unpacks.
Running begin_bcast_between(Plan& plan, Communicator& comm, Buffer buffer, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const bool sends = root == MPI_ROOT;
  const EvenBlocks data(call, buffer, 1);
  call.set(Space::output, data.whole().address);
  call.problem.root = sending_root(comm, root);
  call.problem.data = Slice(Space::output, 0, data.total());
  int error = MPI_SUCCESS;
  do {
    if (sends) error = data.pack(call);
    if (error == MPI_SUCCESS) error = co_await OneWay(call, comm, sends, data.total());
    if (error == MPI_SUCCESS && !sends) error = data.unpack(call);
  } while (co_await again(error));
  co_return error;
}

Running begin_even_blocks_between(Plan& plan, Communicator& comm, Buffer first, int root,
                                  bool sends) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const bool is_root = root == MPI_ROOT;
  const int blocks = is_root ? comm.remote_size() : comm.local_size();
  const EvenBlocks own(call, first, is_root ? blocks : 1);
  const std::int64_t m = is_root ? own.total() : own.total() * blocks;
  const Space space = sends ? Space::input : Space::output;
  call.set(space, own.whole().address);
  const Space root_space = sends == is_root ? Space::input : Space::output;
  call.problem.blocks = Blocks::even(Slice(root_space, 0, m), blocks);
  call.problem.root = sends == is_root ? sending_root(comm, root) : receiving_root(comm, root);
  if (!is_root) {
    (sends ? call.problem.input : call.problem.data) = Slice(space, 0, own.total());
  }
  int error = MPI_SUCCESS;
  do {
    if (sends) error = own.pack(call);
    if (error == MPI_SUCCESS) error = co_await OneWay(call, comm, sends, m);
    if (error == MPI_SUCCESS && !sends) error = own.unpack(call);
  } while (co_await again(error));
  co_return error;
}

Running begin_any_blocks_between(Plan& plan, Communicator& comm, Buffers buffers, int root,
                                 bool sends) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const bool is_root = root == MPI_ROOT;
  ByteBlocks own(call, buffers);
  const Blocks blocks = own.in(sends ? Space::input : Space::output);
  call.problem.root = sends == is_root ? sending_root(comm, root) : receiving_root(comm, root);
  if (is_root) {
    call.problem.blocks = blocks;
  } else {
    (sends ? call.problem.input : call.problem.data) = blocks.whole();
  }
  int error = MPI_SUCCESS;
  do {
    if (sends) error = own.pack_all();
    if (error == MPI_SUCCESS) error = co_await OneWay(call, comm, sends, own.total());
    if (error == MPI_SUCCESS && !sends) error = own.unpack_all();
  } while (co_await again(error));
  co_return error;
}

}  // namespace roundelay::mpi
