// SPDX-License-Identifier: Apache-2.0
// The collectives in MPI's own terms, run by a choice: argument lists become problems and memory.
#pragma once

#include <mpi.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "algorithms/catalogue.hpp"
#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"
#include "mpi/tape.hpp"

namespace roundelay::mpi {

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
  Tape tape;
  // No choice: nothing is to be done. Lengths are in bytes.
  explicit Plan(std::shared_ptr<const Choice> of, const NetworkLengths& network = {})
      : choice(std::move(of)), network_(network) {
    if (choice == nullptr) return;
    way = choice->algorithm->native() ? Way::native : Way::schedule;
    if (way == Way::schedule) scratch_ = choice->claims().scratch;
  }

  [[nodiscard]] const NetworkLengths& network() const noexcept { return network_; }

  // Units of scratch memory that a call takes. Remembers the last answer: calls of a kind on one
  // communicator are mostly alike, and never at the same time. Between two groups there are two,
  // and how many ranks send hangs on the root.
  [[nodiscard]] std::int64_t scratch(const Dimensions& of, std::size_t direction = 0) {
    Known& known = known_.at(direction);
    if (of != known.of) known = {of, static_cast<std::int64_t>(std::ceil(scratch_(of)))};
    return known.scratch;
  }

 private:
  NetworkLengths network_;
  Formula scratch_;
  struct Known {
    Dimensions of{.m = -1};
    std::int64_t scratch = 0;
  };
  std::array<Known, 2> known_;
};

// Each runs a plan that is a schedule on an intracommunicator of more than one rank. Arguments
// mean what they mean to MPI (MPI_IN_PLACE included) and are legal; what MPI says is not
// significant at a rank is not looked at. A span has one buffer for each rank. Returns an MPI error
// code; no error handler has been called. Throws std::bad_alloc.
int run_allgather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received);
int run_allgatherv(Plan& plan, Communicator& comm, const Buffer& sent,
                   std::span<const Buffer> received);
int run_allreduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
                  const Operation& operation);
int run_alltoall(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received);
// Also alltoallw. In place: no buffers are sent.
int run_alltoallv(Plan& plan, Communicator& comm, std::span<const Buffer> sent,
                  std::span<const Buffer> received);
int run_barrier(Plan& plan, Communicator& comm);
int run_bcast(Plan& plan, Communicator& comm, const Buffer& buffer, int root);
int run_gather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
               int root);
// Elsewhere than at the root nothing is received.
int run_gatherv(Plan& plan, Communicator& comm, const Buffer& sent,
                std::span<const Buffer> received, int root);
int run_reduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received, int root,
               const Operation& operation);
// Also reduce_scatter_block. `counts`: elements for each rank.
int run_reduce_scatter(Plan& plan, Communicator& comm, const void* sent, void* received,
                       std::span<const Units> counts, const Operation& operation);
// Also exscan.
int run_scan(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
             const Operation& operation);
int run_scatter(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
                int root);
// Elsewhere than at the root nothing is sent.
int run_scatterv(Plan& plan, Communicator& comm, std::span<const Buffer> sent,
                 const Buffer& received, int root);

// The same on an intercommunicator. Where every rank receives from all of the other group, what the
// groups send may be of different lengths, or nothing. `root` is MPI_ROOT or a rank of the other
// group: the other ranks of the root's group have nothing to do.
int run_allgather_between(Plan& plan, Communicator& comm, const Buffer& sent,
                          const Buffer& received);
int run_allgatherv_between(Plan& plan, Communicator& comm, const Buffer& sent,
                           std::span<const Buffer> received);
int run_allreduce_between(Plan& plan, Communicator& comm, const Buffer& sent, void* received,
                          const Operation& operation);
int run_barrier_between(Plan& plan, Communicator& comm);
int run_bcast_between(Plan& plan, Communicator& comm, const Buffer& buffer, int root);
int run_gather_between(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
                       int root);
int run_gatherv_between(Plan& plan, Communicator& comm, const Buffer& sent,
                        std::span<const Buffer> received, int root);
// `sent` says the count and the type at the root, too.
int run_reduce_between(Plan& plan, Communicator& comm, const Buffer& sent, void* received, int root,
                       const Operation& operation);
// `counts`: elements for each rank of the own group.
int run_reduce_scatter_between(Plan& plan, Communicator& comm, const void* sent, void* received,
                               std::span<const Units> counts, const Operation& operation);
int run_scatter_between(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received,
                        int root);
int run_scatterv_between(Plan& plan, Communicator& comm, std::span<const Buffer> sent,
                         const Buffer& received, int root);

}  // namespace roundelay::mpi
