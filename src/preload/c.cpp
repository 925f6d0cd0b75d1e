// SPDX-License-Identifier: Apache-2.0
// The MPI_* functions as C programs call them (and C++ and Python programs, and Fortran programs
// where the MPI library's Fortran layer calls these).
#include "preload/interpose.hpp"
#include "preload/native.hpp"
#include "preload/report.hpp"

namespace roundelay {

const Native native;

}  // namespace roundelay

using roundelay::native;

ROUNDELAY_EXPORT int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm) {
  return roundelay::allgather(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, [&] {
        return native.allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::allreduce(sendbuf, recvbuf, count, datatype, op, comm, [&] {
    return native.allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Barrier(MPI_Comm comm) {
  return roundelay::barrier(comm, [&] { return native.barrier(comm); });
}

ROUNDELAY_EXPORT int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root,
                               MPI_Comm comm) {
  return roundelay::bcast(buffer, count, datatype, root, comm,
                          [&] { return native.bcast(buffer, count, datatype, root, comm); });
}

ROUNDELAY_EXPORT int MPI_Reduce(const void* sendbuf, void* recvbuf, int count,
                                MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return roundelay::reduce(sendbuf, recvbuf, count, datatype, op, root, comm, [&] {
    return native.reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Finalize() {
  roundelay::conclude();
  return native.finalize();
}

#if ROUNDELAY_HAVE_LARGE_COUNT

ROUNDELAY_EXPORT int MPI_Allgather_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                     MPI_Datatype recvtype, MPI_Comm comm) {
  return roundelay::allgather(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, [&] {
        return native.allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::allreduce(sendbuf, recvbuf, count, datatype, op, comm, [&] {
    return native.allreduce_c(sendbuf, recvbuf, count, datatype, op, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm) {
  return roundelay::bcast(buffer, count, datatype, root, comm,
                          [&] { return native.bcast_c(buffer, count, datatype, root, comm); });
}

ROUNDELAY_EXPORT int MPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return roundelay::reduce(sendbuf, recvbuf, count, datatype, op, root, comm, [&] {
    return native.reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm);
  });
}

#endif
