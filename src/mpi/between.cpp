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

// What each rank of the own group sends: only the other group knows it. ceil(log2 p) short rounds.
int gather_lengths(Call& call, Communicator& comm, std::vector<Units>& lengths) {
  const Subgroup own = local_group(comm);
  const auto bytes = static_cast<Units>(lengths.size() * sizeof(Units));
  Memory memory{.base = {}, .type = describe(MPI_BYTE), .op = MPI_OP_NULL};
  memory.base[static_cast<std::size_t>(Space::output)] =
      reinterpret_cast<std::byte*>(lengths.data());
  const Blocks blocks = Blocks::even(Slice(Space::output, 0, bytes), own.size);
  return call.run_early(circulant_allgather(own, blocks, Skips::halving(own.size)), memory);
}

}  // namespace

int run_allgather_between(Plan& plan, Communicator& comm, const Buffer& sent,
                          const Buffer& received) {
  ExecutorOfThread executor;
  Call to(*executor, plan, comm);
  Call from(*executor, plan, comm);
  const EvenBlocks mine(to, sent, 1);
  if (const int error = mine.pack(to); error != MPI_SUCCESS) return error;
  const std::int64_t m_to = mine.total() * comm.local_size();
  to.set(Space::input, mine.whole().address);
  to.problem.input = Slice(Space::input, 0, mine.total());
  to.problem.blocks = Blocks::even(Slice(Space::output, 0, m_to), comm.local_size());
  const EvenBlocks theirs(from, received, comm.remote_size());
  from.set(Space::output, theirs.whole().address);
  from.problem.blocks = Blocks::even(Slice(Space::output, 0, theirs.total()), comm.remote_size());
  const int error = BothWays{to, from, comm}.run(m_to, theirs.total());
  return error != MPI_SUCCESS ? error : theirs.unpack(from);
}

int run_allgatherv_between(Plan& plan, Communicator& comm, const Buffer& sent,
                           std::span<const Buffer> received) {
  ExecutorOfThread executor;
  Call to(*executor, plan, comm);
  Call from(*executor, plan, comm);
  const EvenBlocks mine(to, sent, 1);
  if (const int error = mine.pack(to); error != MPI_SUCCESS) return error;
  std::vector<Units> lengths(static_cast<std::size_t>(comm.local_size()));
  lengths[static_cast<std::size_t>(local_group(comm).rank)] = mine.total();
  if (const int error = gather_lengths(to, comm, lengths); error != MPI_SUCCESS) return error;
  std::vector<Units> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), Units{0});
  const std::int64_t m_to = offsets.back() + lengths.back();
  to.set(Space::input, mine.whole().address);
  to.problem.input = Slice(Space::input, 0, mine.total());
  to.problem.blocks = Blocks::cut(Slice(Space::output, 0, m_to), lengths, offsets);
  ByteBlocks theirs(from, received);
  from.problem.blocks = theirs.in(Space::output);
  const int error = BothWays{to, from, comm}.run(m_to, theirs.total());
  return error != MPI_SUCCESS ? error : theirs.unpack_all();
}

int run_barrier_between(Plan& plan, Communicator& comm) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  return run_one_way(call, comm, comm.is_low(), 0);
}

int run_bcast_between(Plan& plan, Communicator& comm, const Buffer& buffer, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const bool sends = root == MPI_ROOT;
  const EvenBlocks data(call, buffer, 1);
  int error = sends ? data.pack(call) : MPI_SUCCESS;
  if (error != MPI_SUCCESS) return error;
  call.set(Space::output, data.whole().address);
  call.problem.root = sending_root(comm, root);
  call.problem.data = Slice(Space::output, 0, data.total());
  error = run_one_way(call, comm, sends, data.total());
  return error != MPI_SUCCESS || sends ? error : data.unpack(call);
}

int run_gather_between(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
                       int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = receiving_root(comm, root);
  if (root == MPI_ROOT) {
    const EvenBlocks out(call, received, comm.remote_size());
    call.set(Space::output, out.whole().address);
    call.problem.blocks = Blocks::even(Slice(Space::output, 0, out.total()), comm.remote_size());
    const int error = run_one_way(call, comm, false, out.total());
    return error != MPI_SUCCESS ? error : out.unpack(call);
  }
  const EvenBlocks mine(call, sent, 1);
  if (const int error = mine.pack(call); error != MPI_SUCCESS) return error;
  const std::int64_t total = mine.total() * comm.local_size();
  call.set(Space::input, mine.whole().address);
  call.problem.input = Slice(Space::input, 0, mine.total());
  call.problem.blocks = Blocks::even(Slice(Space::output, 0, total), comm.local_size());
  return run_one_way(call, comm, true, total);
}

int run_gatherv_between(Plan& plan, Communicator& comm, const Buffer& sent,
                        std::span<const Buffer> received, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = receiving_root(comm, root);
  if (root == MPI_ROOT) {
    ByteBlocks out(call, received);
    call.problem.blocks = out.in(Space::output);
    const int error = run_one_way(call, comm, false, out.total());
    return error != MPI_SUCCESS ? error : out.unpack_all();
  }
  const EvenBlocks mine(call, sent, 1);
  if (const int error = mine.pack(call); error != MPI_SUCCESS) return error;
  call.set(Space::input, mine.whole().address);
  call.problem.input = Slice(Space::input, 0, mine.total());
  return run_one_way(call, comm, true, mine.total());
}

int run_scatter_between(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
                        int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = sending_root(comm, root);
  if (root == MPI_ROOT) {
    const EvenBlocks in(call, sent, comm.remote_size());
    if (const int error = in.pack(call); error != MPI_SUCCESS) return error;
    call.set(Space::input, in.whole().address);
    call.problem.blocks = Blocks::even(Slice(Space::input, 0, in.total()), comm.remote_size());
    return run_one_way(call, comm, true, in.total());
  }
  const EvenBlocks mine(call, received, 1);
  const std::int64_t total = mine.total() * comm.local_size();
  call.set(Space::output, mine.whole().address);
  call.problem.data = Slice(Space::output, 0, mine.total());
  call.problem.blocks = Blocks::even(Slice(Space::input, 0, total), comm.local_size());
  const int error = run_one_way(call, comm, false, total);
  return error != MPI_SUCCESS ? error : mine.unpack(call);
}

int run_scatterv_between(Plan& plan, Communicator& comm, std::span<const Buffer> sent,
                         const Buffer& received, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = sending_root(comm, root);
  if (root == MPI_ROOT) {
    ByteBlocks in(call, sent);
    if (const int error = in.pack_all(); error != MPI_SUCCESS) return error;
    call.problem.blocks = in.in(Space::input);
    return run_one_way(call, comm, true, in.total());
  }
  const EvenBlocks mine(call, received, 1);
  call.set(Space::output, mine.whole().address);
  call.problem.data = Slice(Space::output, 0, mine.total());
  const int error = run_one_way(call, comm, false, mine.total());
  return error != MPI_SUCCESS ? error : mine.unpack(call);
}

}  // namespace roundelay::mpi
