// SPDX-License-Identifier: Apache-2.0
// Open MPI's Fortran layer calls PMPI_*, past every C function of ours. So its own entry points are
// defined here: mpi_x_ for mpif.h and "use mpi" (in the four manglings that it has), and ompi_x_f,
// which "use mpi_f08" calls.
#if ROUNDELAY_OPEN_MPI

#include "preload/interpose.hpp"
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

using roundelay::native;

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
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const MPI_Datatype sent_type = PMPI_Type_f2c(*sendtype);
  const MPI_Datatype received_type = PMPI_Type_f2c(*recvtype);
  answer(ierror, roundelay::allgather(
                     sent, *sendcount, sent_type, received, *recvcount, received_type, where, [&] {
                       return native.allgather(sent, *sendcount, sent_type, received, *recvcount,
                                               received_type, where);
                     }));
}

ROUNDELAY_FORTRAN(mpi_allreduce, MPI_ALLREDUCE, ompi_allreduce_f,
                  (void* sendbuf, void* recvbuf, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* op,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  const MPI_Op operation = PMPI_Op_f2c(*op);
  answer(ierror, roundelay::allreduce(sent, received, *count, type, operation, where, [&] {
           return native.allreduce(sent, received, *count, type, operation, where);
         }));
}

ROUNDELAY_FORTRAN(mpi_barrier, MPI_BARRIER, ompi_barrier_f, (MPI_Fint * comm, MPI_Fint* ierror)) {
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  answer(ierror, roundelay::barrier(where, [&] { return native.barrier(where); }));
}

ROUNDELAY_FORTRAN(mpi_bcast, MPI_BCAST, ompi_bcast_f,
                  (void* buffer, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* root,
                   MPI_Fint* comm, MPI_Fint* ierror)) {
  void* address = address_of(buffer);
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  answer(ierror, roundelay::bcast(address, *count, type, *root, where, [&] {
           return native.bcast(address, *count, type, *root, where);
         }));
}

ROUNDELAY_FORTRAN(mpi_reduce, MPI_REDUCE, ompi_reduce_f,
                  (void* sendbuf, void* recvbuf, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* op,
                   MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror)) {
  const void* sent = address_of(sendbuf);
  void* received = address_of(recvbuf);
  const MPI_Comm where = PMPI_Comm_f2c(*comm);
  const MPI_Datatype type = PMPI_Type_f2c(*datatype);
  const MPI_Op operation = PMPI_Op_f2c(*op);
  answer(ierror, roundelay::reduce(sent, received, *count, type, operation, *root, where, [&] {
           return native.reduce(sent, received, *count, type, operation, *root, where);
         }));
}

ROUNDELAY_FORTRAN(mpi_finalize, MPI_FINALIZE, ompi_finalize_f, (MPI_Fint * ierror)) {
  roundelay::conclude();
  answer(ierror, native.finalize());
}

#endif
