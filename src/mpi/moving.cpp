// SPDX-License-Identifier: Apache-2.0
// The collectives that move data without an exchange of all with all.
#include <span>
#include <tuple>
#include <utility>

#include "mpi/byte_blocks.hpp"
#include "mpi/call.hpp"
#include "mpi/collectives.hpp"
#include "mpi/even_blocks.hpp"

namespace roundelay::mpi {

int move_data(Call& call, const Buffer& to, const Buffer& from) {
  if (to.bytes() < from.bytes()) return MPI_ERR_TRUNCATE;
  if (from.bytes() == 0) return MPI_SUCCESS;
  if (to.type->contiguous) {
    return pack(static_cast<std::byte*>(to.address), from.address, from.count, *from.type);
  }
  const auto* packed = static_cast<const std::byte*>(from.address);
  if (!from.type->contiguous) {
    std::byte* between = call.bytes_for_now(from.bytes());
    const int error = pack(between, from.address, from.count, *from.type);
    if (error != MPI_SUCCESS) return error;
    packed = between;
  }
  return unpack(to.address, packed, from.bytes() / to.type->size, *to.type);
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

// The own block is also where the program has it, unless it is laid out otherwise there.
void has_copy(Call& call, int rank, const Buffer& sent) {
  const Slice own = call.problem.blocks[rank];
  if (sent.in_place() || !sent.type->contiguous || sent.bytes() != own.length()) return;
  call.memory.copied = own;
  call.memory.copy = static_cast<std::byte*>(sent.address);
}

// Where the blocks of a call's ranks are gathered. The own block comes to its place.
int gather_into(Call& call, const EvenBlocks& out, const Buffer& sent, const Buffer& received) {
  const Group& group = call.problem.group;
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

class Allgather {
 public:
  Allgather(Call& call, const Buffer& sent, const Buffer& received)
      : call_(call),
        sent_(sent),
        received_(received),
        out_(call, received, call.problem.group.size) {}
  int prepare() {
    if (!sent_.in_place() && sent_.bytes() != received_.bytes()) return MPI_ERR_TRUNCATE;
    const int error = gather_into(call_, out_, sent_, received_);
    has_copy(call_, call_.problem.group.rank, sent_);
    return error;
  }
  [[nodiscard]] std::int64_t m() const { return out_.total(); }
  int finish() { return out_.unpack(call_); }

 private:
  Call& call_;
  Buffer sent_;
  Buffer received_;
  EvenBlocks out_;
};

class Allgatherv {
 public:
  Allgatherv(Call& call, const Buffer& sent, std::span<const Buffer> received)
      : call_(call), sent_(sent), out_(call, received) {}
  int prepare() {
    const int own = call_.problem.group.rank;
    const int error = gather_into(call_, out_, own, sent_);
    has_copy(call_, own, sent_);
    return error;
  }
  [[nodiscard]] std::int64_t m() const { return out_.total(); }
  int finish() { return out_.unpack_all(); }

 private:
  Call& call_;
  Buffer sent_;
  ByteBlocks out_;
};

// At the root all blocks, elsewhere the own one.
class Gather {
 public:
  Gather(Call& call, const Buffer& sent, const Buffer& received, int root)
      : call_(call),
        sent_(sent),
        received_(received),
        is_root_(call.problem.group.rank == root),
        blocks_(call, is_root_ ? received : sent, is_root_ ? call.problem.group.size : 1) {
    call.problem.root = root;
    if (is_root_) return;
    call.set(Space::input, blocks_.whole().address);
    call.problem.input = Slice(Space::input, 0, blocks_.total());
    call.problem.blocks = Blocks::even(Slice(Space::output, 0, m()), call.problem.group.size);
  }
  int prepare() {
    return is_root_ ? gather_into(call_, blocks_, sent_, received_) : blocks_.pack(call_);
  }
  [[nodiscard]] std::int64_t m() const {
    return is_root_ ? blocks_.total() : blocks_.total() * call_.problem.group.size;
  }
  int finish() { return is_root_ ? blocks_.unpack(call_) : static_cast<int>(MPI_SUCCESS); }

 private:
  Call& call_;
  Buffer sent_;
  Buffer received_;
  bool is_root_;
  EvenBlocks blocks_;
};

// The same the other way round. The root moves its own block last: others wait for theirs.
class Scatter {
 public:
  Scatter(Call& call, const Buffer& sent, const Buffer& received, int root)
      : call_(call),
        received_(received),
        is_root_(call.problem.group.rank == root),
        blocks_(call, is_root_ ? sent : received, is_root_ ? call.problem.group.size : 1) {
    call.problem.root = root;
    call.problem.blocks = Blocks::even(Slice(Space::input, 0, m()), call.problem.group.size);
    call.set(is_root_ ? Space::input : Space::output, blocks_.whole().address);
    if (!is_root_) call.problem.data = Slice(Space::output, 0, blocks_.total());
  }
  int prepare() { return is_root_ ? blocks_.pack(call_) : static_cast<int>(MPI_SUCCESS); }
  [[nodiscard]] std::int64_t m() const {
    return is_root_ ? blocks_.total() : blocks_.total() * call_.problem.group.size;
  }
  int finish() {
    if (!is_root_) return blocks_.unpack(call_);
    if (received_.in_place()) return MPI_SUCCESS;
    return move_data(call_, received_, blocks_.of(call_.problem.root));
  }

 private:
  Call& call_;
  Buffer received_;
  bool is_root_;
  EvenBlocks blocks_;
};

class GathervAtRoot : public Allgatherv {
 public:
  GathervAtRoot(Call& call, const Buffer& sent, std::span<const Buffer> received)
      : Allgatherv(call, sent, received) {
    call.problem.root = call.problem.group.rank;
  }
};

class GathervElsewhere {
 public:
  GathervElsewhere(Call& call, const Buffer& sent, int root) : call_(call), mine_(call, sent, 1) {
    call.problem.root = root;
    call.set(Space::input, mine_.whole().address);
    call.problem.input = Slice(Space::input, 0, mine_.total());
  }
  int prepare() { return mine_.pack(call_); }
  [[nodiscard]] std::int64_t m() const { return mine_.total(); }
  static int finish() { return MPI_SUCCESS; }

 private:
  Call& call_;
  EvenBlocks mine_;
};

class ScattervAtRoot {
 public:
  ScattervAtRoot(Call& call, std::span<const Buffer> sent, const Buffer& received)
      : call_(call), received_(received), in_(call, sent) {
    call.problem.root = call.problem.group.rank;
    call.problem.blocks = in_.in(Space::input);
  }
  int prepare() { return in_.pack_all(); }
  [[nodiscard]] std::int64_t m() const { return in_.total(); }
  int finish() {
    if (received_.in_place()) return MPI_SUCCESS;
    return move_data(call_, received_, in_.block(call_.problem.root));
  }

 private:
  Call& call_;
  Buffer received_;
  ByteBlocks in_;
};

class ScattervElsewhere {
 public:
  ScattervElsewhere(Call& call, const Buffer& received, int root)
      : call_(call), mine_(call, received, 1) {
    call.problem.root = root;
    call.set(Space::output, mine_.whole().address);
    call.problem.data = Slice(Space::output, 0, mine_.total());
  }
  static int prepare() { return MPI_SUCCESS; }
  [[nodiscard]] std::int64_t m() const { return mine_.total(); }
  int finish() { return mine_.unpack(call_); }

 private:
  Call& call_;
  EvenBlocks mine_;
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

Running begin_allgather(Plan& plan, Communicator& comm, Buffer sent, Buffer received) {
  return begin_with<Allgather>(plan, comm, std::tuple(), sent, received);
}
int run_allgather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received) {
  return run_with<Allgather>(plan, comm, std::tuple(), sent, received);
}

Running begin_allgatherv(Plan& plan, Communicator& comm, Buffer sent, Buffers received) {
  return begin_with<Allgatherv>(plan, comm, std::tuple(), sent, std::move(received));
}
int run_allgatherv(Plan& plan, Communicator& comm, const Buffer& sent, const Buffers& received) {
  return run_with<Allgatherv>(plan, comm, std::tuple(), sent, received);
}

Running begin_gather(Plan& plan, Communicator& comm, Buffer sent, Buffer received, int root) {
  return begin_with<Gather>(plan, comm, std::tuple(), sent, received, root);
}
int run_gather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
               int root) {
  return run_with<Gather>(plan, comm, std::tuple(), sent, received, root);
}

Running begin_gatherv(Plan& plan, Communicator& comm, Buffer sent, Buffers received, int root) {
  if (comm.rank() != root) {
    return begin_with<GathervElsewhere>(plan, comm, std::tuple(), sent, root);
  }
  return begin_with<GathervAtRoot>(plan, comm, std::tuple(), sent, std::move(received));
}
int run_gatherv(Plan& plan, Communicator& comm, const Buffer& sent, const Buffers& received,
                int root) {
  if (comm.rank() != root) {
    return run_with<GathervElsewhere>(plan, comm, std::tuple(), sent, root);
  }
  return run_with<GathervAtRoot>(plan, comm, std::tuple(), sent, received);
}

Running begin_scatter(Plan& plan, Communicator& comm, Buffer sent, Buffer received, int root) {
  return begin_with<Scatter>(plan, comm, std::tuple(), sent, received, root);
}
int run_scatter(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
                int root) {
  return run_with<Scatter>(plan, comm, std::tuple(), sent, received, root);
}

Running begin_scatterv(Plan& plan, Communicator& comm, Buffers sent, Buffer received, int root) {
  if (comm.rank() != root) {
    return begin_with<ScattervElsewhere>(plan, comm, std::tuple(), received, root);
  }
  return begin_with<ScattervAtRoot>(plan, comm, std::tuple(), std::move(sent), received);
}
int run_scatterv(Plan& plan, Communicator& comm, const Buffers& sent, const Buffer& received,
                 int root) {
  if (comm.rank() != root) {
    return run_with<ScattervElsewhere>(plan, comm, std::tuple(), received, root);
  }
  return run_with<ScattervAtRoot>(plan, comm, std::tuple(), sent, received);
}

}  // namespace roundelay::mpi
