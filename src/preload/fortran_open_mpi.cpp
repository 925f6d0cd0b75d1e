// SPDX-License-Identifier: Apache-2.0
// Open MPI's Fortran layer calls PMPI_*, past every C function of ours. So its own entry points are
// defined here: mpi_x_ for mpif.h and "use mpi" (in the four manglings that it has), and ompi_x_f,
// which "use mpi_f08" calls.
#if ROUNDELAY_OPEN_MPI

#include <vector>

#include "preload/interpose_combining.hpp"
#include "preload/interpose_exchanging.hpp"
#include "preload/interpose_moving.hpp"
#include "preload/native.hpp"
#include "preload/report.hpp"

// MPI_BOTTOM and MPI_IN_PLACE are the addresses of common blocks, one for each mangling; not there
// in a program without Fortran.
extern "C" {
[[gnu::weak]] extern int mpi_fortran_bottom_;
[[gnu::weak]] extern int mpi_fortran_bottom__;
[[gnu::weak]] extern int mpi_fortran_bottom;
[[gnu::weak]] extern int MPI_FORTRAN_BOTTOM;
[[gnu::weak]] extern int mpi_fortran_in_place_;
[[gnu::weak]] extern int mpi_fortran_in_place__;
[[gnu::weak]] extern int mpi_fortran_in_place;
[[gnu::weak]] extern int MPI_FORTRAN_IN_PLACE;
}

namespace {

using roundelay::Collective;
using roundelay::preload::native;

void* address_of(void* argument) {
  if (argument == nullptr) return argument;
  for (const int* bottom :
       {&mpi_fortran_bottom_, &mpi_fortran_bottom__, &mpi_fortran_bottom, &MPI_FORTRAN_BOTTOM}) {
    if (argument == bottom) return MPI_BOTTOM;
  }
  for (const int* in_place : {&mpi_fortran_in_place_, &mpi_fortran_in_place__,
                              &mpi_fortran_in_place, &MPI_FORTRAN_IN_PLACE}) {
    if (argument == in_place) return MPI_IN_PLACE;
  }
  return argument;
}

// One type for each rank that the communicator's own talk to; none in place, where they say
// nothing.
std::vector<MPI_Datatype> types_of(const MPI_Fint* types, MPI_Comm comm, const void* buffer) {
  std::vector<MPI_Datatype> found;
  if (buffer == MPI_IN_PLACE) return found;
  int inter = 0;
  int ranks = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) {
    PMPI_Comm_remote_size(comm, &ranks);
  } else {
    PMPI_Comm_size(comm, &ranks);
  }
  for (int i = 0; i < ranks; ++i) found.push_back(PMPI_Type_f2c(types[i]));
  return found;
}

void answer(MPI_Fint* ierror, int error) {
  if (ierror != nullptr) *ierror = error;
}

}  // namespace

// A definition with the other names that Open MPI gives it.
#define ROUNDELAY_FORTRAN(lower, upper, f08, parameters)                         \
  ROUNDELAY_EXPORT void lower##_ parameters;                                     \
  ROUNDELAY_EXPORT void lower parameters __attribute__((alias(#lower "_")));     \
  ROUNDELAY_EXPORT void lower##__ parameters __attribute__((alias(#lower "_"))); \
  ROUNDELAY_EXPORT void upper parameters __attribute__((alias(#lower "_")));     \
  ROUNDELAY_EXPORT void f08 parameters __attribute__((alias(#lower "_")));       \
  ROUNDELAY_EXPORT void lower##_ parameters

ROUNDELAY_FORTRAN(mpi_allgather, MPI_ALLGATHER, ompi_allgather_f,
                  (void* sendbuf, MPI_Fint* sendcount, MPI_Fint* sendtype, void* recvbuf,
                   MPI_Fint* recvcount, MPI_Fint* recvtype, MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  void* received = address_of(recvbuf);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(ierror, roundelay::preload::allgather(
                     sent, *sendcount, sent_type, received, *recvcount, received_type, where, [&] {
                       return native.allgather(sent, *sendcount, sent_type, received, *recvcount,
                                               received_type, where);
                     }));
}

ROUNDELAY_FORTRAN(mpi_allgatherv, MPI_ALLGATHERV, ompi_allgatherv_f,
                  (void* sendbuf, MPI_Fint* sendcount, MPI_Fint* sendtype, void* recvbuf,
                   MPI_Fint* recvcounts, MPI_Fint* displs, MPI_Fint* recvtype, MPI_Fint* comm,
                   MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  void* received = address_of(recvbuf);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(ierror, roundelay::preload::allgatherv(sent, *sendcount, sent_type, received, recvcounts,
                                                displs, received_type, where, [&] {
                                                  return native.allgatherv(
                                                      sent, *sendcount, sent_type, received,
                                                      recvcounts, displs, received_type, where);
                                                }));
}

ROUNDELAY_FORTRAN(mpi_allreduce, MPI_ALLREDUCE, ompi_allreduce_f,
                  (void* sendbuf, void* recvbuf, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* op,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  const MPI_Op operation = PMPI_Op_f2c(*op);
  answer(ierror, roundelay::preload::allreduce(sent, received, *count, type, operation, where, [&] {
           return native.allreduce(sent, received, *count, type, operation, where);
         }));
}

ROUNDELAY_FORTRAN(mpi_alltoall, MPI_ALLTOALL, ompi_alltoall_f,
                  (void* sendbuf, MPI_Fint* sendcount, MPI_Fint* sendtype, void* recvbuf,
                   MPI_Fint* recvcount, MPI_Fint* recvtype, MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  void* received = address_of(recvbuf);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(ierror, roundelay::preload::alltoall(
                     sent, *sendcount, sent_type, received, *recvcount, received_type, where, [&] {
                       return native.alltoall(sent, *sendcount, sent_type, received, *recvcount,
                                              received_type, where);
                     }));
}

ROUNDELAY_FORTRAN(mpi_alltoallv, MPI_ALLTOALLV, ompi_alltoallv_f,
                  (void* sendbuf, MPI_Fint* sendcounts, MPI_Fint* sdispls, MPI_Fint* sendtype,
                   void* recvbuf, MPI_Fint* recvcounts, MPI_Fint* rdispls, MPI_Fint* recvtype,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  void* received = address_of(recvbuf);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(
      ierror,
      roundelay::preload::alltoallv(
          Collective::alltoallv, roundelay::preload::Elements{sent, sendcounts, sdispls, sent_type},
          roundelay::preload::Elements{received, recvcounts, rdispls, received_type}, where, [&] {
            return native.alltoallv(sent, sendcounts, sdispls, sent_type, received, recvcounts,
                                    rdispls, received_type, where);
          }));
}

ROUNDELAY_FORTRAN(mpi_alltoallw, MPI_ALLTOALLW, ompi_alltoallw_f,
                  (void* sendbuf, MPI_Fint* sendcounts, MPI_Fint* sdispls, MPI_Fint* sendtypes,
                   void* recvbuf, MPI_Fint* recvcounts, MPI_Fint* rdispls, MPI_Fint* recvtypes,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const auto sent_types = types_of(sendtypes, where, sent);
  void* received = address_of(recvbuf);
  const auto received_types = types_of(recvtypes, where, received);
  answer(ierror,
         roundelay::preload::alltoallv(
             Collective::alltoallw,
             roundelay::preload::Bytes{sent, sendcounts, sdispls, sent_types.data()},
             roundelay::preload::Bytes{received, recvcounts, rdispls, received_types.data()}, where,
             [&] {
               return native.alltoallw(sent, sendcounts, sdispls, sent_types.data(), received,
                                       recvcounts, rdispls, received_types.data(), where);
             }));
}

ROUNDELAY_FORTRAN(mpi_barrier, MPI_BARRIER, ompi_barrier_f, (MPI_Fint * comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  answer(ierror, roundelay::preload::barrier(where, [&] { return native.barrier(where); }));
}

ROUNDELAY_FORTRAN(mpi_bcast, MPI_BCAST, ompi_bcast_f,
                  (void* buffer, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* root,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  void* address = address_of(buffer);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  answer(ierror, roundelay::preload::bcast(address, *count, type, *root, where, [&] {
           return native.bcast(address, *count, type, *root, where);
         }));
}

ROUNDELAY_FORTRAN(mpi_exscan, MPI_EXSCAN, ompi_exscan_f,
                  (void* sendbuf, void* recvbuf, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* op,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  const MPI_Op operation = PMPI_Op_f2c(*op);
  answer(ierror, roundelay::preload::scan(
                     Collective::exscan, sent, received, *count, type, operation, where, [&] {
                       return native.exscan(sent, received, *count, type, operation, where);
                     }));
}

ROUNDELAY_FORTRAN(mpi_gather, MPI_GATHER, ompi_gather_f,
                  (void* sendbuf, MPI_Fint* sendcount, MPI_Fint* sendtype, void* recvbuf,
                   MPI_Fint* recvcount, MPI_Fint* recvtype, MPI_Fint* root, MPI_Fint* comm,
                   MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  void* received = address_of(recvbuf);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(ierror, roundelay::preload::gather(sent, *sendcount, sent_type, received, *recvcount,
                                            received_type, *root, where, [&] {
                                              return native.gather(sent, *sendcount, sent_type,
                                                                   received, *recvcount,
                                                                   received_type, *root, where);
                                            }));
}

ROUNDELAY_FORTRAN(mpi_gatherv, MPI_GATHERV, ompi_gatherv_f,
                  (void* sendbuf, MPI_Fint* sendcount, MPI_Fint* sendtype, void* recvbuf,
                   MPI_Fint* recvcounts, MPI_Fint* displs, MPI_Fint* recvtype, MPI_Fint* root,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  void* received = address_of(recvbuf);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(ierror, roundelay::preload::gatherv(sent, *sendcount, sent_type, received, recvcounts,
                                             displs, received_type, *root, where, [&] {
                                               return native.gatherv(sent, *sendcount, sent_type,
                                                                     received, recvcounts, displs,
                                                                     received_type, *root, where);
                                             }));
}

ROUNDELAY_FORTRAN(mpi_reduce, MPI_REDUCE, ompi_reduce_f,
                  (void* sendbuf, void* recvbuf, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* op,
                   MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  const MPI_Op operation = PMPI_Op_f2c(*op);
  answer(ierror,
         roundelay::preload::reduce(sent, received, *count, type, operation, *root, where, [&] {
           return native.reduce(sent, received, *count, type, operation, *root, where);
         }));
}

ROUNDELAY_FORTRAN(mpi_reduce_scatter, MPI_REDUCE_SCATTER, ompi_reduce_scatter_f,
                  (void* sendbuf, void* recvbuf, MPI_Fint* recvcounts, MPI_Fint* datatype,
                   MPI_Fint* op, MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  const MPI_Op operation = PMPI_Op_f2c(*op);
  answer(ierror, roundelay::preload::reduce_scatter(
                     Collective::reduce_scatter, sent, received,
                     roundelay::preload::Listed{recvcounts}, type, operation, where, [&] {
                       return native.reduce_scatter(sent, received, recvcounts, type, operation,
                                                    where);
                     }));
}

ROUNDELAY_FORTRAN(mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK, ompi_reduce_scatter_block_f,
                  (void* sendbuf, void* recvbuf, MPI_Fint* recvcount, MPI_Fint* datatype,
                   MPI_Fint* op, MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  const MPI_Op operation = PMPI_Op_f2c(*op);
  answer(ierror, roundelay::preload::reduce_scatter(
                     Collective::reduce_scatter_block, sent, received,
                     roundelay::preload::Alike{*recvcount}, type, operation, where, [&] {
                       return native.reduce_scatter_block(sent, received, *recvcount, type,
                                                          operation, where);
                     }));
}

ROUNDELAY_FORTRAN(mpi_scan, MPI_SCAN, ompi_scan_f,
                  (void* sendbuf, void* recvbuf, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* op,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  const MPI_Op operation = PMPI_Op_f2c(*op);
  answer(ierror, roundelay::preload::scan(
                     Collective::scan, sent, received, *count, type, operation, where,
                     [&] { return native.scan(sent, received, *count, type, operation, where); }));
}

ROUNDELAY_FORTRAN(mpi_scatter, MPI_SCATTER, ompi_scatter_f,
                  (void* sendbuf, MPI_Fint* sendcount, MPI_Fint* sendtype, void* recvbuf,
                   MPI_Fint* recvcount, MPI_Fint* recvtype, MPI_Fint* root, MPI_Fint* comm,
                   MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  void* received = address_of(recvbuf);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(ierror, roundelay::preload::scatter(sent, *sendcount, sent_type, received, *recvcount,
                                             received_type, *root, where, [&] {
                                               return native.scatter(sent, *sendcount, sent_type,
                                                                     received, *recvcount,
                                                                     received_type, *root, where);
                                             }));
}

ROUNDELAY_FORTRAN(mpi_scatterv, MPI_SCATTERV, ompi_scatterv_f,
                  (void* sendbuf, MPI_Fint* sendcounts, MPI_Fint* displs, MPI_Fint* sendtype,
                   void* recvbuf, MPI_Fint* recvcount, MPI_Fint* recvtype, MPI_Fint* root,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const void* sent = address_of(sendbuf);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  void* received = address_of(recvbuf);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(ierror, roundelay::preload::scatterv(sent, sendcounts, displs, sent_type, received,
                                              *recvcount, received_type, *root, where, [&] {
                                                return native.scatterv(
                                                    sent, sendcounts, displs, sent_type, received,
                                                    *recvcount, received_type, *root, where);
                                              }));
}

ROUNDELAY_FORTRAN(mpi_finalize, MPI_FINALIZE, ompi_finalize_f, (MPI_Fint * ierror)) {
  roundelay::preload::conclude();
  answer(ierror, native.finalize());
}

#endif
