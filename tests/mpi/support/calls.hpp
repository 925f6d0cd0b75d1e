// SPDX-License-Identifier: Apache-2.0
// The collectives through MPI_X or through the large-count MPI_X_c, where the MPI has it.
#pragma once

#include <mpi.h>

namespace test {

#if MPI_VERSION >= 4
inline constexpr bool has_large = true;
#define ROUNDELAY_TEST_CALL(function, ...) \
  (large ? function##_c(__VA_ARGS__) : function(__VA_ARGS__))
#else
inline constexpr bool has_large = false;
#define ROUNDELAY_TEST_CALL(function, ...) function(__VA_ARGS__)
#endif

inline int bcast([[maybe_unused]] bool large, void* buffer, int count, MPI_Datatype type, int root,
                 MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Bcast, buffer, count, type, root, comm);
}
inline int allgather([[maybe_unused]] bool large, const void* in, int in_count,
                     MPI_Datatype in_type, void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Allgather, in, in_count, in_type, out, count, type, comm);
}
inline int allreduce([[maybe_unused]] bool large, const void* in, void* out, int count,
                     MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Allreduce, in, out, count, type, op, comm);
}
inline int reduce([[maybe_unused]] bool large, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Reduce, in, out, count, type, op, root, comm);
}

#undef ROUNDELAY_TEST_CALL

}  // namespace test
