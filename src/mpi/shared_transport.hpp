// SPDX-License-Identifier: Apache-2.0
// The transport through memory that ranks share, or put into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "mpi/memory.hpp"
#include "mpi/scratch.hpp"
#include "mpi/send_receive_pairs.hpp"
#include "mpi/slots.hpp"
#include "mpi/transport_of_call.hpp"
#include "shared/carrier.hpp"
#include "shared/message.hpp"

namespace roundelay::mpi {

// Exchanges a pair of the first channel by transfers. `sent`: its send has been made.
int exchange_by_transfers(Transport& transport, const SendReceivePair& pair, bool sent);

class SharedTransport final : public TransportOfCall {
 public:
  using TransportOfCall::TransportOfCall;

  // `numbers`: of each rank, what the carrier calls it. It carries to those that have one.
  void use(const Messages& messages, const Memory& first, shared::Carrier& carrier,
           std::span<const int> numbers) noexcept {
    TransportOfCall::use(messages, first);
    carrier_ = &carrier;
    numbers_ = numbers;
  }

  int start(TransferUnderWay& one, Channel channel, Discipline discipline) override;
  int wait(std::span<TransferUnderWay* const> some, Until until) override;
  void abandon() noexcept override;
  // An exposure to a rank of another node, which another transport starts.
  void leave_out(TransferUnderWay& exposure);

  // A round of short messages on the first channel, to its end. Both peers have numbers.
  int exchange(const SendReceivePair& pair);
  // The same of several pairs that are one round, each from another rank. All are sent before any
  // is waited for.
  int exchange(std::span<const SendReceivePair> round);
  // The same without waiting: after begin(), look() until it returns that all is over, or fails.
  int begin(std::span<const SendReceivePair> round);
  [[nodiscard]] bool look(int& error);
  // The sides of a pair, at once or not at all.
  [[nodiscard]] bool put(const SendReceivePair& pair) noexcept;
  [[nodiscard]] bool may_take() const noexcept { return memory(Channel::first).type.contiguous; }
  [[nodiscard]] shared::Carrier::Found take(const SendReceivePair& pair) noexcept;

  void forget_staging() noexcept;

 private:
  // Of one transfer. Keeps its staging memory for later ones.
  class Slot final : public shared::Message {
   public:
    // All of the transfer is to be moved: its slices, or what is in staging memory.
    void begin(TransferUnderWay& whose, const Memory& of) noexcept;

    [[nodiscard]] std::size_t left() const override { return left_; }
    [[nodiscard]] std::span<const std::byte> in_a_row() const override { return row(); }
    void give(std::byte* to, std::size_t size) override;
    void skip(std::size_t size) override;
    [[nodiscard]] std::span<std::byte> room() override;
    void take(const std::byte* from, std::size_t size) override;

    [[nodiscard]] LocalStep left_to_combine() const noexcept;

    TransferUnderWay* one = nullptr;
    const Memory* memory = nullptr;
    Staging staging;
    bool staged = false;
    int error = MPI_SUCCESS;  // of combining

   private:
    [[nodiscard]] std::span<std::byte> row() const noexcept;
    [[nodiscard]] bool combines_as_it_comes() const noexcept {
      return !sends && !staged && one->combine.has_value();
    }
    [[nodiscard]] bool are_elements(const std::byte* from, std::size_t size) const noexcept;
    [[nodiscard]] bool cuts_no_vector(std::size_t size) const noexcept;
    void combine(const std::byte* from, std::size_t size) noexcept;

    const Slice* slice_ = nullptr;
    std::size_t in_slice_ = 0;  // bytes of the slice, or of the staging memory, that are done
    std::size_t left_ = 0;
    std::size_t combined_bytes_ = 0;  // of those
  };

  [[nodiscard]] shared::Carrier& port() const noexcept { return *carrier_; }
  [[nodiscard]] int number_of(int rank) const noexcept {
    return numbers_[static_cast<std::size_t>(rank)];
  }
  shared::Block* block_of(const TransferUnderWay& one);
  void give_back_if_over(const TransferUnderWay& one) noexcept;
  int stage(Slot& slot);
  int finish(TransferUnderWay& one);
  bool put_to_all(std::span<const SendReceivePair> exposures) noexcept;
  int start_late(const Transfer& transfer);
  bool take_what_came(int& error);
  int wait_for_late(Until until);
  int unstage(const Slot& slot);

  shared::Carrier* carrier_ = nullptr;
  std::span<const int> numbers_;
  Slots<std::deque<Slot>> slots_;  // which stay where they are
  Slots<std::deque<shared::Block>> blocks_;
  // Of a round of several pairs: receives that have not come, and what did not go at once.
  std::vector<const SendReceivePair*> to_take_;
  std::vector<TransferUnderWay> late_;
  bool any_staging_ = false;
};

}  // namespace roundelay::mpi
