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
    std::byte* between = call.bytes_for_now(from.bytes());
    const int error = pack(between, from.address, from.count, *from.type, call.own());
    if (error != MPI_SUCCESS) return error;
    packed = between;
  }
  return unpack(to.address, packed, from.bytes() / to.type->size, *to.type, call.own());
}

namespace {

class Barrier {
 public:
  explicit Barrier(Call& /*call*/) {}
  static int prepare() { return MPI_SUCCESS; }
  static std::int64_t m() { return 0; }
  static int finish() { return MPI_SUCCESS; }
};

class Broadcast {
 public:
  Broadcast(Call& call, const Buffer& buffer, int root)
      : call_(call), data_(call, buffer, 1), is_root_(call.problem.group.rank == root) {
    call.problem.root = root;
    call.set(Space::output, data_.whole().address);
    call.problem.data = Slice(Space::output, 0, data_.total());
  }
  int prepare() { return is_root_ ? data_.pack(call_) : static_cast<int>(MPI_SUCCESS); }
  [[nodiscard]] std::int64_t m() const { return data_.total(); }
  int finish() { return is_root_ ? static_cast<int>(MPI_SUCCESS) : data_.unpack(call_); }

 private:
  Call& call_;
  EvenBlocks data_;
  bool is_root_;
};

}  // namespace

Running begin_barrier(Plan& plan, Communicator& comm) {
  return begin_with<Barrier>(plan, comm, std::tuple());
}
int run_barrier(Plan& plan, Communicator& comm) {
  return run_with<Barrier>(plan, comm, std::tuple());
}

Running begin_bcast(Plan& plan, Communicator& comm, Buffer buffer, int root) {
  return begin_with<Broadcast>(plan, comm, std::tuple(), buffer, root);
}
int run_bcast(Plan& plan, Communicator& comm, const Buffer& buffer, int root) {
  return run_with<Broadcast>(plan, comm, std::tuple(), buffer, root);
}

namespace {

// The own block is also where the program has it, unless it is laid out otherwise there.
void has_copy(Call& call, int rank, const Buffer& sent) {
  const Slice own = call.problem.blocks[rank];
  if (sent.in_place() || !sent.type->contiguous || sent.bytes() != own.length()) return;
  call.memory.copied = own;
  call.memory.copy = static_cast<std::byte*>(sent.address);
}

// Where the blocks of a call's ranks are gathered. The own block comes to its place.
int gather_into(Call& call, const EvenBlocks& out, Group group, const Buffer& sent,
                const Buffer& received) {
  call.set(Space::output, out.whole().address);
  call.problem.blocks = Blocks::even(Slice(Space::output, 0, out.total()), group.size);
  if (!sent.in_place()) return move_data(call, out.of(group.rank), sent);
  return out.copied() ? move_data(call, out.of(group.rank), received.of(group.rank))
                      : static_cast<int>(MPI_SUCCESS);
}

int gather_into(Call& call, ByteBlocks& out, int rank, const Buffer& sent) {
  call.problem.blocks = out.in(Space::output);
  return sent.in_place() ? out.pack(rank) : move_data(call, out.block(rank), sent);
}

}  // namespace

Running begin_allgather(Plan& plan, Communicator& comm, Buffer sent, Buffer received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  if (!sent.in_place() && sent.bytes() != received.bytes()) co_return MPI_ERR_TRUNCATE;
  const EvenBlocks out(call, received, comm.size());
  int error = MPI_SUCCESS;
  do {
    error = gather_into(call, out, Group(comm.rank(), comm.size()), sent, received);
    has_copy(call, comm.rank(), sent);
    if (error == MPI_SUCCESS) error = co_await call.run(out.total());
    if (error == MPI_SUCCESS) error = out.unpack(call);
  } while (co_await again(error));
  co_return error;
}

Running begin_allgatherv(Plan& plan, Communicator& comm, Buffer sent,
                         std::vector<Buffer> received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  ByteBlocks out(call, received);
  int error = MPI_SUCCESS;
  do {
    error = gather_into(call, out, comm.rank(), sent);
    has_copy(call, comm.rank(), sent);
    if (error == MPI_SUCCESS) error = co_await call.run(out.total());
    if (error == MPI_SUCCESS) error = out.unpack_all();
  } while (co_await again(error));
  co_return error;
}

Running begin_gather(Plan& plan, Communicator& comm, Buffer sent, Buffer received, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  int error = MPI_SUCCESS;
  if (comm.rank() == root) {
    const EvenBlocks out(call, received, comm.size());
    do {
      error = gather_into(call, out, Group(root, comm.size()), sent, received);
      if (error == MPI_SUCCESS) error = co_await call.run(out.total());
      if (error == MPI_SUCCESS) error = out.unpack(call);
    } while (co_await again(error));
    co_return error;
  }
  const EvenBlocks mine(call, sent, 1);
  const std::int64_t total = mine.total() * comm.size();
  call.set(Space::input, mine.whole().address);
  call.problem.input = Slice(Space::input, 0, mine.total());
  call.problem.blocks = Blocks::even(Slice(Space::output, 0, total), comm.size());
  do {
    error = mine.pack(call);
    if (error == MPI_SUCCESS) error = co_await call.run(total);
  } while (co_await again(error));
  co_return error;
}

Running begin_gatherv(Plan& plan, Communicator& comm, Buffer sent, std::vector<Buffer> received,
                      int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  int error = MPI_SUCCESS;
  if (comm.rank() == root) {
    ByteBlocks out(call, received);
    do {
      error = gather_into(call, out, root, sent);
      if (error == MPI_SUCCESS) error = co_await call.run(out.total());
      if (error == MPI_SUCCESS) error = out.unpack_all();
    } while (co_await again(error));
    co_return error;
  }
  const EvenBlocks mine(call, sent, 1);
  call.set(Space::input, mine.whole().address);
  call.problem.input = Slice(Space::input, 0, mine.total());
  do {
    error = mine.pack(call);
    if (error == MPI_SUCCESS) error = co_await call.run(mine.total());
  } while (co_await again(error));
  co_return error;
}

Running begin_scatter(Plan& plan, Communicator& comm, Buffer sent, Buffer received, int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  int error = MPI_SUCCESS;
  if (comm.rank() == root) {
    const EvenBlocks in(call, sent, comm.size());
    call.set(Space::input, in.whole().address);
    call.problem.blocks = Blocks::even(Slice(Space::input, 0, in.total()), comm.size());
    do {
      error = in.pack(call);
      if (error == MPI_SUCCESS && !received.in_place())
        error = move_data(call, received, in.of(root));
      if (error == MPI_SUCCESS) error = co_await call.run(in.total());
    } while (co_await again(error));
    co_return error;
  }
  const EvenBlocks mine(call, received, 1);
  const std::int64_t total = mine.total() * comm.size();
  call.set(Space::output, mine.whole().address);
  call.problem.data = Slice(Space::output, 0, mine.total());
  call.problem.blocks = Blocks::even(Slice(Space::input, 0, total), comm.size());
  do {
    error = co_await call.run(total);
    if (error == MPI_SUCCESS) error = mine.unpack(call);
  } while (co_await again(error));
  co_return error;
}

Running begin_scatterv(Plan& plan, Communicator& comm, std::vector<Buffer> sent, Buffer received,
                       int root) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  call.problem.root = root;
  int error = MPI_SUCCESS;
  if (comm.rank() == root) {
    ByteBlocks in(call, sent);
    call.problem.blocks = in.in(Space::input);
    do {
      error = in.pack_all();
      if (error == MPI_SUCCESS && !received.in_place())
        error = move_data(call, received, in.block(root));
      if (error == MPI_SUCCESS) error = co_await call.run(in.total());
    } while (co_await again(error));
    co_return error;
  }
  const EvenBlocks mine(call, received, 1);
  call.set(Space::output, mine.whole().address);
  call.problem.data = Slice(Space::output, 0, mine.total());
  do {
    error = co_await call.run(mine.total());
    if (error == MPI_SUCCESS) error = mine.unpack(call);
  } while (co_await again(error));
  co_return error;
}

}  // namespace roundelay::mpi
