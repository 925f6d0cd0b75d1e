// SPDX-License-Identifier: Apache-2.0
// The MPI_* functions as C programs call them (and C++ and Python programs, and Fortran programs
// where the MPI library's Fortran layer calls these).
#include "preload/interpose_combining.hpp"
#include "preload/interpose_exchanging.hpp"
#include "preload/interpose_moving.hpp"
#include "preload/native.hpp"
#include "preload/report.hpp"

namespace roundelay::preload {

const Native native;

}  // namespace roundelay::preload

using roundelay::Collective;
using roundelay::preload::native;

ROUNDELAY_EXPORT int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm) {
  return roundelay::preload::allgather(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, [&] {
        return native.allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const int recvcounts[], const int displs[],
                                    MPI_Datatype recvtype, MPI_Comm comm) {
  return roundelay::preload::allgatherv(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, [&] {
        return native.allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                 recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::allreduce(sendbuf, recvbuf, count, datatype, op, comm, [&] {
    return native.allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm) {
  return roundelay::preload::alltoall(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, [&] {
        return native.alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return roundelay::preload::alltoallv(
      Collective::alltoallv, roundelay::preload::Elements{sendbuf, sendcounts, sdispls, sendtype},
      roundelay::preload::Elements{recvbuf, recvcounts, rdispls, recvtype}, comm, [&] {
        return native.alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                rdispls, recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   const MPI_Datatype sendtypes[], void* recvbuf,
                                   const int recvcounts[], const int rdispls[],
                                   const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return roundelay::preload::alltoallv(
      Collective::alltoallw, roundelay::preload::Bytes{sendbuf, sendcounts, sdispls, sendtypes},
      roundelay::preload::Bytes{recvbuf, recvcounts, rdispls, recvtypes}, comm, [&] {
        return native.alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                rdispls, recvtypes, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Barrier(MPI_Comm comm) {
  return roundelay::preload::barrier(comm, [&] { return native.barrier(comm); });
}

ROUNDELAY_EXPORT int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root,
                               MPI_Comm comm) {
  return roundelay::preload::bcast(buffer, count, datatype, root, comm, [&] {
    return native.bcast(buffer, count, datatype, root, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Exscan(const void* sendbuf, void* recvbuf, int count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::scan(
      Collective::exscan, sendbuf, recvbuf, count, datatype, op, comm,
      [&] { return native.exscan(sendbuf, recvbuf, count, datatype, op, comm); });
}

ROUNDELAY_EXPORT int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                MPI_Comm comm) {
  return roundelay::preload::gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                    root, comm, [&] {
                                      return native.gather(sendbuf, sendcount, sendtype, recvbuf,
                                                           recvcount, recvtype, root, comm);
                                    });
}

ROUNDELAY_EXPORT int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const int recvcounts[], const int displs[],
                                 MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return roundelay::preload::gatherv(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, [&] {
        return native.gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                              root, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Reduce(const void* sendbuf, void* recvbuf, int count,
                                MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return roundelay::preload::reduce(sendbuf, recvbuf, count, datatype, op, root, comm, [&] {
    return native.reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::reduce_scatter(
      Collective::reduce_scatter, sendbuf, recvbuf, roundelay::preload::Listed{recvcounts},
      datatype, op, comm,
      [&] { return native.reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

ROUNDELAY_EXPORT int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::reduce_scatter(
      Collective::reduce_scatter_block, sendbuf, recvbuf, roundelay::preload::Alike{recvcount},
      datatype, op, comm,
      [&] { return native.reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}

ROUNDELAY_EXPORT int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::scan(
      Collective::scan, sendbuf, recvbuf, count, datatype, op, comm,
      [&] { return native.scan(sendbuf, recvbuf, count, datatype, op, comm); });
}

ROUNDELAY_EXPORT int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                 MPI_Comm comm) {
  return roundelay::preload::scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                     root, comm, [&] {
                                       return native.scatter(sendbuf, sendcount, sendtype, recvbuf,
                                                             recvcount, recvtype, root, comm);
                                     });
}

ROUNDELAY_EXPORT int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                  MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                  MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return roundelay::preload::scatterv(
      sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, [&] {
        return native.scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                               root, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Finalize() {
  roundelay::preload::conclude();
  return native.finalize();
}

#if ROUNDELAY_HAVE_LARGE_COUNT

ROUNDELAY_EXPORT int MPI_Allgather_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                     MPI_Datatype recvtype, MPI_Comm comm) {
  return roundelay::preload::allgather(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, [&] {
        return native.allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void* recvbuf,
                                      const MPI_Count recvcounts[], const MPI_Aint displs[],
                                      MPI_Datatype recvtype, MPI_Comm comm) {
  return roundelay::preload::allgatherv(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, [&] {
        return native.allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                   recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::allreduce(sendbuf, recvbuf, count, datatype, op, comm, [&] {
    return native.allreduce_c(sendbuf, recvbuf, count, datatype, op, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm) {
  return roundelay::preload::alltoall(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, [&] {
        return native.alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                     MPI_Datatype recvtype, MPI_Comm comm) {
  return roundelay::preload::alltoallv(
      Collective::alltoallv, roundelay::preload::Elements{sendbuf, sendcounts, sdispls, sendtype},
      roundelay::preload::Elements{recvbuf, recvcounts, rdispls, recvtype}, comm, [&] {
        return native.alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                  rdispls, recvtype, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                     void* recvbuf, const MPI_Count recvcounts[],
                                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                     MPI_Comm comm) {
  return roundelay::preload::alltoallv(
      Collective::alltoallw, roundelay::preload::Bytes{sendbuf, sendcounts, sdispls, sendtypes},
      roundelay::preload::Bytes{recvbuf, recvcounts, rdispls, recvtypes}, comm, [&] {
        return native.alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                  rdispls, recvtypes, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm) {
  return roundelay::preload::bcast(buffer, count, datatype, root, comm, [&] {
    return native.bcast_c(buffer, count, datatype, root, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::scan(
      Collective::exscan, sendbuf, recvbuf, count, datatype, op, comm,
      [&] { return native.exscan_c(sendbuf, recvbuf, count, datatype, op, comm); });
}

ROUNDELAY_EXPORT int MPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  int root, MPI_Comm comm) {
  return roundelay::preload::gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                    root, comm, [&] {
                                      return native.gather_c(sendbuf, sendcount, sendtype, recvbuf,
                                                             recvcount, recvtype, root, comm);
                                    });
}

ROUNDELAY_EXPORT int MPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const MPI_Count recvcounts[],
                                   const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                                   MPI_Comm comm) {
  return roundelay::preload::gatherv(
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, [&] {
        return native.gatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                root, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return roundelay::preload::reduce(sendbuf, recvbuf, count, datatype, op, root, comm, [&] {
    return native.reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm);
  });
}

ROUNDELAY_EXPORT int MPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf,
                                          const MPI_Count recvcounts[], MPI_Datatype datatype,
                                          MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::reduce_scatter(
      Collective::reduce_scatter, sendbuf, recvbuf, roundelay::preload::Listed{recvcounts},
      datatype, op, comm,
      [&] { return native.reduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

ROUNDELAY_EXPORT int MPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf,
                                                MPI_Count recvcount, MPI_Datatype datatype,
                                                MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::reduce_scatter(
      Collective::reduce_scatter_block, sendbuf, recvbuf, roundelay::preload::Alike{recvcount},
      datatype, op, comm, [&] {
        return native.reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm);
      });
}

ROUNDELAY_EXPORT int MPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return roundelay::preload::scan(
      Collective::scan, sendbuf, recvbuf, count, datatype, op, comm,
      [&] { return native.scan_c(sendbuf, recvbuf, count, datatype, op, comm); });
}

ROUNDELAY_EXPORT int MPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   int root, MPI_Comm comm) {
  return roundelay::preload::scatter(
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, [&] {
        return native.scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                                comm);
      });
}

ROUNDELAY_EXPORT int MPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                                    MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                    MPI_Comm comm) {
  return roundelay::preload::scatterv(
      sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, [&] {
        return native.scatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                                 recvtype, root, comm);
      });
}

#endif
