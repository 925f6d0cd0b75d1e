// SPDX-License-Identifier: Apache-2.0
// The collectives that move data without an exchange of all with all.
#include "mpi/byte_blocks.hpp"
#include "mpi/call.hpp"
#include "mpi/collectives.hpp"
#include "mpi/even_blocks.hpp"

namespace roundelay::mpi {

int move_data(Call& call, const Buffer& to, const Buffer& from) {
  if (to.bytes() < from.bytes()) return MPI_ERR_TRUNCATE;
  if (from.bytes() == 0) return MPI_SUCCESS;
  if (to.type->contiguous) {
    return pack(static_cast<std::byte*>(to.address), from.address, from.count, *from.type,
                call.own());
  }
  const auto* packed = static_cast<const std::byte*>(from.address);
  if (!from.type->contiguous) {
    std::byte* between = call.bytes(from.bytes());
    const int error = pack(between, from.address, from.count, *from.type, call.own());
    if (error != MPI_SUCCESS) return error;
    packed = between;
  }
  return unpack(to.address, packed, from.bytes() / to.type->size, *to.type, call.own());
}

int run_barrier(Plan& plan, Communicator& comm) {
  ExecutorOfThread executor;
  return Call(*executor, plan, comm).run(0);
}

int run_bcast(Plan& plan, Communicator& comm, const Buffer& buffer, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  const EvenBlocks data(call, buffer, 1);
  int error = comm.rank() == root ? data.pack(call) : MPI_SUCCESS;
  if (error != MPI_SUCCESS) return error;
  call.set(Space::output, data.whole().address);
  call.problem.data = Slice(Space::output, 0, data.total());
  error = call.run(data.total());
  return error != MPI_SUCCESS || comm.rank() == root ? error : data.unpack(call);
}

namespace {

// The own block comes to its place, then all the others.
int run_into(Call& call, int rank, int ranks, const Buffer& sent, const Buffer& received) {
  const EvenBlocks out(call, received, ranks);
  int error = MPI_SUCCESS;
  if (!sent.in_place()) {
    error = move_data(call, out.of(rank), sent);
  } else if (out.copied()) {
    error = move_data(call, out.of(rank), received.of(rank));
  }
  if (error != MPI_SUCCESS) return error;
  call.set(Space::output, out.whole().address);
  call.problem.blocks = Blocks::even(Slice(Space::output, 0, out.total()), ranks);
  error = call.run(out.total());
  return error != MPI_SUCCESS ? error : out.unpack(call);
}

int run_into(Call& call, int rank, const Buffer& sent, std::span<const Buffer> received) {
  ByteBlocks out(call, received);
  int error = sent.in_place() ? out.pack(rank) : move_data(call, out.block(rank), sent);
  if (error != MPI_SUCCESS) return error;
  call.problem.blocks = out.in(Space::output);
  error = call.run(out.total());
  return error != MPI_SUCCESS ? error : out.unpack_all();
}

}  // namespace

int run_allgather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  return run_into(call, comm.rank(), comm.size(), sent, received);
}

int run_allgatherv(Plan& plan, Communicator& comm, const Buffer& sent,
                   std::span<const Buffer> received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  return run_into(call, comm.rank(), sent, received);
}

int run_gather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
               int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  if (comm.rank() == root) return run_into(call, root, comm.size(), sent, received);
  const EvenBlocks mine(call, sent, 1);
  if (const int error = mine.pack(call); error != MPI_SUCCESS) return error;
  const std::int64_t total = mine.total() * comm.size();
  call.set(Space::input, mine.whole().address);
  call.problem.input = Slice(Space::input, 0, mine.total());
  call.problem.blocks = Blocks::even(Slice(Space::output, 0, total), comm.size());
  return call.run(total);
}

int run_gatherv(Plan& plan, Communicator& comm, const Buffer& sent,
                std::span<const Buffer> received, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  if (comm.rank() == root) return run_into(call, root, sent, received);
  const EvenBlocks mine(call, sent, 1);
  if (const int error = mine.pack(call); error != MPI_SUCCESS) return error;
  call.set(Space::input, mine.whole().address);
  call.problem.input = Slice(Space::input, 0, mine.total());
  return call.run(mine.total());
}

int run_scatter(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
                int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  if (comm.rank() == root) {
    const EvenBlocks in(call, sent, comm.size());
    int error = in.pack(call);
    if (error == MPI_SUCCESS && !received.in_place())
      error = move_data(call, received, in.of(root));
    if (error != MPI_SUCCESS) return error;
    call.set(Space::input, in.whole().address);
    call.problem.blocks = Blocks::even(Slice(Space::input, 0, in.total()), comm.size());
    return call.run(in.total());
  }
  const EvenBlocks mine(call, received, 1);
  const std::int64_t total = mine.total() * comm.size();
  call.set(Space::output, mine.whole().address);
  call.problem.data = Slice(Space::output, 0, mine.total());
  call.problem.blocks = Blocks::even(Slice(Space::input, 0, total), comm.size());
  const int error = call.run(total);
  return error != MPI_SUCCESS ? error : mine.unpack(call);
}

int run_scatterv(Plan& plan, Communicator& comm, std::span<const Buffer> sent,
                 const Buffer& received, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  if (comm.rank() == root) {
    ByteBlocks in(call, sent);
    int error = in.pack_all();
    if (error == MPI_SUCCESS && !received.in_place())
      error = move_data(call, received, in.block(root));
    if (error != MPI_SUCCESS) return error;
    call.problem.blocks = in.in(Space::input);
    return call.run(in.total());
  }
  const EvenBlocks mine(call, received, 1);
  call.set(Space::output, mine.whole().address);
  call.problem.data = Slice(Space::output, 0, mine.total());
  const int error = call.run(mine.total());
  return error != MPI_SUCCESS ? error : mine.unpack(call);
}

}  // namespace roundelay::mpi
