// SPDX-License-Identifier: Apache-2.0
// The collectives that combine data.
#include <algorithm>
#include <numeric>
#include <vector>

#include "mpi/call.hpp"
#include "mpi/collectives.hpp"

namespace roundelay::mpi {

int run_allreduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
                  const Operation& operation) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm, operation);
  if (!sent.in_place()) {
    const int error =
        copy_elements(received, sent.address, sent.count, *operation.type, call.own());
    if (error != MPI_SUCCESS) return error;
  }
  call.set(Space::output, received);
  call.problem.data = Slice(Space::output, 0, sent.count);
  return call.run(sent.count);
}

namespace {

// What is sent is read where it is and the result made where it shall be, which are one in place.
int run_into(Call& call, const Buffer& sent, void* output) {
  call.problem.data = Slice(Space::output, 0, sent.count);
  call.problem.input = call.problem.data;
  call.set(Space::output, output);
  if (!sent.in_place()) {
    call.set(Space::input, sent.address);
    call.problem.input = Slice(Space::input, 0, sent.count);
  }
  return call.run(sent.count);
}

}  // namespace

int run_reduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received, int root,
               const Operation& operation) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm, operation);
  call.problem.root = root;
  return run_into(call, sent, comm.rank() == root ? received : call.room(sent.count));
}

int run_reduce_scatter(Plan& plan, Communicator& comm, const void* sent, void* received,
                       std::span<const Units> counts, const Operation& operation) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm, operation);
  std::vector<Units> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), Units{0});
  const Units total = offsets.back() + counts.back();
  // Schedules destroy what they work on, and MPI leaves more of the output alone than the result.
  std::byte* work = call.room(total);
  int error = copy_elements(work, sent == MPI_IN_PLACE ? received : sent, total, *operation.type,
                            call.own());
  if (error != MPI_SUCCESS) return error;
  call.set(Space::output, work);
  call.problem.blocks = Blocks::cut(Slice(Space::output, 0, total), counts, offsets);
  error = call.run(total);
  if (error != MPI_SUCCESS) return error;
  const Slice mine = call.problem.blocks[comm.rank()];
  return copy_elements(received, call.memory.at(mine), mine.length(), *operation.type, call.own());
}

int run_scan(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
             const Operation& operation) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm, operation);
  return run_into(call, sent, received);
}

}  // namespace roundelay::mpi
