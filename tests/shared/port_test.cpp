// SPDX-License-Identifier: Apache-2.0
// Messages through shared memory. The ranks are threads here, so that ThreadSanitizer sees what
// they do (shared_tests_threads).
#include "shared/port.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shared/bytes.hpp"
#include "shared/memory.hpp"

namespace roundelay::shared {
namespace {

void finish(Port& port, const std::deque<Bytes>& messages, bool sleeps) {
  progress_until(port, sleeps, [&] {
    return std::ranges::all_of(messages, [](const Bytes& one) { return one.done; });
  });
}

struct Ways {
  std::string name;
  PortSettings settings;
  bool readable = true;

  friend void PrintTo(const Ways& ways, std::ostream* out) { *out << ways.name; }
};

class Ports : public testing::TestWithParam<Ways> {
 protected:
  static Memory memory(int ranks) {
    Memory made(ranks);
    if (!GetParam().readable) made.hide();
    return made;
  }
};

// Every rank sends messages of all kinds of lengths to every other, and to itself.
TEST_P(Ports, CarryWhatIsSent) {
  constexpr int ranks = 4;
  constexpr std::array<std::size_t, 12> sizes{0,    1,     8,     56,    57,    169,
                                              4097, 16384, 16385, 40000, 70000, 300000};
  const Memory memory = Ports::memory(ranks);
  std::atomic<int> wrong{0};
  on_each(ranks, [&](int rank) {
    Port port(memory.view(), rank, GetParam().settings);
    std::deque<Bytes> messages;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      for (int peer = 0; peer < ranks; ++peer) {
        const auto tag = static_cast<Tag>(i % 3);
        Bytes& received = messages.emplace_back(false, peer, tag, sizes[i]);
        received.seen = i % 2 == 1;
        received.grain = 8;
        port.start(received);
        Bytes& sent = messages.emplace_back(true, peer, tag, sizes[i]);
        sent.waits_for_receiver = i % 4 == 0;
        sent.grain = 8;
        fill(sent, rank, peer, static_cast<int>(i));
        port.start(sent);
      }
    }
    finish(port, messages, GetParam().settings.sleeps);
    for (std::size_t i = 0; i < messages.size(); i += 2) {
      const Bytes& received = messages[i];
      Bytes expected(true, rank, 0, received.bytes.size());
      fill(expected, received.peer, rank, static_cast<int>(i / 2 / ranks));
      if (received.failed || expected.bytes != received.bytes || received.left() > 0) ++wrong;
    }
    EXPECT_TRUE(port.idle() || (port.progress(), port.idle()));
  });
  EXPECT_EQ(wrong, 0);
}

// As calls do that are in progress at once: the receiver wants them in another order.
TEST_P(Ports, ReceiveWhatIsWantedInAnyOrder) {
  constexpr std::array<std::size_t, 4> sizes{200000, 3, 5000, 0};
  const Memory memory = Ports::memory(2);
  on_each(2, [&](int rank) {
    Port port(memory.view(), rank, GetParam().settings);
    std::deque<Bytes> messages;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::size_t which = rank == 0 ? i : sizes.size() - 1 - i;
      Bytes& message =
          messages.emplace_back(rank == 0, 1 - rank, static_cast<Tag>(which), sizes[which]);
      if (rank == 0) fill(message, 0, 1, static_cast<int>(which));
      port.start(message);
      if (rank == 1) finish(port, messages, GetParam().settings.sleeps);
    }
    finish(port, messages, GetParam().settings.sleeps);
    for (const Bytes& message : messages) {
      Bytes expected(true, 1, 0, message.bytes.size());
      fill(expected, 0, 1, message.tag);
      EXPECT_EQ(message.bytes, expected.bytes);
    }
  });
}

// A rank that does not receive holds up nobody else, though it gets more than there are cells.
TEST_P(Ports, GoOnWhereOthersDoNotReceive) {
  constexpr std::size_t size = 4 * Layout::cells * Layout::cell_bytes;
  const Memory memory = Ports::memory(4);
  std::atomic<int> others_over{0};
  on_each(4, [&](int rank) {
    Port port(memory.view(), rank, GetParam().settings);
    std::deque<Bytes> messages;
    if (rank == 0) {
      for (int peer = 1; peer < 4; ++peer) {
        fill(messages.emplace_back(true, peer, 7, size), 0, peer, 0);
        port.start(messages.back());
      }
    } else {
      if (rank == 1) {
        while (others_over < 2) std::this_thread::yield();
      }
      port.start(messages.emplace_back(false, 0, 7, size));
    }
    finish(port, messages, GetParam().settings.sleeps);
    if (rank == 0) return;
    ++others_over;
    Bytes expected(true, rank, 0, size);
    fill(expected, 0, rank, 0);
    EXPECT_EQ(messages.front().bytes, expected.bytes);
  });
}

// The readers of a block come at different times; one of them does not come before the others have
// all of it, though it is more than there are cells.
TEST_P(Ports, ExposeBlocksToManyReaders) {
  constexpr std::array<std::size_t, 5> sizes{8, 57, 16385, 100000,
                                             4 * Layout::cells * Layout::cell_bytes};
  for (const std::size_t size : sizes) {
    const Memory memory = Ports::memory(4);
    std::atomic<int> others_over{0};
    on_each(4, [&](int rank) {
      Port port(memory.view(), rank, GetParam().settings);
      std::deque<Bytes> messages;
      Block block;
      block.begin(3);
      if (rank == 0) {
        for (int peer = 1; peer < 4; ++peer) {
          Bytes& exposed = messages.emplace_back(true, peer, 7, size);
          exposed.block = &block;
          exposed.grain = 8;
          fill(exposed, 0, 0, 0);
          port.start(exposed);
          if (peer == 1) port.progress();
        }
      } else {
        if (rank == 1) {
          while (others_over < 2) std::this_thread::yield();
        }
        port.start(messages.emplace_back(false, 0, 7, size));
      }
      finish(port, messages, GetParam().settings.sleeps);
      if (rank == 0) {
        EXPECT_TRUE(block.over());
        return;
      }
      ++others_over;
      Bytes expected(true, rank, 0, size);
      fill(expected, 0, 0, 0);
      EXPECT_EQ(messages.front().bytes, expected.bytes);
    });
  }
}

// In a line, and in a cell.
TEST_P(Ports, ExchangeMessagesAtOnce) {
  constexpr int rounds = 2000;
  const Memory memory = Ports::memory(2);
  on_each(2, [&](int rank) {
    Port port(memory.view(), rank, GetParam().settings);
    for (int i = 0; i < rounds; ++i) {
      const auto tag = static_cast<Tag>(i % 100);
      const std::size_t size = i % 2 == 0 ? 1 : 1024;
      std::vector<int> mine(size, i * 2 + rank);
      std::vector<int> theirs(size, -1);
      const std::size_t bytes = size * sizeof(int);
      auto found = Port::Found::nothing;
      const auto any_found = [&] {
        found = port.take(1 - rank, tag, reinterpret_cast<std::byte*>(theirs.data()), bytes);
        return found != Port::Found::nothing;
      };
      ASSERT_TRUE(port.put(1 - rank, tag, reinterpret_cast<std::byte*>(mine.data()), bytes));
      while (!any_found()) {
        if (!GetParam().settings.sleeps) {
          std::this_thread::yield();
        } else if (port.sleep_unless(any_found)) {
          break;
        }
      }
      ASSERT_EQ(found, Port::Found::taken);
      ASSERT_EQ(theirs, std::vector<int>(size, i * 2 + 1 - rank));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Manners, Ports,
    testing::Values(
        Ways{"spinning", {}}, Ways{"sleeping", {.sleeps = true}},
        Ways{"in_place", {.sleeps = false, .in_place_from = {5000, 5000}}},
        Ways{"sleeping_in_place", {.sleeps = true, .in_place_from = {20000, 16385}}},
        Ways{"unreadable", {.sleeps = false, .in_place_from = {5000, 5000}}, false},
        Ways{"sleeping_unreadable", {.sleeps = true, .in_place_from = {20000, 16385}}, false}),
    [](const testing::TestParamInfo<Ways>& way) { return way.param.name; });

// One rank that plays both sides, so that nothing happens but what is said.
class TwoPorts : public testing::Test {
 protected:
  Memory memory_{2};
  Port left_{memory_.view(), 0, {}};
  Port right_{memory_.view(), 1, {}};
};

TEST_F(TwoPorts, LinesOfOthersAreNotTakenAsAShortMessage) {
  std::byte one{1};
  EXPECT_EQ(right_.take(0, 5, &one, 1), Port::Found::nothing);
  ASSERT_TRUE(left_.put(1, 5, &one, 1));
  EXPECT_EQ(right_.take(0, 6, &one, 1), Port::Found::otherwise);
  EXPECT_EQ(right_.take(0, 5, &one, 0), Port::Found::otherwise);
  EXPECT_EQ(right_.take(0, 5, &one, 1), Port::Found::taken);
}

// Whether it comes by start() or by put(), and is taken by the other way.
TEST_F(TwoPorts, ShortMessagesGoInLinesAlone) {
  for (const std::size_t size : {57U, 112U, 113U, 168U}) {
    Bytes sent(true, 1, 1, size);
    fill(sent, 0, 1, static_cast<int>(size));
    Bytes received(false, 0, 1, size);
    const auto lines = left_.counters().lines;
    ASSERT_TRUE(left_.put(1, 1, sent.bytes.data(), size));
    right_.start(received);
    right_.progress();
    EXPECT_TRUE(received.done);
    EXPECT_EQ(received.bytes, sent.bytes);
    EXPECT_EQ(left_.counters().lines, lines + (size + Line::room - 1) / Line::room);
    left_.start(sent);
    std::vector<std::byte> into(size);
    ASSERT_EQ(right_.take(0, 1, into.data(), size), Port::Found::taken);
    EXPECT_EQ(into, sent.bytes);
  }
  EXPECT_EQ(left_.counters().cells, 0U);
}

// The same of messages that fit into a cell.
TEST_F(TwoPorts, LongerMessagesOfOnePieceGoThroughACell) {
  for (const std::size_t size : {short_bytes + 1, std::size_t{4096}, Layout::cell_bytes}) {
    Bytes sent(true, 1, 1, size);
    fill(sent, 0, 1, static_cast<int>(size));
    Bytes received(false, 0, 1, size);
    const auto before = left_.counters();
    ASSERT_TRUE(left_.put(1, 1, sent.bytes.data(), size));
    right_.start(received);
    right_.progress();
    EXPECT_TRUE(received.done);
    EXPECT_EQ(received.bytes, sent.bytes);
    EXPECT_EQ(left_.counters().lines, before.lines + 1);
    EXPECT_EQ(left_.counters().cells, before.cells + 1);
    EXPECT_EQ(left_.counters().bytes_copied, before.bytes_copied + size);
    left_.start(sent);
    std::vector<std::byte> into(size);
    EXPECT_EQ(right_.take(0, 1, into.data(), size - 1), Port::Found::otherwise);
    ASSERT_EQ(right_.take(0, 1, into.data(), size), Port::Found::taken);
    EXPECT_EQ(into, sent.bytes);
  }
  std::vector<std::byte> longer(Layout::cell_bytes + 1);
  EXPECT_FALSE(left_.put(1, 1, longer.data(), longer.size()));
  left_.read_in_place_from({.one_way = 4096});
  EXPECT_FALSE(left_.put(1, 1, longer.data(), 4096));
  EXPECT_TRUE(left_.put(1, 1, longer.data(), 4095));
}

// One copy for all, and a line for each; all of them or none.
TEST(Ports, PutACopyForAll) {
  constexpr std::size_t size = 300;
  Memory memory(3);
  std::array<Port, 3> ports{Port{memory.view(), 0, {}}, Port{memory.view(), 1, {}},
                            Port{memory.view(), 2, {}}};
  Bytes sent(true, 1, 1, size);
  fill(sent, 0, 1, 0);
  const std::array<int, 2> others{1, 2};
  std::array<std::byte, size> into{};
  const auto take = [&](int rank) {
    return ports.at(static_cast<std::size_t>(rank)).take(0, 1, into.data(), size);
  };
  for (std::size_t time = 0; time < 2 * Layout::cells; ++time) {
    const Port::Counters before = ports[0].counters();
    ASSERT_TRUE(ports[0].put_to_all(others, 1, sent.bytes.data(), size));
    EXPECT_EQ(ports[0].counters().cells, before.cells + 1);
    EXPECT_EQ(ports[0].counters().bytes_copied, before.bytes_copied + size);
    EXPECT_EQ(ports[0].counters().lines, before.lines + 2);
    for (const int rank : others) {
      into.fill(std::byte{});
      ASSERT_EQ(take(rank), Port::Found::taken);
      EXPECT_TRUE(std::ranges::equal(into, sent.bytes));
    }
  }
  std::vector<std::byte> longer(Layout::cell_bytes + 1);
  EXPECT_FALSE(ports[0].put_to_all(others, 1, longer.data(), longer.size()));
  // Rank 2 takes nothing any more: in the end rank 1 is put nothing, either.
  while (ports[0].put_to_all(others, 1, sent.bytes.data(), size)) {
    ASSERT_EQ(take(1), Port::Found::taken);
  }
  EXPECT_EQ(take(1), Port::Found::nothing);
}

TEST_F(TwoPorts, NoMoreCellsThanTheOtherGivesBack) {
  std::vector<std::byte> bytes(4096);
  std::size_t put = 0;
  while (left_.put(1, 1, bytes.data(), bytes.size())) ++put;
  EXPECT_GT(put, 1U);
  EXPECT_LE(put, Layout::cells);
  ASSERT_EQ(right_.take(0, 1, bytes.data(), bytes.size()), Port::Found::taken);
  EXPECT_TRUE(left_.put(1, 1, bytes.data(), bytes.size()));
}

// The rest of its lines may come later.
TEST_F(TwoPorts, WhatHasNotComeAsAWholeIsNotTaken) {
  std::vector<std::byte> bytes(short_bytes);
  while (left_.put(1, 1, bytes.data(), 1)) {
  }
  std::byte one{};
  ASSERT_EQ(right_.take(0, 1, &one, 1), Port::Found::taken);
  EXPECT_FALSE(left_.put(1, 1, bytes.data(), bytes.size()));
  Bytes sent(true, 1, 1, bytes.size());
  left_.start(sent);  // one line is free
  EXPECT_FALSE(sent.done);
  for (std::size_t i = 1; i < memory_.view().lines(); ++i) {
    ASSERT_EQ(right_.take(0, 1, &one, 1), Port::Found::taken);
  }
  EXPECT_EQ(right_.take(0, 1, bytes.data(), bytes.size()), Port::Found::nothing);
  left_.progress();
  EXPECT_TRUE(sent.done);
  EXPECT_EQ(right_.take(0, 1, bytes.data(), bytes.size()), Port::Found::taken);
}

TEST_F(TwoPorts, NoMoreLinesThanTheOtherTakes) {
  std::byte one{1};
  for (std::size_t i = 0; i < memory_.view().lines(); ++i) ASSERT_TRUE(left_.put(1, 1, &one, 1));
  EXPECT_FALSE(left_.put(1, 1, &one, 1));
  EXPECT_EQ(right_.take(0, 1, &one, 1), Port::Found::taken);
  EXPECT_TRUE(left_.put(1, 1, &one, 1));
}

TEST_F(TwoPorts, WhatIsWithdrawnIsNotTouched) {
  Bytes received(false, 0, 1, 4);
  right_.start(received);
  right_.withdraw(received);
  std::byte one{1};
  ASSERT_TRUE(left_.put(1, 1, &one, 1));
  right_.progress();
  EXPECT_FALSE(received.done);
  EXPECT_EQ(received.left(), 4U);
  EXPECT_TRUE(right_.idle());
}

// In parts of a cell; and what follows is not tried any more.
TEST_F(TwoPorts, WhatCannotBeReadInPlaceIsCopied) {
  Port other(memory_.view(), 0, {.sleeps = false, .in_place_from = {100, 100}});
  memory_.hide();
  for (const std::size_t size : {300U, 300U, 40000U}) {
    Bytes sent(true, 1, 1, size);
    fill(sent, 0, 1, 0);
    Bytes received(false, 0, 1, size);
    other.start(sent);
    right_.start(received);
    while (right_.progress() || other.progress()) {
    }
    EXPECT_TRUE(sent.done && received.done);
    EXPECT_FALSE(received.failed);
    EXPECT_EQ(received.bytes, sent.bytes);
    EXPECT_EQ(right_.counters().unreadable, 1U);
  }
  EXPECT_EQ(right_.counters().bytes_in_place, 0U);
  EXPECT_EQ(other.counters().cells, 1U + 1 + 3);
}

// A receive that comes later gets what was put aside.
TEST_F(TwoPorts, WhatCannotBeReadInPlaceIsPutAside) {
  Port other(memory_.view(), 0, {.sleeps = false, .in_place_from = {100, 100}});
  memory_.hide();
  constexpr std::size_t size = 40000;
  std::deque<Bytes> sent;
  std::deque<Bytes> received;
  for (const Tag tag : {1U, 2U}) {
    fill(sent.emplace_back(true, 1, tag, size), 0, 1, static_cast<int>(tag));
    received.emplace_back(false, 0, tag, size);
    other.start(sent.back());
  }
  right_.start(received[1]);
  while (right_.progress() || other.progress()) {
  }
  EXPECT_TRUE(received[1].done);
  right_.start(received[0]);
  EXPECT_TRUE(received[0].done);
  for (const std::size_t i : {0U, 1U}) EXPECT_EQ(received[i].bytes, sent[i].bytes);
}

// All cells hold what others do not receive.
TEST(Ports, CopyWhatCannotBeReadInPlaceWithoutAFreeCell) {
  const Memory memory(2 + static_cast<int>(Layout::cells));
  memory.hide();
  Port sender(memory.view(), 0, {.sleeps = false, .in_place_from = {1000, 1000}});
  Port receiver(memory.view(), 1, {});
  std::deque<Bytes> others;
  for (int peer = 2; peer < memory.view().ranks(); ++peer) {
    sender.start(others.emplace_back(true, peer, 1, 999));
  }
  EXPECT_EQ(sender.counters().cells, Layout::cells);
  Bytes sent(true, 1, 1, 1000);
  fill(sent, 0, 1, 0);
  Bytes received(false, 0, 1, 1000);
  received.grain = 8;
  sender.start(sent);
  receiver.start(received);
  while (receiver.progress() || sender.progress()) {
  }
  EXPECT_TRUE(sent.done && received.done);
  EXPECT_EQ(received.bytes, sent.bytes);
  EXPECT_EQ(sender.counters().cells, Layout::cells);
}

TEST_F(TwoPorts, WhatIsWithdrawnBeforeItIsCopiedFails) {
  Port other(memory_.view(), 0, {.sleeps = false, .in_place_from = {100, 100}});
  memory_.hide();
  Bytes sent(true, 1, 1, 300);
  Bytes next(true, 1, 2, 8);
  Bytes received(false, 0, 1, 300);
  other.start(sent);
  right_.start(received);
  other.withdraw(sent);
  next.waits_for_receiver = true;
  other.start(next);
  while (right_.progress() || other.progress()) {
  }
  EXPECT_TRUE(received.done);
  EXPECT_TRUE(received.failed);
}

// What may be faster depends on whether the sender receives, too.
TEST_F(TwoPorts, ReadInPlaceByWhatTheSenderDoes) {
  constexpr std::size_t size = 1000;
  const auto is_read = [&](bool receives) {
    Bytes received(false, 1, 2, size);
    if (receives) left_.start(received);
    Bytes sent(true, 1, 1, size);
    left_.start(sent);
    Bytes arrived(false, 0, 1, size);
    right_.start(arrived);
    const auto before = right_.counters().bytes_in_place;
    right_.progress();
    left_.progress();
    EXPECT_TRUE(arrived.done && sent.done);
    if (receives) left_.withdraw(received);
    return right_.counters().bytes_in_place > before;
  };
  left_.read_in_place_from({.one_way = size + 1, .both_ways = size});
  EXPECT_FALSE(is_read(false));
  EXPECT_TRUE(is_read(true));
  left_.read_in_place_from({.one_way = size, .both_ways = size + 1});
  EXPECT_TRUE(is_read(false));
  EXPECT_FALSE(is_read(true));
}

TEST_F(TwoPorts, CountWhatTheyMove) {
  Bytes sent(true, 1, 1, 2 * Layout::cell_bytes);
  Bytes received(false, 0, 1, 2 * Layout::cell_bytes);
  left_.start(sent);
  right_.start(received);
  right_.progress();
  EXPECT_EQ(left_.counters().lines, 2U);
  EXPECT_EQ(left_.counters().cells, 2U);
  EXPECT_EQ(left_.counters().bytes_copied, 2 * Layout::cell_bytes);
  EXPECT_EQ(right_.counters().bytes_copied, 2 * Layout::cell_bytes);
}

// As many cells as the block needs, however many read it; and all of them are free again.
TEST_F(TwoPorts, FillCellsOfABlockOnce) {
  constexpr std::size_t size = 2 * Layout::cell_bytes;
  for (unsigned time = 1; time <= 20; ++time) {
    Block block;
    block.begin(3);
    std::array<Bytes, 2> exposed{Bytes(true, 1, 0, size), Bytes(true, 1, 0, size)};
    std::array<Bytes, 2> taken{Bytes(false, 0, 0, size), Bytes(false, 0, 0, size)};
    for (Bytes& one : exposed) {
      one.block = &block;
      left_.start(one);
    }
    left_.leave_out_one(block);
    EXPECT_TRUE(block.over());
    for (Bytes& one : taken) right_.start(one);
    right_.progress();
    EXPECT_TRUE(taken[0].done && taken[1].done);
    EXPECT_EQ(left_.counters().cells, 2U * time);
    EXPECT_EQ(left_.counters().lines, 4U * time);
  }
}

// Cells take a block that several read as a whole, or it is read where it is.
TEST_F(TwoPorts, FillCellsOfABlockOrReadIt) {
  left_.read_in_place_from({.one_way = Layout::cell_bytes});
  const auto bytes_read = [&](std::size_t readers, std::size_t size) {
    Block block;
    block.begin(readers);
    std::vector<Bytes> exposed(readers, Bytes(true, 1, 0, size));
    std::vector<Bytes> taken(readers, Bytes(false, 0, 0, size));
    for (Bytes& one : exposed) {
      fill(one, 0, 1, 7);
      one.block = &block;
      left_.start(one);
    }
    for (Bytes& one : taken) right_.start(one);
    const auto before = right_.counters().bytes_in_place;
    while (!right_.idle() || !left_.idle()) {
      right_.progress();
      left_.progress();
    }
    for (const Bytes& one : taken) EXPECT_EQ(one.bytes, exposed.front().bytes);
    return right_.counters().bytes_in_place - before;
  };
  constexpr std::size_t most = most_shared_in_cells;
  for (int time = 0; time < 20; ++time) {
    EXPECT_EQ(bytes_read(1, most), most);
    EXPECT_EQ(bytes_read(3, most), 0U);
    EXPECT_EQ(bytes_read(3, most + 1), 3 * (most + 1));
  }
}

TEST_F(TwoPorts, GiveBackTheCellsOfABlockThatIsWithdrawn) {
  constexpr std::size_t size = 8 * Layout::cell_bytes;
  for (unsigned time = 0; time < 20; ++time) {
    Block block;
    block.begin(2);
    Bytes exposed(true, 1, 0, size);
    Bytes taken(false, 0, 0, size);
    exposed.block = &block;
    left_.start(exposed);
    right_.start(taken);
    while (!taken.done) {
      right_.progress();
      left_.progress();
    }
    left_.withdraw(block);
    EXPECT_TRUE(block.over());
  }
}

// docs/explanation/shared-memory.md says so.
TEST(Layout, OfManyRanksIsSmall) {
  EXPECT_EQ(Layout(128).area_bytes(), 339968U);
  EXPECT_EQ(Layout(2).area_bytes(), 274432U);
  EXPECT_EQ(Layout(16).area_bytes(), 331776U);
  EXPECT_EQ(Layout(1000).lines(), 8U);
}

TEST(Head, IsOneWord) {
  const Head head{.sequence = 0xfedcba98,
                  .tag = 0x7fff,
                  .kind = Head::Kind::in_place,
                  .last = true,
                  .length = 56};
  const Head again = Head::of(head.word());
  EXPECT_EQ(again.sequence, head.sequence);
  EXPECT_EQ(again.tag, head.tag);
  EXPECT_EQ(again.kind, head.kind);
  EXPECT_EQ(again.last, head.last);
  EXPECT_EQ(again.length, head.length);
}

}  // namespace
}  // namespace roundelay::shared
