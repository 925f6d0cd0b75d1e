// SPDX-License-Identifier: Apache-2.0
// One rank's end of the shared memory of its node: messages to and from the other ranks there.
//
// A message goes as pieces, each with a line of the pair of ranks: what is short in lines alone,
// more in cells of the sender, which the receiver gives back as it takes them; or the receiver
// reads them where they are. If the system does not let it, the sender copies them for it, and uses
// cells for this receiver from then on. Which receive a line is for is said in Receives; while none
// is under way, lines stay where they are.
//
// Sends of one block have its cells in common: a cell is filled when the first of them comes to it,
// and free again when all its readers have taken it. Where one of them does not come for long, the
// others go on in cells of their own.
//
// A message takes no more of the cells that are free than it leaves to others. Where none is free
// for long, it goes on in lines. So each pair of ranks goes on whatever others wait for.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shared/block.hpp"
#include "shared/carrier.hpp"
#include "shared/cells.hpp"
#include "shared/layout.hpp"
#include "shared/message.hpp"
#include "shared/pairs.hpp"
#include "shared/queue.hpp"
#include "shared/reading.hpp"
#include "shared/receives.hpp"

namespace roundelay::shared {

inline constexpr std::size_t never = ~std::size_t{0};

// A block that several ranks read goes through cells up to so many bytes: it is copied once for all
// of them, and its rank need not wait for them. The other half of the cells is for what comes next.
inline constexpr std::size_t most_shared_in_cells = Layout::cells / 2 * Layout::cell_bytes;

// From so many bytes in a row on, the receiver reads them where they are.
struct InPlaceFrom {
  std::size_t one_way = never;    // while the sender receives nothing itself
  std::size_t both_ways = never;  // while it does
};

// What all ranks of the node agree on.
struct PortSettings {
  bool sleeps = false;  // some rank may sleep while it waits
  InPlaceFrom in_place_from{};
};

class Port final : public Carrier {
 public:
  Port(View view, int rank, PortSettings settings);

  // As in PortSettings; only while nothing is under way.
  void read_in_place_from(InPlaceFrom bytes) noexcept { settings_.in_place_from = bytes; }

  void start(Message& message) override;
  bool progress() override;
  void withdraw(Message& message) noexcept override;
  [[nodiscard]] bool shares_blocks() const noexcept override { return true; }
  void leave_out_one(Block& block) noexcept override;
  void withdraw(Block& block) noexcept override;
  bool put(int to, Tag tag, const std::byte* data, std::size_t bytes) noexcept override;
  [[gnu::noinline]] bool put_to_all(std::span<const int> to, Tag tag, const std::byte* data,
                                    std::size_t bytes) noexcept override;
  Found take(int from, Tag tag, std::byte* into, std::size_t room) noexcept override;
  [[nodiscard]] bool idle() const noexcept override { return pairs_.active().empty(); }

  // Counted since the beginning.
  struct Counters {
    std::uint64_t lines = 0;           // written
    std::uint64_t taken = 0;           // lines of others
    std::uint64_t cells = 0;           // filled
    std::uint64_t bytes_copied = 0;    // into lines and cells, and out of them
    std::uint64_t bytes_in_place = 0;  // read from other ranks
    std::uint64_t unreadable = 0;      // pieces that could not all be read there
  };
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

 private:
  static constexpr std::uint32_t sleeps_for_lines = 1;
  static constexpr std::uint32_t sleeps_for_takings = 2;
  static constexpr int many_idle_polls = 1024;

  // Of the next line, whose bytes cannot be read where they are: they are asked for.
  struct Asking {
    bool active = false;
    bool aside = false;            // no receive was under way for them
    bool failed = false;           // the sender has withdrawn them
    std::size_t got = 0;           // bytes
    std::vector<std::byte> bytes;  // of what is put aside
  };

  // What there is between this rank and another one.
  struct Pair {
    std::uint32_t sent = 0;      // lines
    std::uint32_t taken = 0;     // of them by the other rank, as far as this one knows
    std::uint32_t received = 0;  // lines that this rank has taken
    std::size_t cells = 0;       // in lines that have not been taken
    std::array<std::int8_t, Layout::most_lines> cell_of_line{};
    Queue<Message*> to_write;           // sends, in order
    std::vector<Message*> to_be_taken;  // written sends that wait for the receiver
    Receives receives;
    bool readable = true;        // as far as this rank knows, by the other one, where it is
    std::uint32_t asks = 0;      // of this rank
    std::uint32_t answered = 0;  // of the other one's
    Asking asking;

    [[nodiscard]] bool idle() const noexcept {
      return to_write.empty() && to_be_taken.empty() && receives.idle();
    }
  };

  [[nodiscard]] bool any_sends() const noexcept;
  [[nodiscard]] bool any_receives() const noexcept;
  [[nodiscard, gnu::noinline]] bool is_read_in_place(const Pair& with,
                                                     std::size_t bytes) const noexcept;
  // Until another rank rings.
  std::uint32_t prepare_to_sleep() noexcept override;
  void sleep(std::uint32_t heard, long at_most) noexcept override;
  void finish_sleep() noexcept override;
  template <typename Number>
  void publish(std::atomic<Number>& word, Number value, int to, std::uint32_t rung_from) noexcept;

  bool progress(int peer);
  void write_lines(int peer);
  bool write_piece(int peer, Message& message);
  std::optional<Elsewhere> in_a_cell(const Pair& with, Message& message, std::size_t left,
                                     bool readable);
  [[nodiscard]] bool lines_are_free(int peer, std::size_t lines) noexcept;
  void write_line(int peer, Head head, int cell) noexcept;
  void look_what_was_taken(int peer) noexcept;
  void look_what_was_taken() noexcept;
  std::optional<Elsewhere> new_cell(const Pair& with, std::size_t bytes,
                                    std::size_t readers) noexcept;
  void answer(int peer) noexcept;
  void give_lines_back(int peer, std::size_t lines) noexcept;
  void take_lines(int peer);
  void deliver(int peer, const Line& line, Head head, Message& message);
  void put_aside(int peer, const Line& line, Head head);
  bool take_in_place(int peer, Head head, Message* message);
  void read_in_place(int peer, Elsewhere piece, Message* message);
  void take_part(int peer, Elsewhere part, const std::byte* few, Message* message);
  void ask(int peer, const Message* message) noexcept;
  [[nodiscard]] pid_t process_of(int peer) const noexcept {
    return static_cast<pid_t>(view_.bell(peer).process);
  }

  View view_;
  int rank_;
  PortSettings settings_;
  Pairs<Pair> pairs_;
  Cells cells_;
  Reader reader_;
  int idle_polls_ = 0;  // so many times progress() moved nothing, or many_idle_polls
  Counters counters_;
};

}  // namespace roundelay::shared
