// SPDX-License-Identifier: Apache-2.0
// The collectives on intercommunicators that combine data. What a group's ranks get is the result
// of the other group's.
#include <vector>

#include "mpi/directions.hpp"

namespace roundelay::mpi {

namespace {

void give(Call& call, const void* sent, Units m) {
  call.set(Space::input, sent);
  call.problem.input = Slice(Space::input, 0, m);
}

void take(Call& call, void* received, Units m) {
  call.set(Space::output, received);
  call.problem.data = Slice(Space::output, 0, m);
}

// Each rank hears from one of the other group what all there know.
Schedule exchange(Group g, int low, Slice mine, Slice theirs) {
  const bool is_low = g.rank < low;
  const int own = is_low ? low : g.size - low;
  const int others = g.size - own;
  const int first = is_low ? low : 0;  // of the others
  const int me = is_low ? g.rank : g.rank - low;
  RoundList list;
  for (int j = me; j < others; j += own) list.add(send(mine, g[first + j]));
  list.add(recv(theirs, g[first + me % others]));
  co_yield list;
}

// The counts of the other group, of which only that knows. The units are bytes.
Schedule exchanged_counts(Communicator& comm, std::span<const Units> counts,
                          std::span<const Units> theirs) {
  const auto slice = [](Space space, std::span<const Units> of) {
    return Slice(space, 0, static_cast<Units>(of.size_bytes()));
  };
  const int low = comm.is_low() ? comm.local_size() : comm.remote_size();
  return exchange(Group(comm.rank(), comm.size()), low, slice(Space::input, counts),
                  slice(Space::output, theirs));
}

}  // namespace

Running begin_allreduce_between(Plan& plan, Communicator& comm, Buffer sent, void* received,
                                Operation operation) {
  ExecutorOfThread executor;
  Call to(*executor, plan, comm, operation);
  Call from = to.other_half();
  give(to, sent.address, sent.count);
  take(from, received, sent.count);
  int error = MPI_SUCCESS;
  do {
    error = co_await BothWays(to, from, comm, sent.count, sent.count);
  } while (co_await again(error));
  co_return error;
}

Running begin_reduce_between(Plan& plan, Communicator& comm, Buffer sent, void* received, int root,
                             Operation operation) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm, operation);
  call.problem.root = receiving_root(comm, root);
  const bool receives = root == MPI_ROOT;
  if (receives) {
    take(call, received, sent.count);
  } else {
    give(call, sent.address, sent.count);
  }
  int error = MPI_SUCCESS;
  do {
    error = co_await OneWay(call, comm, !receives, sent.count);
  } while (co_await again(error));
  co_return error;
}

Running begin_reduce_scatter_between(Plan& plan, Communicator& comm, const void* sent,
                                     void* received, std::vector<Units> counts,
                                     Operation operation) {
  ExecutorOfThread executor;
  Call to(*executor, plan, comm, operation);
  Call from = to.other_half();
  std::vector<Units> theirs(static_cast<std::size_t>(comm.remote_size()));
  Schedule schedule = exchanged_counts(comm, counts, theirs);
  const Memory memory = memory_of_bytes(counts, theirs);
  int error = co_await to.run_early(schedule, memory);
  if (error != MPI_SUCCESS) co_return error;
  const std::vector<Units> offsets = displacements_of(counts);
  const std::vector<Units> their_offsets = displacements_of(theirs);
  const Units total = offsets.back() + counts.back();
  if (their_offsets.back() + theirs.back() != total) co_return MPI_ERR_COUNT;
  const Slice whole(Space::output, 0, total);
  give(to, sent, total);
  to.problem.blocks = Blocks::cut(whole, theirs, their_offsets);
  const auto me = static_cast<std::size_t>(local_group(comm).rank);
  take(from, received, counts[me]);
  from.problem.blocks = Blocks::cut(whole, counts, offsets);
  do {
    error = co_await BothWays(to, from, comm, total, total);
  } while (co_await again(error));
  co_return error;
}

}  // namespace roundelay::mpi
