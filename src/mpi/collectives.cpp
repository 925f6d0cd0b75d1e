// SPDX-License-Identifier: Apache-2.0
#include "mpi/collectives.hpp"

#include <array>
#include <new>

#include "mpi/executor.hpp"

namespace roundelay {

namespace {

// One call: its problem, its memory and the executor of this thread.
class Call {
 public:
  Call(Plan& plan, Communicator& comm) : plan_(plan), comm_(comm) {
    problem.group = Group(comm.rank(), comm.size());
    problem.choice = plan.choice.get();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { executor_.release(); }

  Problem problem;
  Memory memory;

  // Room for `count` elements of the call's type, as the address of the first.
  std::byte* room(std::int64_t count) {
    const Datatype& type = memory.type;
    const std::int64_t span = type.span(count);
    if (!little_is_used_ && span <= static_cast<std::int64_t>(little_.size())) {
      little_is_used_ = true;
      return little_.data() - type.lowest(count);
    }
    return executor_.scratch().get(span) - type.lowest(count);
  }
  std::byte* bytes(std::int64_t count) { return executor_.scratch().get(count); }
  void set(Space space, const void* address) {
    memory.base[static_cast<std::size_t>(space)] = const_cast<std::byte*>(
        static_cast<const std::byte*>(address));  // schedules do not write input
  }

  // `m`: the length of the whole message in units.
  int run(std::int64_t m) {
    const std::int64_t needed = plan_.scratch(comm_.size(), m);
    problem.scratch = Slice(Space::scratch, 0, needed);
    if (needed > 0) set(Space::scratch, room(needed));
    Schedule schedule = plan_.choice->schedule(problem);
    return executor_.run(schedule, memory, own(), plan_.choice->discipline);
  }
  [[nodiscard]] MPI_Comm own() { return comm_.own(); }

 private:
  static Executor& of_this_thread() {
    static thread_local Executor one;
    return one;
  }

  Plan& plan_;
  Communicator& comm_;
  Executor& executor_ = of_this_thread();
  // Short messages need no memory from elsewhere.
  alignas(64) std::array<std::byte, 128> little_;
  bool little_is_used_ = false;
};

// What runs out of memory or of communicators is an error of the call, not of the program.
template <typename Body>
int guarded(Communicator& comm, const Body& body) {
  if (comm.own() == MPI_COMM_NULL) return MPI_ERR_INTERN;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

}  // namespace

int run_allgather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received) {
  return guarded(comm, [&] {
    Call call(plan, comm);
    call.memory.type = describe(MPI_BYTE);
    const std::int64_t block = received.bytes();
    const std::int64_t total = block * comm.size();
    const std::int64_t elements = received.count * comm.size();
    std::byte* out =
        received.type->contiguous ? static_cast<std::byte*>(received.address) : call.bytes(total);
    std::byte* mine = out + comm.rank() * block;
    int error = MPI_SUCCESS;
    if (sent.address != MPI_IN_PLACE) {
      error = pack(mine, sent.address, sent.count, *sent.type, call.own());
    } else if (!received.type->contiguous) {
      const auto* place = static_cast<const std::byte*>(received.address) +
                          comm.rank() * received.count * received.type->extent;
      error = pack(mine, place, received.count, *received.type, call.own());
    }
    if (error != MPI_SUCCESS) return error;
    call.set(Space::output, out);
    call.problem.blocks = Blocks::even(Slice(Space::output, 0, total), comm.size());
    error = call.run(total);
    if (error != MPI_SUCCESS || received.type->contiguous) return error;
    return unpack(received.address, out, elements, *received.type, call.own());
  });
}

int run_allreduce(Plan& plan, Communicator& comm, const void* sent, const Buffer& received,
                  MPI_Op op, bool commutative) {
  return guarded(comm, [&] {
    Call call(plan, comm);
    call.memory.type = *received.type;
    call.memory.op = op;
    call.problem.commutative = commutative;
    if (sent != MPI_IN_PLACE) {
      const int error =
          copy_elements(received.address, sent, received.count, *received.type, call.own());
      if (error != MPI_SUCCESS) return error;
    }
    call.set(Space::output, received.address);
    call.problem.data = Slice(Space::output, 0, received.count);
    return call.run(received.count);
  });
}

int run_barrier(Plan& plan, Communicator& comm) {
  return guarded(comm, [&] {
    Call call(plan, comm);
    call.memory.type = describe(MPI_BYTE);
    return call.run(0);
  });
}

int run_bcast(Plan& plan, Communicator& comm, const Buffer& buffer, int root) {
  return guarded(comm, [&] {
    Call call(plan, comm);
    call.memory.type = describe(MPI_BYTE);
    call.problem.root = root;
    const std::int64_t total = buffer.bytes();
    std::byte* data =
        buffer.type->contiguous ? static_cast<std::byte*>(buffer.address) : call.bytes(total);
    int error = MPI_SUCCESS;
    if (!buffer.type->contiguous && comm.rank() == root) {
      error = pack(data, buffer.address, buffer.count, *buffer.type, call.own());
      if (error != MPI_SUCCESS) return error;
    }
    call.set(Space::output, data);
    call.problem.data = Slice(Space::output, 0, total);
    error = call.run(total);
    if (error != MPI_SUCCESS || buffer.type->contiguous || comm.rank() == root) return error;
    return unpack(buffer.address, data, buffer.count, *buffer.type, call.own());
  });
}

int run_reduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received, int root,
               MPI_Op op, bool commutative) {
  return guarded(comm, [&] {
    Call call(plan, comm);
    call.memory.type = *sent.type;
    call.memory.op = op;
    call.problem.root = root;
    call.problem.commutative = commutative;
    call.problem.data = Slice(Space::output, 0, sent.count);
    call.problem.input = call.problem.data;
    call.set(Space::output, comm.rank() == root ? received : call.room(sent.count));
    if (sent.address != MPI_IN_PLACE) {
      call.set(Space::input, sent.address);
      call.problem.input = Slice(Space::input, 0, sent.count);
    }
    return call.run(sent.count);
  });
}

}  // namespace roundelay
