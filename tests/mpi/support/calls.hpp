// SPDX-License-Identifier: Apache-2.0
// The collectives in any form: through MPI_X or through the large-count MPI_X_c, where the MPI has
// it, as MPI_Ix with a request that is waited for, or as MPI_X_init that is started several times.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "support/persistent.h"

namespace test {

struct Form {
  bool large = false;        // MPI_X_c
  bool nonblocking = false;  // MPI_Ix
  int starts = 0;            // of MPI_X_init; 0: another form
  // What is done between two starts, and while a call goes on that does not wait.
  std::function<void()> between = {};
  std::function<void()> meanwhile = {};

  [[nodiscard]] bool blocking() const { return !nonblocking && starts == 0; }
};

// Waits for what was started.
inline int ended(const Form& form, int error, MPI_Request& request) {
  if (error != MPI_SUCCESS) return error;
  if (form.meanwhile) form.meanwhile();
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// Starts what was made as often as it is to be.
inline int started(const Form& form, int error, MPI_Request& request) {
  for (int start = 0; error == MPI_SUCCESS && start < form.starts; ++start) {
    if (start > 0) form.between();
    error = ended(form, MPI_Start(&request), request);
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  return error;
}

#define ROUNDELAY_TEST_RUN_ANY(form, function, nonblocking_function, persistent_function, ...) \
  if ((form).nonblocking) {                                                                    \
    MPI_Request request = MPI_REQUEST_NULL;                                                    \
    return ended(form, nonblocking_function(__VA_ARGS__, &request), request);                  \
  }                                                                                            \
  if ((form).starts > 0) {                                                                     \
    MPI_Request request = MPI_REQUEST_NULL;                                                    \
    return started(form, persistent_function(__VA_ARGS__, MPI_INFO_NULL, &request), request);  \
  }                                                                                            \
  return function(__VA_ARGS__);
#define ROUNDELAY_TEST_RUN(form, function, nonblocking_function, ...) \
  ROUNDELAY_TEST_RUN_ANY(form, function, nonblocking_function, function##_init, __VA_ARGS__)
#if MPI_VERSION >= 4
inline constexpr bool has_large = true;
#define ROUNDELAY_TEST_IF_LARGE(form, function, nonblocking_function, ...)                  \
  if ((form).large) {                                                                       \
    ROUNDELAY_TEST_RUN_ANY(form, function##_c, nonblocking_function##_c, function##_init_c, \
                           __VA_ARGS__)                                                     \
  }
#else
inline constexpr bool has_large = false;
#define ROUNDELAY_TEST_IF_LARGE(form, function, nonblocking_function, ...)
#endif
#define ROUNDELAY_TEST_CALL(form, function, nonblocking_function, ...)       \
  ROUNDELAY_TEST_IF_LARGE(form, function, nonblocking_function, __VA_ARGS__) \
  ROUNDELAY_TEST_RUN(form, function, nonblocking_function, __VA_ARGS__)

inline int barrier(const Form& form, MPI_Comm comm) {
  ROUNDELAY_TEST_RUN(form, MPI_Barrier, MPI_Ibarrier, comm)
}

inline int bcast(const Form& form, void* buffer, int count, MPI_Datatype type, int root,
                 MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Bcast, MPI_Ibcast, buffer, count, type, root, comm)
}
inline int allgather(const Form& form, const void* in, int in_count, MPI_Datatype in_type,
                     void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Allgather, MPI_Iallgather, in, in_count, in_type, out, count, type,
                      comm)
}
inline int alltoall(const Form& form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                    int count, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Alltoall, MPI_Ialltoall, in, in_count, in_type, out, count, type,
                      comm)
}
inline int gather(const Form& form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                  int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Gather, MPI_Igather, in, in_count, in_type, out, count, type, root,
                      comm)
}
inline int scatter(const Form& form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                   int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Scatter, MPI_Iscatter, in, in_count, in_type, out, count, type,
                      root, comm)
}
inline int allreduce(const Form& form, const void* in, void* out, int count, MPI_Datatype type,
                     MPI_Op op, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Allreduce, MPI_Iallreduce, in, out, count, type, op, comm)
}
inline int reduce(const Form& form, const void* in, void* out, int count, MPI_Datatype type,
                  MPI_Op op, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Reduce, MPI_Ireduce, in, out, count, type, op, root, comm)
}
inline int scan(const Form& form, const void* in, void* out, int count, MPI_Datatype type,
                MPI_Op op, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Scan, MPI_Iscan, in, out, count, type, op, comm)
}
inline int exscan(const Form& form, const void* in, void* out, int count, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Exscan, MPI_Iexscan, in, out, count, type, op, comm)
}
inline int reduce_scatter_block(const Form& form, const void* in, void* out, int count,
                                MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, in, out, count,
                      type, op, comm)
}

// Counts and displacements, one of each for every rank or neighbour.
struct Listed {
  std::vector<int> counts;
  std::vector<int> displacements;

  [[nodiscard]] std::vector<MPI_Count> large_counts() const { return large<MPI_Count>(counts); }
  [[nodiscard]] std::vector<MPI_Aint> large_displacements() const {
    return large<MPI_Aint>(displacements);
  }
  // MPI libraries refuse null pointers, also where there is nobody.
  void reserve(std::size_t blocks) {
    counts.reserve(blocks + 1);
    displacements.reserve(blocks + 1);
  }

 private:
  template <typename Number>
  static std::vector<Number> large(const std::vector<int>& numbers) {
    std::vector<Number> all;
    all.reserve(numbers.size() + 1);
    all.assign(numbers.begin(), numbers.end());
    return all;
  }
};

// In each, what the narrow call takes is made wide for the large one.
#if MPI_VERSION >= 4
#define ROUNDELAY_TEST_COUNTS(listed) (listed).large_counts().data()
#define ROUNDELAY_TEST_LISTED(listed) \
  (listed).large_counts().data(), (listed).large_displacements().data()
#endif

inline int allgatherv(const Form& form, const void* in, int in_count, MPI_Datatype in_type,
                      void* out, const Listed& l, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Allgatherv, MPI_Iallgatherv, in, in_count, in_type, out,
                          ROUNDELAY_TEST_LISTED(l), type, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Allgatherv, MPI_Iallgatherv, in, in_count, in_type, out,
                     l.counts.data(), l.displacements.data(), type, comm)
}
inline int gatherv(const Form& form, const void* in, int in_count, MPI_Datatype in_type, void* out,
                   const Listed& l, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Gatherv, MPI_Igatherv, in, in_count, in_type, out,
                          ROUNDELAY_TEST_LISTED(l), type, root, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Gatherv, MPI_Igatherv, in, in_count, in_type, out, l.counts.data(),
                     l.displacements.data(), type, root, comm)
}
inline int scatterv(const Form& form, const void* in, const Listed& l, MPI_Datatype in_type,
                    void* out, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Scatterv, MPI_Iscatterv, in, ROUNDELAY_TEST_LISTED(l), in_type,
                          out, count, type, root, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Scatterv, MPI_Iscatterv, in, l.counts.data(), l.displacements.data(),
                     in_type, out, count, type, root, comm)
}
inline int alltoallv(const Form& form, const void* in, const Listed& s, MPI_Datatype in_type,
                     void* out, const Listed& r, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Alltoallv, MPI_Ialltoallv, in, ROUNDELAY_TEST_LISTED(s),
                          in_type, out, ROUNDELAY_TEST_LISTED(r), type, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Alltoallv, MPI_Ialltoallv, in, s.counts.data(),
                     s.displacements.data(), in_type, out, r.counts.data(), r.displacements.data(),
                     type, comm)
}
inline int alltoallw(const Form& form, const void* in, const Listed& s,
                     const std::vector<MPI_Datatype>& in_types, void* out, const Listed& r,
                     const std::vector<MPI_Datatype>& types, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Alltoallw, MPI_Ialltoallw, in, ROUNDELAY_TEST_LISTED(s),
                          in_types.data(), out, ROUNDELAY_TEST_LISTED(r), types.data(), comm)
  ROUNDELAY_TEST_RUN(form, MPI_Alltoallw, MPI_Ialltoallw, in, s.counts.data(),
                     s.displacements.data(), in_types.data(), out, r.counts.data(),
                     r.displacements.data(), types.data(), comm)
}
inline int reduce_scatter(const Form& form, const void* in, void* out, const Listed& l,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out,
                          ROUNDELAY_TEST_COUNTS(l), type, op, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out, l.counts.data(), type,
                     op, comm)
}

// Among neighbours. Displacements of alltoallw are MPI_Aint in either form.
inline int neighbor_allgather(const Form& form, const void* in, int in_count, MPI_Datatype in_type,
                              void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, in, in_count, in_type,
                      out, count, type, comm)
}
inline int neighbor_allgatherv(const Form& form, const void* in, int in_count, MPI_Datatype in_type,
                               void* out, const Listed& l, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, in, in_count,
                          in_type, out, ROUNDELAY_TEST_LISTED(l), type, comm)
  ROUNDELAY_TEST_RUN(form, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, in, in_count, in_type,
                     out, l.counts.data(), l.displacements.data(), type, comm)
}
inline int neighbor_alltoall(const Form& form, const void* in, int in_count, MPI_Datatype in_type,
                             void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  ROUNDELAY_TEST_CALL(form, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, in, in_count, in_type,
                      out, count, type, comm)
}
inline int neighbor_alltoallv(const Form& form, const void* in, const Listed& s,
                              MPI_Datatype in_type, void* out, const Listed& r, MPI_Datatype type,
                              MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, in,
                          ROUNDELAY_TEST_LISTED(s), in_type, out, ROUNDELAY_TEST_LISTED(r), type,
                          comm)
  ROUNDELAY_TEST_RUN(form, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, in, s.counts.data(),
                     s.displacements.data(), in_type, out, r.counts.data(), r.displacements.data(),
                     type, comm)
}
inline int neighbor_alltoallw(const Form& form, const void* in, const Listed& s,
                              const std::vector<MPI_Datatype>& in_types, void* out, const Listed& r,
                              const std::vector<MPI_Datatype>& types, MPI_Comm comm) {
  ROUNDELAY_TEST_IF_LARGE(form, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, in,
                          ROUNDELAY_TEST_LISTED(s), in_types.data(), out, ROUNDELAY_TEST_LISTED(r),
                          types.data(), comm)
  ROUNDELAY_TEST_RUN(form, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, in, s.counts.data(),
                     s.large_displacements().data(), in_types.data(), out, r.counts.data(),
                     r.large_displacements().data(), types.data(), comm)
}

#undef ROUNDELAY_TEST_COUNTS
#undef ROUNDELAY_TEST_LISTED
#undef ROUNDELAY_TEST_IF_LARGE
#undef ROUNDELAY_TEST_CALL
#undef ROUNDELAY_TEST_RUN
#undef ROUNDELAY_TEST_RUN_ANY

}  // namespace test
