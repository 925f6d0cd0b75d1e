// SPDX-License-Identifier: Apache-2.0
// What a call needs of its arguments until it is over, though the program may free them before:
// derived datatypes and the program's own operations.
#pragma once

#include <mpi.h>

#include <forward_list>
#include <utility>
#include <vector>

#include "mpi/collectives.hpp"
#include "mpi/datatype.hpp"

namespace roundelay::mpi {

// Of one call. Each function returns what the call is to use: the same, described by what lives as
// long as this does. Throws std::bad_alloc.
class KeptArguments {
 public:
  KeptArguments() = default;
  KeptArguments(KeptArguments&& other) noexcept
      : types_(std::move(other.types_)), op_(std::exchange(other.op_, MPI_OP_NULL)) {}
  KeptArguments(const KeptArguments&) = delete;
  KeptArguments& operator=(const KeptArguments&) = delete;
  KeptArguments& operator=(KeptArguments&&) = delete;
  ~KeptArguments();

  // As HostCopies has them, which a call that waits uses.
  [[nodiscard]] Buffer read(Buffer block, int /*blocks*/ = 1) { return kept(block); }
  [[nodiscard]] Buffers read(Buffers buffers) { return kept(buffers); }
  [[nodiscard]] Buffer written(Buffer block, bool /*reads*/ = false, int /*blocks*/ = 1) {
    return kept(block);
  }
  [[nodiscard]] Buffers written(Buffers buffers, bool /*reads*/ = false) { return kept(buffers); }
  [[nodiscard]] Operation lasting(Operation operation, bool predefined);

  [[nodiscard]] bool any() const noexcept { return !types_.empty() || op_ != MPI_OP_NULL; }

 private:
  struct Type {
    Datatype description;  // with the program's handle, which operations may look at
    MPI_Datatype reference = MPI_DATATYPE_NULL;  // a type that needs it
  };

  const Datatype* kept(const Datatype* type);
  Buffer kept(Buffer buffer) {
    if (buffer.type != nullptr && !buffer.type->predefined) buffer.type = kept(buffer.type);
    return buffer;
  }
  Buffers kept(Buffers& buffers) {
    for (Buffer& buffer : buffers) buffer = kept(buffer);
    return std::move(buffers);
  }

  std::forward_list<Type> types_;  // which stay where they are
  MPI_Op op_ = MPI_OP_NULL;
};

// MPI_Op_free, once no call needs the operation any more. `next` frees it.
int free_operation(MPI_Op* op, int (*next)(MPI_Op*));

}  // namespace roundelay::mpi
