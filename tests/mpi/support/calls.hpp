// SPDX-License-Identifier: Apache-2.0
// The collectives in any form: through MPI_X or through the large-count MPI_X_c, where the MPI has
// it, or as MPI_Ix with a request that is waited for.
#pragma once

#include <mpi.h>

#include <vector>

namespace test {

struct Form {
  bool large = false;        // MPI_X_c
  bool nonblocking = false;  // MPI_Ix
};

// Waits for what was started.
inline int ended(int error, MPI_Request& request) {
  return error == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : error;
}

#define ROUNDELAY_TEST_RUN(form, function, nonblocking_function, ...)   \
  if ((form).nonblocking) {                                             \
    MPI_Request request = MPI_REQUEST_NULL;                             \
    return ended(nonblocking_function(__VA_ARGS__, &request), request); \
  }                                                                     \
  return function(__VA_ARGS__);
#if MPI_VERSION >= 4
inline constexpr bool has_large = true;
#define ROUNDELAY_TEST_IF_LARGE(form, function, nonblocking_function, ...)        \
  if ((form).large) {                                                             \
    ROUNDELAY_TEST_RUN(form, function##_c, nonblocking_function##_c, __VA_ARGS__) \
  }
#else
inline constexpr bool has_large = false;
#define ROUNDELAY_TEST_IF_LARGE(form, function, nonblocking_function, ...)
#endif
#define ROUNDELAY_TEST_CALL(form, function, nonblocking_function, ...)       \
  ROUNDELAY_TEST_IF_LARGE(form, function, nonblocking_function, __VA_ARGS__) \
  ROUNDELAY_TEST_RUN(form, function, nonblocking_function, __VA_ARGS__)

inline int barrier(Form form, MPI_Comm comm) {
  ROUNDELAY_TEST_RUN(form, MPI_Barrier, MPI_Ibarrier, comm)
}

inline int bcast(Form form, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Bcast, MPI_Ibcast, buffer, count, type, root, comm)
}
inline int allgather(Form form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                     int count, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Allgather, MPI_Iallgather, in, in_count, in_type, out, count, type,
                      comm)
}
inline int alltoall(Form form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                    int count, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Alltoall, MPI_Ialltoall, in, in_count, in_type, out, count, type,
                      comm)
}
inline int gather(Form form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                  int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Gather, MPI_Igather, in, in_count, in_type, out, count, type, root,
                      comm)
}
inline int scatter(Form form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                   int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Scatter, MPI_Iscatter, in, in_count, in_type, out, count, type,
                      root, comm)
}
inline int allreduce(Form form, const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Allreduce, MPI_Iallreduce, in, out, count, type, op, comm)
}
inline int reduce(Form form, const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  int root, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Reduce, MPI_Ireduce, in, out, count, type, op, root, comm)
}
inline int scan(Form form, const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Scan, MPI_Iscan, in, out, count, type, op, comm)
}
inline int exscan(Form form, const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Exscan, MPI_Iexscan, in, out, count, type, op, comm)
}
inline int reduce_scatter_block(Form form, const void* in, void* out, int count, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, in, out, count,
                      type, op, comm)
}

// Counts and displacements, one of each for every rank.
struct Listed {
  std::vector<int> counts;
  std::vector<int> displacements;

  [[nodiscard]] std::vector<MPI_Count> large_counts() const {
    return {counts.begin(), counts.end()};
  }
  [[nodiscard]] std::vector<MPI_Aint> large_displacements() const {
    return {displacements.begin(), displacements.end()};
  }
};

// In each, what the narrow call takes is made wide for the large one.
#if MPI_VERSION >= 4
#define ROUNDELAY_TEST_COUNTS(listed) (listed).large_counts().data()
#define ROUNDELAY_TEST_LISTED(listed) \
  (listed).large_counts().data(), (listed).large_displacements().data()
#endif

inline int allgatherv(Form form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                      const Listed& l, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Allgatherv, MPI_Iallgatherv, in, in_count, in_type, out,
                          ROUNDELAY_TEST_LISTED(l), type, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Allgatherv, MPI_Iallgatherv, in, in_count, in_type, out,
                     l.counts.data(), l.displacements.data(), type, comm)
}
inline int gatherv(Form form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                   const Listed& l, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Gatherv, MPI_Igatherv, in, in_count, in_type, out,
                          ROUNDELAY_TEST_LISTED(l), type, root, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Gatherv, MPI_Igatherv, in, in_count, in_type, out, l.counts.data(),
                     l.displacements.data(), type, root, comm)
}
inline int scatterv(Form form, const void* in, const Listed& l, MPI_Datatype in_type, void* out,
                    int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Scatterv, MPI_Iscatterv, in, ROUNDELAY_TEST_LISTED(l), in_type,
                          out, count, type, root, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Scatterv, MPI_Iscatterv, in, l.counts.data(), l.displacements.data(),
                     in_type, out, count, type, root, comm)
}
inline int alltoallv(Form form, const void* in, const Listed& s, MPI_Datatype in_type, void* out,
                     const Listed& r, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Alltoallv, MPI_Ialltoallv, in, ROUNDELAY_TEST_LISTED(s),
                          in_type, out, ROUNDELAY_TEST_LISTED(r), type, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Alltoallv, MPI_Ialltoallv, in, s.counts.data(),
                     s.displacements.data(), in_type, out, r.counts.data(), r.displacements.data(),
                     type, comm)
}
inline int alltoallw(Form form, const void* in, const Listed& s,
                     const std::vector<MPI_Datatype>& in_types, void* out, const Listed& r,
                     const std::vector<MPI_Datatype>& types, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Alltoallw, MPI_Ialltoallw, in, ROUNDELAY_TEST_LISTED(s),
                          in_types.data(), out, ROUNDELAY_TEST_LISTED(r), types.data(), comm)
  ROUNDELAY_TEST_RUN(form, MPI_Alltoallw, MPI_Ialltoallw, in, s.counts.data(),
                     s.displacements.data(), in_types.data(), out, r.counts.data(),
                     r.displacements.data(), types.data(), comm)
}
inline int reduce_scatter(Form form, const void* in, void* out, const Listed& l, MPI_Datatype type,
                          MPI_Op op, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out,
                          ROUNDELAY_TEST_COUNTS(l), type, op, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out, l.counts.data(), type,
                     op, comm)
}

#undef ROUNDELAY_TEST_COUNTS
#undef ROUNDELAY_TEST_LISTED
#undef ROUNDELAY_TEST_IF_LARGE
#undef ROUNDELAY_TEST_CALL
#undef ROUNDELAY_TEST_RUN

}  // namespace test
