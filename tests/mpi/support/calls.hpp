// SPDX-License-Identifier: Apache-2.0
// The collectives through MPI_X or through the large-count MPI_X_c, where the MPI has it.
#pragma once

#include <mpi.h>

#include <vector>

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
inline int alltoall([[maybe_unused]] bool large, const void* in, int in_count, MPI_Datatype in_type,
                    void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Alltoall, in, in_count, in_type, out, count, type, comm);
}
inline int gather([[maybe_unused]] bool large, const void* in, int in_count, MPI_Datatype in_type,
                  void* out, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Gather, in, in_count, in_type, out, count, type, root, comm);
}
inline int scatter([[maybe_unused]] bool large, const void* in, int in_count, MPI_Datatype in_type,
                   void* out, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Scatter, in, in_count, in_type, out, count, type, root, comm);
}
inline int allreduce([[maybe_unused]] bool large, const void* in, void* out, int count,
                     MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Allreduce, in, out, count, type, op, comm);
}
inline int reduce([[maybe_unused]] bool large, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Reduce, in, out, count, type, op, root, comm);
}
inline int scan([[maybe_unused]] bool large, const void* in, void* out, int count,
                MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Scan, in, out, count, type, op, comm);
}
inline int exscan([[maybe_unused]] bool large, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Exscan, in, out, count, type, op, comm);
}
inline int reduce_scatter_block([[maybe_unused]] bool large, const void* in, void* out, int count,
                                MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return ROUNDELAY_TEST_CALL(MPI_Reduce_scatter_block, in, out, count, type, op, comm);
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
#define ROUNDELAY_TEST_IF_LARGE(call) \
  if (large) return call;
#else
#define ROUNDELAY_TEST_IF_LARGE(call)
#endif

inline int allgatherv([[maybe_unused]] bool large, const void* in, int in_count,
                      MPI_Datatype in_type, void* out, const Listed& l, MPI_Datatype type,
                      MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(
      MPI_Allgatherv_c(in, in_count, in_type, out, ROUNDELAY_TEST_LISTED(l), type, comm))
  return MPI_Allgatherv(in, in_count, in_type, out, l.counts.data(), l.displacements.data(), type,
                        comm);
}
inline int gatherv([[maybe_unused]] bool large, const void* in, int in_count, MPI_Datatype in_type,
                   void* out, const Listed& l, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(
      MPI_Gatherv_c(in, in_count, in_type, out, ROUNDELAY_TEST_LISTED(l), type, root, comm))
  return MPI_Gatherv(in, in_count, in_type, out, l.counts.data(), l.displacements.data(), type,
                     root, comm);
}
inline int scatterv([[maybe_unused]] bool large, const void* in, const Listed& l,
                    MPI_Datatype in_type, void* out, int count, MPI_Datatype type, int root,
                    MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(
      MPI_Scatterv_c(in, ROUNDELAY_TEST_LISTED(l), in_type, out, count, type, root, comm))
  return MPI_Scatterv(in, l.counts.data(), l.displacements.data(), in_type, out, count, type, root,
                      comm);
}
inline int alltoallv([[maybe_unused]] bool large, const void* in, const Listed& s,
                     MPI_Datatype in_type, void* out, const Listed& r, MPI_Datatype type,
                     MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(MPI_Alltoallv_c(in, ROUNDELAY_TEST_LISTED(s), in_type, out,
                                          ROUNDELAY_TEST_LISTED(r), type, comm))
  return MPI_Alltoallv(in, s.counts.data(), s.displacements.data(), in_type, out, r.counts.data(),
                       r.displacements.data(), type, comm);
}
inline int alltoallw([[maybe_unused]] bool large, const void* in, const Listed& s,
                     const std::vector<MPI_Datatype>& in_types, void* out, const Listed& r,
                     const std::vector<MPI_Datatype>& types, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(MPI_Alltoallw_c(in, ROUNDELAY_TEST_LISTED(s), in_types.data(), out,
                                          ROUNDELAY_TEST_LISTED(r), types.data(), comm))
  return MPI_Alltoallw(in, s.counts.data(), s.displacements.data(), in_types.data(), out,
                       r.counts.data(), r.displacements.data(), types.data(), comm);
}
inline int reduce_scatter([[maybe_unused]] bool large, const void* in, void* out, const Listed& l,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(MPI_Reduce_scatter_c(in, out, ROUNDELAY_TEST_COUNTS(l), type, op, comm))
  return MPI_Reduce_scatter(in, out, l.counts.data(), type, op, comm);
}

#undef ROUNDELAY_TEST_COUNTS
#undef ROUNDELAY_TEST_LISTED
#undef ROUNDELAY_TEST_IF_LARGE
#undef ROUNDELAY_TEST_CALL

}  // namespace test
