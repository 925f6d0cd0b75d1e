// SPDX-License-Identifier: Apache-2.0
// MPI's point-to-point functions. Nothing else in src/mpi and src/preload calls them.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace roundelay::mpi {

class PutWindow;
class SharedMemory;

// The messages of one call: `comm` is a communicator of this library on which errors return; those
// of the two channels have this tag and the next one. Between ranks that share memory they go
// through it; else they are put into a window, if there is one, or are messages of MPI.
struct Messages {
  MPI_Comm comm = MPI_COMM_NULL;
  int tag = 0;
  SharedMemory* shared = nullptr;
  PutWindow* put = nullptr;
};

// `count` elements at an address.
struct Elements {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

// The other side.
struct Peer {
  int rank = 0;
  int tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

// synchronous: complete only when the receiver takes it.
enum class SendMode : std::uint8_t { standard, synchronous };

// All return an MPI error code. `request` is set only where that is MPI_SUCCESS.
inline int begin_receive(const Elements& m, const Peer& from, MPI_Request& request) {
  return PMPI_Irecv(m.address, m.count, m.type, from.rank, from.tag, from.comm, &request);
}

inline int begin_send(const Elements& m, const Peer& to, SendMode mode, MPI_Request& request) {
  return mode == SendMode::standard
             ? PMPI_Isend(m.address, m.count, m.type, to.rank, to.tag, to.comm, &request)
             : PMPI_Issend(m.address, m.count, m.type, to.rank, to.tag, to.comm, &request);
}

inline int receive(const Elements& m, const Peer& from) {
  return PMPI_Recv(m.address, m.count, m.type, from.rank, from.tag, from.comm, MPI_STATUS_IGNORE);
}

inline int send(const Elements& m, const Peer& to) {
  return PMPI_Send(m.address, m.count, m.type, to.rank, to.tag, to.comm);
}

// Both at the same time; the peers may be this rank.
inline int send_and_receive(const Elements& sent, const Peer& to, const Elements& received,
                            const Peer& from) {
  return PMPI_Sendrecv(sent.address, sent.count, sent.type, to.rank, to.tag, received.address,
                       received.count, received.type, from.rank, from.tag, from.comm,
                       MPI_STATUS_IGNORE);
}

// The message is received before, or never. Returns when the memory is no longer written.
inline void cancel_receive(MPI_Request& request) {
  PMPI_Cancel(&request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace roundelay::mpi
