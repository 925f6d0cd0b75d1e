// SPDX-License-Identifier: Apache-2.0
// What has to be known of an MPI operation.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace roundelay::mpi {

// By default as most are: commutative (operands may be exchanged) and one of MPI's own.
class OperationKind {
 public:
  constexpr OperationKind() noexcept = default;
  constexpr OperationKind(bool commutative, bool predefined) noexcept
      : bits_(static_cast<std::uint8_t>((commutative ? 1U : 0U) | (predefined ? 2U : 0U))) {}

  [[nodiscard]] constexpr bool commutative() const noexcept { return (bits_ & 1U) != 0; }
  [[nodiscard]] constexpr bool predefined() const noexcept { return (bits_ & 2U) != 0; }
  // A number below `kinds`.
  [[nodiscard]] constexpr std::size_t index() const noexcept { return bits_; }
  static constexpr std::size_t kinds = 4;

 private:
  std::uint8_t bits_ = 3;
};

[[nodiscard]] OperationKind rarer_kind_of(MPI_Op op);
[[nodiscard]] inline OperationKind kind_of(MPI_Op op) {
  if (op == MPI_SUM || op == MPI_MAX || op == MPI_MIN) [[likely]]
    return {};
  return rarer_kind_of(op);
}

// Whether the MPI library has this operation for this type, as it says itself when it is asked.
// `alone` is a communicator of this library with one rank, on which errors return.
[[nodiscard]] bool accepts(MPI_Op op, MPI_Datatype type, MPI_Comm alone);

// The pair that was last accepted. That stays true when a handle is used again: predefined handles
// are not, and the user's own operations accept every type.
struct Accepted {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

}  // namespace roundelay::mpi
