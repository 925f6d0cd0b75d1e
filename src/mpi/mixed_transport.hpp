// SPDX-License-Identifier: Apache-2.0
// Shared memory between ranks of a node, puts or messages between nodes.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "mpi/message_transport.hpp"
#include "mpi/put_window.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/shared_transport.hpp"
#include "mpi/transport.hpp"

namespace roundelay::mpi {

// A round of short messages that has begun.
struct ShortRoundUnderWay {
  std::array<TransferUnderWay, 2> sides;
  std::array<TransferUnderWay*, 2> not_done{};
  std::size_t count = 0;  // of these
  bool begun = false;
  bool looks = false;     // for what it receives, of which nothing was started
  bool messages = false;  // of MPI, that are not over

  [[nodiscard]] bool over() const noexcept { return begun && !looks && !messages && count == 0; }
};

class MixedTransport final : public Transport {
 public:
  explicit MixedTransport(Scratch& scratch) noexcept
      : messages_(scratch), shared_(scratch), put_(scratch) {}

  void use(const Messages& messages, const Memory& first) noexcept {
    memory_ = messages.shared;
    window_ = messages.put;
    comm_ = messages.comm;
    messages_.use(messages, first);
    if (memory_ != nullptr) shared_.use(messages, first, memory_->port(), memory_->numbers());
    if (window_ != nullptr) put_.use(messages, first, window_->port(), window_->numbers());
  }
  void use_second(const Memory& second) noexcept {
    messages_.use_second(second);
    shared_.use_second(second);
    put_.use_second(second);
  }

  int start(TransferUnderWay& one, Channel channel, Discipline discipline) override;
  int wait(std::span<TransferUnderWay* const> some, Until until) override;
  int step(const LocalStep& step, Channel channel) override {
    return messages_.step(step, channel);
  }
  void abandon() noexcept override;

  // A round of short messages on the first channel, to its end.
  int exchange(const SendReceivePair& pair) {
    return memory_ == nullptr && window_ == nullptr ? messages_.exchange(pair)
                                                    : exchange_by_any(pair);
  }
  // The same of several pairs that are one round, where all peers share memory.
  int exchange(std::span<const SendReceivePair> round) { return shared_.exchange(round); }
  // The same of either without waiting: again, until it is over.
  int go_on(std::span<const SendReceivePair> round, ShortRoundUnderWay& under_way) {
    return round.size() == 1 ? go_on(round.front(), under_way) : go_on_with_many(round, under_way);
  }

  // An intracommunicator on which the MPI library makes progress.
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] bool all_is_over() noexcept { return messages_.all_is_over(); }
  void forget_staging() noexcept {
    messages_.forget_staging();
    shared_.forget_staging();
    put_.forget_staging();
  }

 private:
  int go_on(const SendReceivePair& pair, ShortRoundUnderWay& under_way) {
    if (!under_way.begun) {
      const int error = begin(pair, under_way);
      if (error != 0 || under_way.over()) return error;
    }
    return look(pair, under_way);
  }
  int go_on_with_many(std::span<const SendReceivePair> round, ShortRoundUnderWay& under_way) {
    int error = 0;
    if (!std::exchange(under_way.begun, true)) error = shared_.begin(round);
    under_way.looks = error == 0 && !shared_.look(error);
    return error;
  }
  [[nodiscard]] bool in_memory(int peer) const noexcept {
    return memory_ != nullptr && memory_->reaches(peer);
  }
  // To ranks that share no memory with this one.
  [[nodiscard]] Transport& away() noexcept {
    if (window_ != nullptr) return put_;
    return messages_;
  }
  int exchange_by_any(const SendReceivePair& pair);
  int begin(const SendReceivePair& pair, ShortRoundUnderWay& under_way);
  int look(const SendReceivePair& pair, ShortRoundUnderWay& under_way);
  int look_in_memory(const SendReceivePair& pair, ShortRoundUnderWay& under_way);
  int start_side(const Transfer& transfer, ShortRoundUnderWay& under_way);

  SharedMemory* memory_ = nullptr;
  PutWindow* window_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MessageTransport messages_;
  SharedTransport shared_;
  SharedTransport put_;
};

}  // namespace roundelay::mpi
