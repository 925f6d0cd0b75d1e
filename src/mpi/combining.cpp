// SPDX-License-Identifier: Apache-2.0
// The collectives that combine data.
#include <vector>

#include "mpi/call.hpp"
#include "mpi/collectives.hpp"

namespace roundelay::mpi {

namespace {

// What is sent is read where it is and the result made where it shall be, which are one in place.
class Combining {
 public:
  Combining(Call& call, const Buffer& sent, void* output) : count_(sent.count) {
    call.problem.data = Slice(Space::output, 0, sent.count);
    call.problem.input = call.problem.data;
    call.set(Space::output, output);
    if (!sent.in_place()) {
      call.set(Space::input, sent.address);
      call.problem.input = Slice(Space::input, 0, sent.count);
    }
  }
  static int prepare() { return MPI_SUCCESS; }
  [[nodiscard]] std::int64_t m() const { return count_; }
  static int finish() { return MPI_SUCCESS; }

 private:
  std::int64_t count_;
};

class Reduce : public Combining {
 public:
  Reduce(Call& call, const Buffer& sent, void* received, int root)
      : Combining(call, sent, call.problem.group.rank == root ? received : call.room(sent.count)) {
    call.problem.root = root;
  }
};

// MPI leaves more of the output alone than the result, so the blocks are combined elsewhere.
class ReduceScatterBlock {
 public:
  ReduceScatterBlock(Call& call, const Buffer& sent, void* received)
      : call_(call), count_(sent.count), received_(received) {
    call.set(Space::output, call.room(count_));
    call.set(Space::input, sent.in_place() ? received : sent.address);
    call.problem.input = Slice(Space::input, 0, count_);
    call.problem.blocks = Blocks::even(Slice(Space::output, 0, count_), call.problem.group.size);
  }
  static int prepare() { return MPI_SUCCESS; }
  [[nodiscard]] std::int64_t m() const { return count_; }
  int finish() {
    const Slice mine = call_.problem.blocks[call_.problem.group.rank];
    return copy_elements(received_, call_.memory.at(mine), mine.length(), call_.memory.type);
  }

 private:
  Call& call_;
  std::int64_t count_;
  void* received_;
};

}  // namespace

Running begin_allreduce(Plan& plan, Communicator& comm, Buffer sent, void* received,
                        Operation operation) {
  return begin_with<Combining>(plan, comm, std::tuple(operation), sent, received);
}
int run_allreduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
                  const Operation& operation) {
  return run_with<Combining>(plan, comm, std::tie(operation), sent, received);
}

Running begin_reduce(Plan& plan, Communicator& comm, Buffer sent, void* received, int root,
                     Operation operation) {
  return begin_with<Reduce>(plan, comm, std::tuple(operation), sent, received, root);
}
int run_reduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received, int root,
               const Operation& operation) {
  return run_with<Reduce>(plan, comm, std::tie(operation), sent, received, root);
}

Running begin_scan(Plan& plan, Communicator& comm, Buffer sent, void* received,
                   Operation operation) {
  return begin_with<Combining>(plan, comm, std::tuple(operation), sent, received);
}
int run_scan(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
             const Operation& operation) {
  return run_with<Combining>(plan, comm, std::tie(operation), sent, received);
}

Running begin_reduce_scatter_block(Plan& plan, Communicator& comm, Buffer sent, void* received,
                                   Operation operation) {
  return begin_with<ReduceScatterBlock>(plan, comm, std::tuple(operation), sent, received);
}
int run_reduce_scatter_block(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
                             const Operation& operation) {
  return run_with<ReduceScatterBlock>(plan, comm, std::tie(operation), sent, received);
}

Running begin_reduce_scatter(Plan& plan, Communicator& comm, const void* sent, void* received,
                             std::vector<Units> counts, Operation operation) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm, operation);
  const std::vector<Units> offsets = displacements_of(counts);
  const Units total = offsets.back() + counts.back();
  // MPI leaves more of the output alone than the result.
  call.set(Space::output, call.room(total));
  call.set(Space::input, sent == MPI_IN_PLACE ? received : sent);
  call.problem.input = Slice(Space::input, 0, total);
  call.problem.blocks = Blocks::cut(Slice(Space::output, 0, total), counts, offsets);
  const Slice mine = call.problem.blocks[comm.rank()];
  int error = MPI_SUCCESS;
  do {
    error = co_await call.run(total);
    if (error == MPI_SUCCESS) {
      error = copy_elements(received, call.memory.at(mine), mine.length(), *operation.type);
    }
  } while (co_await again(error));
  co_return error;
}

}  // namespace roundelay::mpi
