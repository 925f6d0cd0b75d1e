// SPDX-License-Identifier: Apache-2.0
// MPI's point-to-point functions. No other file sends or receives.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace roundelay::mpi {

class PutWindow;
class SharedMemory;

// The messages of one call: those of the two channels have this tag and the next one. Between ranks
// that share memory they go through it; else they are put into a window, if there is one, or are
// messages of MPI: then `comm` is a communicator of this library on which errors return.
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

#if ROUNDELAY_SIMGRID
// SMPI (SimGrid 3.32) lets a message of less than 64 KiB overtake a longer one of the same tag:
// those of either kind have tags of their own, beyond all others. Both sides know how long a
// message is: what is simulated has no receives with more room than is sent.
inline int tag_for(const Elements& m, const Peer& peer) {
  constexpr std::int64_t overtaken = 65536;  // async-small-thresh of roundelay/simulation/smpi.py
  int size = 0;
  PMPI_Type_size(m.type, &size);
  return peer.tag + (std::int64_t{size} * m.count >= overtaken ? 32768 : 0);
}
#else
inline int tag_for(const Elements& /*m*/, const Peer& peer) { return peer.tag; }
#endif

// All return an MPI error code. `request` is set only where that is MPI_SUCCESS.
inline int begin_receive(const Elements& m, const Peer& from, MPI_Request& request) {
  return PMPI_Irecv(m.address, m.count, m.type, from.rank, tag_for(m, from), from.comm, &request);
}

// One that start_receive() starts, again and again.
inline int make_receive(const Elements& m, const Peer& from, MPI_Request& request) {
  return PMPI_Recv_init(m.address, m.count, m.type, from.rank, tag_for(m, from), from.comm,
                        &request);
}
inline int start_receive(MPI_Request& request) { return PMPI_Start(&request); }

inline int begin_send(const Elements& m, const Peer& to, SendMode mode, MPI_Request& request) {
  return mode == SendMode::standard
             ? PMPI_Isend(m.address, m.count, m.type, to.rank, tag_for(m, to), to.comm, &request)
             : PMPI_Issend(m.address, m.count, m.type, to.rank, tag_for(m, to), to.comm, &request);
}

inline int receive(const Elements& m, const Peer& from) {
  return PMPI_Recv(m.address, m.count, m.type, from.rank, tag_for(m, from), from.comm,
                   MPI_STATUS_IGNORE);
}

inline int send(const Elements& m, const Peer& to) {
  return PMPI_Send(m.address, m.count, m.type, to.rank, tag_for(m, to), to.comm);
}

// Both at the same time; the peers may be this rank.
inline int send_and_receive(const Elements& sent, const Peer& to, const Elements& received,
                            const Peer& from) {
  return PMPI_Sendrecv(sent.address, sent.count, sent.type, to.rank, tag_for(sent, to),
                       received.address, received.count, received.type, from.rank,
                       tag_for(received, from), from.comm, MPI_STATUS_IGNORE);
}

// The message is received before, or never. Returns when the memory is no longer written.
inline void cancel_receive(MPI_Request& request) {
  PMPI_Cancel(&request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace roundelay::mpi
