// SPDX-License-Identifier: Apache-2.0
// The collectives in MPI's own terms, run by a choice: argument lists become problems and memory.
#pragma once

#include <mpi.h>

#include <cmath>
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
  const Datatype* type = nullptr;

  [[nodiscard]] std::int64_t bytes() const noexcept { return count * type->size; }
};

// What is to be done with calls of a kind; make it once.
struct Plan {
  enum class Way : std::uint8_t { nothing, native, schedule };

  std::shared_ptr<const Choice> choice;
  Way way = Way::nothing;
  // No choice: nothing is to be done.
  explicit Plan(std::shared_ptr<const Choice> of) : choice(std::move(of)) {
    if (choice == nullptr) return;
    way = choice->algorithm->native() ? Way::native : Way::schedule;
    if (way == Way::schedule) scratch_ = choice->claims().scratch;
  }

  // Units of scratch memory that a message of m units takes among p ranks. Remembers the last
  // answer: calls of a kind on one communicator are mostly alike, and never at the same time.
  [[nodiscard]] std::int64_t scratch(int p, std::int64_t m) {
    if (m != last_m_) {
      last_m_ = m;
      last_scratch_ = static_cast<std::int64_t>(std::ceil(scratch_(p, static_cast<double>(m))));
    }
    return last_scratch_;
  }

 private:
  Formula scratch_;
  std::int64_t last_m_ = -1;
  std::int64_t last_scratch_ = 0;
};

// Each runs a plan that is a schedule on an intracommunicator of more than one rank. Arguments
// mean what they mean to MPI (MPI_IN_PLACE included) and are legal. Returns an MPI error code; no
// error handler has been called.
int run_allgather(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received);
int run_allreduce(Plan& plan, Communicator& comm, const void* sent, const Buffer& received,
                  MPI_Op op, bool commutative);
int run_barrier(Plan& plan, Communicator& comm);
int run_bcast(Plan& plan, Communicator& comm, const Buffer& buffer, int root);
int run_reduce(Plan& plan, Communicator& comm, const Buffer& sent, void* received, int root,
               MPI_Op op, bool commutative);

}  // namespace roundelay
