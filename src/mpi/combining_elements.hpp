// SPDX-License-Identifier: Apache-2.0
// MPI's operations on MPI's arithmetic types, as loops of our own: PMPI_Reduce_local takes several
// times as long, for some types and operations of each MPI library, and 10 to 70 ns for one
// element.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace roundelay::mpi {

// into := from op into, for `count` elements without gaps, at any addresses. The result has the
// bits that the MPI library gives it, but where both operands are NaN: then it is one of the two.
using CombiningLoop = void (*)(const void* from, void* into, std::int64_t count) noexcept;

// Those of one type. Null: left to the MPI library.
struct CombiningLoops {
  CombiningLoop sum = nullptr;
  CombiningLoop product = nullptr;
  CombiningLoop minimum = nullptr;
  CombiningLoop maximum = nullptr;
  CombiningLoop logical_and = nullptr;
  CombiningLoop logical_or = nullptr;
  CombiningLoop logical_xor = nullptr;
  CombiningLoop bitwise_and = nullptr;
  CombiningLoop bitwise_or = nullptr;
  CombiningLoop bitwise_xor = nullptr;

  [[nodiscard]] CombiningLoop of(MPI_Op op) const noexcept {
    if (op == MPI_SUM) [[likely]]
      return sum;
    if (op == MPI_MIN) return minimum;
    if (op == MPI_MAX) return maximum;
    if (op == MPI_PROD) return product;
    if (op == MPI_LAND) return logical_and;
    if (op == MPI_LOR) return logical_or;
    if (op == MPI_LXOR) return logical_xor;
    if (op == MPI_BAND) return bitwise_and;
    if (op == MPI_BOR) return bitwise_or;
    if (op == MPI_BXOR) return bitwise_xor;
    return nullptr;
  }
};

// Of a type whose elements have so many bytes. For user-defined types, types of pairs, long double
// and all others that are not in its list: null for each operation.
[[nodiscard]] const CombiningLoops& find_combining_loops(MPI_Datatype type, std::int64_t size);

}  // namespace roundelay::mpi
