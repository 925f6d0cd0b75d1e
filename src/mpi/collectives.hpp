// SPDX-License-Identifier: Apache-2.0
// The collectives in MPI's own terms, run by a choice: argument lists become problems and memory.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/catalogue.hpp"
#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"

namespace roundelay {

// A buffer as MPI describes it.
struct Buffer {
  void* address = nullptr;
  std::int64_t count = 0;
  Datatype type;

  [[nodiscard]] std::int64_t bytes() const noexcept { return count * type.size; }
};

// A choice with what is needed of its claims at every call; make it once.
struct Plan {
  std::shared_ptr<const Choice> choice;
  Formula scratch;  // units

  explicit Plan(std::shared_ptr<const Choice> of)
      : choice(std::move(of)),
        scratch(choice->algorithm->native() ? Formula() : choice->claims().scratch) {}
};

// Each runs a plan that is not native on an intracommunicator of more than one rank. Arguments
// mean what they mean to MPI (MPI_IN_PLACE included) and are legal. Returns an MPI error code; no
// error handler has been called.
int run_allgather(const Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received);
int run_allreduce(const Plan& plan, Communicator& comm, const void* sent, const Buffer& received,
                  MPI_Op op, bool commutative);
int run_barrier(const Plan& plan, Communicator& comm);
int run_bcast(const Plan& plan, Communicator& comm, const Buffer& buffer, int root);
int run_reduce(const Plan& plan, Communicator& comm, const Buffer& sent, void* received, int root,
               MPI_Op op, bool commutative);

}  // namespace roundelay
