// SPDX-License-Identifier: Apache-2.0
// The collectives in MPI's own terms, run by a choice: argument lists become problems and memory.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"
#include "mpi/running.hpp"
#include "mpi/scratch_needed.hpp"
#include "mpi/short_recording.hpp"
#include "schedule/frame_pool.hpp"

namespace roundelay::mpi {

class Recording;

// A buffer as MPI describes it.
struct Buffer {
  void* address = nullptr;
  std::int64_t count = 0;
  const Datatype* type = nullptr;

  [[nodiscard]] std::int64_t bytes() const noexcept { return count * type->size; }
  [[nodiscard]] bool in_place() const noexcept { return address == MPI_IN_PLACE; }
  // The i-th of many that lie one after the other.
  [[nodiscard]] Buffer of(int i) const noexcept {
    return {static_cast<std::byte*>(address) + i * count * type->extent, count, type};
  }
};

// A list that is made for one call.
using Buffers = std::vector<Buffer, FromFramePool<Buffer>>;

// How elements are combined.
struct Operation {
  MPI_Op op = MPI_OP_NULL;
  const Datatype* type = nullptr;
  bool commutative = true;
};

// What is to be done with calls of a kind; make it once.
class Plan {
 public:
  enum class Way : std::uint8_t { nothing, native, schedule };

  std::shared_ptr<const Choice> choice;
  Way way = Way::nothing;
  ShortRecordings short_recordings;
  // Of a call that runs again and again.
  ShortRecording short_recording;
  Recording* recording = nullptr;  // what that cannot hold; null: it is another call
  // No choice: nothing is to be done. Lengths are in bytes.
  explicit Plan(std::shared_ptr<const Choice> of, const NetworkLengths& network = {})
      : choice(std::move(of)), network_(network) {
    if (choice != nullptr) way = choice->algorithm->native() ? Way::native : Way::schedule;
  }

  [[nodiscard]] const NetworkLengths& network() const noexcept { return network_; }

  // Units of scratch memory that this rank needs for a call. Between two groups there is one answer
  // for each direction.
  [[nodiscard]] Units scratch(const Problem& problem, const Shape& shape, std::size_t direction) {
    return scratch_.at(direction).of(problem, shape);
  }

 private:
  NetworkLengths network_;
  std::array<ScratchNeeded, 2> scratch_;
};

// Each is a call on an intracommunicator of more than one rank by a plan that is a schedule; not
// started. Plan, communicator and the descriptions of types must outlive it. Arguments mean what
// they mean to MPI (MPI_IN_PLACE included) and are legal; what MPI says is not significant at a
// rank is not looked at. A list has one buffer for each rank. Throws std::bad_alloc.
Running begin_allgather(Plan& plan, Communicator& comm, Buffer sent, Buffer received);
Running begin_allgatherv(Plan& plan, Communicator& comm, Buffer sent, Buffers received);
Running begin_allreduce(Plan& plan, Communicator& comm, Buffer sent, void* received,
                        Operation operation);
Running begin_alltoall(Plan& plan, Communicator& comm, Buffer sent, Buffer received);
// Also alltoallw. In place: no buffers are sent.
Running begin_alltoallv(Plan& plan, Communicator& comm, Buffers sent, Buffers received);
Running begin_barrier(Plan& plan, Communicator& comm);
Running begin_bcast(Plan& plan, Communicator& comm, Buffer buffer, int root);
Running begin_gather(Plan& plan, Communicator& comm, Buffer sent, Buffer received, int root);
// Elsewhere than at the root nothing is received.
Running begin_gatherv(Plan& plan, Communicator& comm, Buffer sent, Buffers received, int root);
// Those among neighbours are on a communicator whose graph is known. Also neighbor_allgather: the
// buffers are the first blocks, and needs_no_lists().
Running begin_neighbor_alltoall(Plan& plan, Communicator& comm, Buffer sent, Buffer received);
// Whether blocks of one length can do without lists: none has to be packed, which would touch
// blocks without a neighbour, and no lengths have to be told.
[[nodiscard]] bool needs_no_lists(const Plan& plan, const Communicator& comm, const Buffer& sent,
                                  const Buffer& received);
// Also neighbor_allgatherv and neighbor_alltoallw. A list has one buffer for each block that the
// graph says; where the same goes to all, one is sent.
Running begin_neighbor_alltoallv(Plan& plan, Communicator& comm, Buffers sent, Buffers received);
Running begin_reduce(Plan& plan, Communicator& comm, Buffer sent, void* received, int root,
                     Operation operation);
// Of `sent`, each rank receives as many elements.
Running begin_reduce_scatter_block(Plan& plan, Communicator& comm, Buffer sent, void* received,
                                   Operation operation);
// `counts`: elements for each rank.
Running begin_reduce_scatter(Plan& plan, Communicator& comm, const void* sent, void* received,
                             std::vector<Units> counts, Operation operation);
// Also exscan.
Running begin_scan(Plan& plan, Communicator& comm, Buffer sent, void* received,
                   Operation operation);
Running begin_scatter(Plan& plan, Communicator& comm, Buffer sent, Buffer received, int root);
// Elsewhere than at the root nothing is sent.
Running begin_scatterv(Plan& plan, Communicator& comm, Buffers sent, Buffer received, int root);

// The same to its end, for those whose calls are often short: they take no frame. Each returns an
// MPI error code; no error handler has been called.
int run_allgather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received);
int run_allgatherv(Plan& plan, Communicator& comm, const Buffer& sent, const Buffers& received);
int run_allreduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
                  const Operation& operation);
int run_alltoall(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received);
int run_alltoallv(Plan& plan, Communicator& comm, const Buffers& sent, const Buffers& received);
int run_barrier(Plan& plan, Communicator& comm);
int run_bcast(Plan& plan, Communicator& comm, const Buffer& buffer, int root);
int run_gather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
               int root);
int run_gatherv(Plan& plan, Communicator& comm, const Buffer& sent, const Buffers& received,
                int root);
int run_neighbor_alltoall(Plan& plan, Communicator& comm, const Buffer& sent,
                          const Buffer& received);
int run_neighbor_alltoallv(Plan& plan, Communicator& comm, const Buffers& sent,
                           const Buffers& received);
int run_reduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received, int root,
               const Operation& operation);
int run_reduce_scatter_block(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
                             const Operation& operation);
int run_scan(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
             const Operation& operation);
int run_scatter(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
                int root);
int run_scatterv(Plan& plan, Communicator& comm, const Buffers& sent, const Buffer& received,
                 int root);

// The same as above on an intercommunicator. Where every rank receives from all of the other group,
// what the groups send may be of different lengths, or nothing. `root` is MPI_ROOT or a rank of the
// other group: for the other ranks of the root's group there is begin_nothing_between().
Running begin_allgather_between(Plan& plan, Communicator& comm, Buffer sent, Buffer received);
Running begin_allgatherv_between(Plan& plan, Communicator& comm, Buffer sent, Buffers received);
Running begin_allreduce_between(Plan& plan, Communicator& comm, Buffer sent, void* received,
                                Operation operation);
Running begin_barrier_between(Plan& plan, Communicator& comm);
Running begin_bcast_between(Plan& plan, Communicator& comm, Buffer buffer, int root);
// gather and scatter, gatherv and scatterv: of the blocks of the other group at the root (the first
// of them if they are even), and of one block elsewhere. `sends`: this rank sends them or it.
Running begin_even_blocks_between(Plan& plan, Communicator& comm, Buffer first, int root,
                                  bool sends);
Running begin_any_blocks_between(Plan& plan, Communicator& comm, Buffers buffers, int root,
                                 bool sends);
Running begin_nothing_between(const Plan& plan, Communicator& comm);
// `sent` says the count and the type at the root, too.
Running begin_reduce_between(Plan& plan, Communicator& comm, Buffer sent, void* received, int root,
                             Operation operation);
// `counts`: elements for each rank of the own group.
Running begin_reduce_scatter_between(Plan& plan, Communicator& comm, const void* sent,
                                     void* received, std::vector<Units> counts,
                                     Operation operation);

}  // namespace roundelay::mpi
