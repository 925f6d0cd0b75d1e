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
#include "mpi/tape.hpp"
#include "mpi/transport.hpp"

namespace roundelay::mpi {

class MessageTransport final : public Transport {
 public:
  // One channel: where its units are, and its tag.
  struct Side {
    const Memory* memory = nullptr;
    int tag = 0;
  };

  // Staging memory is from `scratch`, which has to stay as it is until nothing is under way.
  explicit MessageTransport(Scratch& scratch) noexcept : scratch_(scratch) {}

  // From now on messages go over `comm`, a communicator of this library on which errors return.
  void use(MPI_Comm comm, const Side& first) noexcept {
    comm_ = comm;
    sides_[0] = first;
  }
  void use_second(const Side& second) noexcept { sides_[1] = second; }

  int start(TransferUnderWay& one, Channel channel, Pace pace) override;
  int wait(std::span<TransferUnderWay* const> some, Until until) override;
  int step(const LocalStep& step, Channel channel) override {
    return do_step(step, *side(channel).memory, comm_);
  }
  // MPI cannot take back a send. What has been abandoned reads its memory until all_is_over().
  void abandon() noexcept override;

  // A round of short messages on the first channel, to its end.
  int exchange(const Beat& beat);

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
    std::byte* staging = nullptr;
    std::int64_t staging_size = 0;
  };

  [[nodiscard]] const Side& side(Channel channel) const noexcept {
    return sides_[static_cast<std::size_t>(channel)];
  }
  std::uint32_t new_slot();
  int begin(const Elements& message, const Transfer& transfer, Slot& slot, Pace pace);
  int begin_staged(const Transfer& transfer, Slot& slot, Pace pace);
  int begin_in_place(const Transfer& transfer, Slot& slot, Pace pace);
  int finish(TransferUnderWay& one);

  Scratch& scratch_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::array<Side, 2> sides_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  bool any_staging_ = false;
  MPI_Request short_send_ = MPI_REQUEST_NULL;  // of exchange()
};

}  // namespace roundelay::mpi
