// SPDX-License-Identifier: Apache-2.0
// The transport that works everywhere: MPI's messages.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/memory.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"
#include "mpi/send_receive_pairs.hpp"
#include "mpi/slots.hpp"
#include "mpi/transport_of_call.hpp"

namespace roundelay::mpi {

class MessageTransport final : public TransportOfCall {
 public:
  using TransportOfCall::TransportOfCall;

  int start(TransferUnderWay& one, Channel channel, Discipline discipline) override;
  int wait(std::span<TransferUnderWay* const> some, Until until) override;
  // MPI cannot take back a send. What has been abandoned reads its memory until all_is_over().
  void abandon() noexcept override;

  // A round of short messages on the first channel, to its end.
  int exchange(const SendReceivePair& pair);
  // Each side of one, begun; and whether both are over, as far as they were begun.
  int begin_to_receive(const SendReceivePair& pair) {
    return begin_receive(message(pair.received), peer(pair.from, Channel::first), short_receive_);
  }
  int begin_to_send(const SendReceivePair& pair) {
    return begin_send(message(pair.sent), peer(pair.to, Channel::first), SendMode::standard,
                      short_send_);
  }
  int look(bool& over);

  // Whether no send that was abandoned is under way. Does not wait.
  [[nodiscard]] bool all_is_over() noexcept;
  // The staging memory goes.
  void forget_staging() noexcept;

 private:
  // Of one transfer. Keeps its staging memory for later ones.
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    bool sends = false;
    bool staged = false;  // the message is in `staging`
    Channel channel = Channel::first;
    Staging staging;
  };

  // The other side of a message of a channel.
  [[nodiscard]] Peer peer(int rank, Channel channel) const noexcept {
    return {rank, tag(channel), messages().comm};
  }
  // Of a send-receive pair.
  [[nodiscard]] Elements message(Slice slice) const noexcept {
    const Memory& own = memory(Channel::first);
    return {own.at(slice), static_cast<int>(slice.length()), own.type.handle};
  }
  int begin(const Elements& message, const Transfer& transfer, Slot& slot, Discipline discipline);
  int begin_staged(const Transfer& transfer, Slot& slot, Discipline discipline);
  int begin_in_place(const Transfer& transfer, Slot& slot, Discipline discipline);
  int finish(TransferUnderWay& one);
  int scatter_staged(const Transfer& transfer, const Slot& slot);

  Slots<std::vector<Slot>> slots_;
  bool any_staging_ = false;
  MPI_Request short_send_ = MPI_REQUEST_NULL;  // of a send-receive pair
  MPI_Request short_receive_ = MPI_REQUEST_NULL;
};

inline int MessageTransport::exchange(const SendReceivePair& pair) {
  const Peer from = peer(pair.from, Channel::first);
  if (pair.to == SendReceivePair::nobody) {
    return pair.from == SendReceivePair::nobody ? MPI_SUCCESS
                                                : receive(message(pair.received), from);
  }
  const Peer to = peer(pair.to, Channel::first);
  if (pair.from == SendReceivePair::nobody) return send(message(pair.sent), to);
  // Short messages leave at once, so that all waiting is in the receive: faster than MPI_Sendrecv.
  int error = begin_send(message(pair.sent), to, SendMode::standard, short_send_);
  if (error == MPI_SUCCESS) error = receive(message(pair.received), from);
  return error == MPI_SUCCESS ? PMPI_Wait(&short_send_, MPI_STATUS_IGNORE) : error;
}

inline int MessageTransport::look(bool& over) {
  const auto is_over = [](MPI_Request& request, int& error) {
    int done = 1;
    if (request != MPI_REQUEST_NULL) error = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  int error = MPI_SUCCESS;
  over = is_over(short_send_, error);
  if (error == MPI_SUCCESS) over = is_over(short_receive_, error) && over;
  return error;
}

}  // namespace roundelay::mpi
