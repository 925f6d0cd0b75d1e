// SPDX-License-Identifier: Apache-2.0
// One rank's end of memory that the ranks write for each other from afar: messages by puts, where
// no receive is posted and nothing is matched by the network.
//
// A message goes as pieces, each of them one put into the next of a few slots that the receiver has
// for this sender. The receiver looks at its own memory. A network may write the bytes of a put in
// any order, and puts in any order; so a piece has a number and a check of all its bytes. What has
// the next number and fits the check is the next piece, however much of the put is still to come.
// A flag in a put of its own would have to wait until the bytes are there, for a round trip.
//
// The receiver tells the sender how many pieces it has taken: each time that these are half of the
// slots, and at once if the sender waits for it. Which receive a piece is for is said in Receives.
//
// A send is done when its last piece is handed over: what is under way is a copy, which goes on in
// whatever call of the MPI library comes next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "shared/carrier.hpp"
#include "shared/message.hpp"
#include "shared/pairs.hpp"
#include "shared/put_layout.hpp"
#include "shared/receives.hpp"

namespace roundelay::shared {

// What puts bytes into the area of another rank.
class Wire {
 public:
  // Of what is under way to a rank: for pieces, and for numbers.
  static constexpr std::size_t tickets = 2 * PutLayout::slots;

  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  // Both start to write at that offset of the area of `to`, and return whether they could. What is
  // written has to stay as it is until the ticket is free again. Numbers for one place arrive in
  // order, each as a whole.
  virtual bool put(int to, std::size_t offset, std::span<const std::byte> bytes,
                   std::size_t ticket) noexcept = 0;
  virtual bool tell(int to, std::size_t offset, const std::uint64_t& number,
                    std::size_t ticket) noexcept = 0;
  // Nothing of this ticket is under way to that rank.
  [[nodiscard]] virtual bool is_free(int to, std::size_t ticket) const noexcept = 0;
  // Goes on with what is under way, to this rank and from it.
  virtual void progress() noexcept = 0;
};

class PutPort final : public Carrier {
 public:
  // `area`: this rank's own, all zero before any rank makes its port. `outbox`: of the same size.
  // Both are aligned to 16 and must outlive the port, as must the wire.
  PutPort(PutLayout layout, std::byte* area, std::byte* outbox, int rank, Wire& wire);

  void start(Message& message) override;
  bool progress() override;
  void withdraw(Message& message) noexcept override;
  bool put(int to, Tag tag, const std::byte* data, std::size_t bytes) noexcept override;
  Found take(int from, Tag tag, std::byte* into, std::size_t room) noexcept override;
  [[nodiscard]] bool idle() const noexcept override { return pairs_.active().empty(); }

  // Some message was withdrawn: pieces of it may be anywhere.
  [[nodiscard]] bool spoiled() const noexcept { return spoiled_; }

  // Counted since the beginning.
  struct Counters {
    std::uint64_t puts = 0;     // of pieces
    std::uint64_t numbers = 0;  // told
    std::uint64_t bytes = 0;    // of messages, sent and received
  };
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

 private:
  // What there is between this rank and another one.
  struct Pair {
    std::uint32_t sent = 0;         // pieces
    std::uint32_t taken = 0;        // of them by the other rank, as far as this one knows
    std::uint32_t received = 0;     // pieces that this rank has taken
    std::uint32_t told = 0;         // of them, as the other rank was told
    bool broken = false;            // nothing can be put there any more
    std::deque<Message*> to_write;  // sends, in order
    struct Written {
      Message* message;
      std::uint32_t last_piece;
    };
    std::vector<Written> to_be_taken;  // written sends that wait for the receiver
    Receives receives;
    std::array<std::uint64_t, PutLayout::slots> numbers{};  // that are told
    std::size_t tellings = 0;

    [[nodiscard]] bool idle() const noexcept {
      return to_write.empty() && to_be_taken.empty() && receives.idle();
    }
  };

  void progress(int peer);
  void write_pieces(int peer);
  bool write_piece(int peer, PieceHead head) noexcept;
  [[nodiscard]] bool slot_is_free(int peer) noexcept;
  [[nodiscard]] std::byte* next_in_outbox(int peer) noexcept;
  void look_what_was_taken(int peer) noexcept;
  void break_off(int peer) noexcept;
  [[nodiscard]] const PieceHead* arrived(int from) noexcept;
  void take_pieces(int peer);
  void give_back(int peer, const PieceHead& head) noexcept;
  // Nobody wakes this rank.
  std::uint32_t prepare_to_sleep() noexcept override { return 0; }
  void sleep(std::uint32_t heard, long at_most) noexcept override;
  void finish_sleep() noexcept override {}

  PutLayout layout_;
  std::byte* area_;
  std::byte* outbox_;
  int rank_;
  Wire& wire_;
  Pairs<Pair> pairs_;
  std::uint64_t moves_ = 0;  // pieces sent and taken, and news of what was taken
  bool spoiled_ = false;
  Counters counters_;
};

}  // namespace roundelay::shared
