// SPDX-License-Identifier: Apache-2.0
// Messages by puts, over a network that writes the bytes of a put bit by bit, and puts in any
// order.
#include "shared/put_port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "shared/bytes.hpp"

namespace roundelay::shared {
namespace {

struct alignas(cache_line) Block {
  std::array<std::byte, cache_line> bytes{};
};

// All ranks, in one thread.
class Network {
 public:
  Network(int ranks, unsigned seed) : layout_(ranks), random_(seed) {
    for (int rank = 0; rank < ranks; ++rank) {
      areas_.emplace_back(blocks());
      outboxes_.emplace_back(blocks());
      wires_.push_back(std::make_unique<OneWire>(*this, rank));
      ports_.push_back(std::make_unique<PutPort>(layout_, first(areas_.back()),
                                                 first(outboxes_.back()), rank, *wires_.back()));
    }
  }

  [[nodiscard]] PutPort& port(int rank) { return *ports_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const PutLayout& layout() const { return layout_; }
  // Nothing of what is started from now on can be put.
  void fail() { fails_ = true; }

  // Writes a few bytes of something.
  void move() {
    if (under_way_.empty()) return;
    const std::size_t which = random_() % under_way_.size();
    Put& put = under_way_[which];
    // Numbers do not overtake each other.
    if (put.is_number) {
      const auto same_way = std::ranges::find_if(under_way_, [&](const Put& other) {
        return other.is_number && other.from == put.from && other.to == put.to;
      });
      write_number(*same_way);
      under_way_.erase(same_way);
      return;
    }
    // From the end or from the beginning.
    const std::size_t some = std::min<std::size_t>(put.bytes.size(), 1 + random_() % 3000);
    const std::size_t skipped = random_() % 2 == 0 ? 0 : put.bytes.size() - some;
    std::byte* const there = first(areas_[static_cast<std::size_t>(put.to)]);
    std::memcpy(there + put.offset + skipped, put.bytes.data() + skipped, some);
    if (skipped == 0) {
      put.bytes = put.bytes.subspan(some);
      put.offset += some;
    } else {
      put.bytes = put.bytes.first(skipped);
    }
    if (put.bytes.empty())
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
  }

 private:
  struct Put {
    int from;
    int to;
    std::size_t ticket;
    std::size_t offset;
    std::span<const std::byte> bytes;
    bool is_number;
  };

  class OneWire final : public Wire {
   public:
    OneWire(Network& network, int rank) : network_(network), rank_(rank) {}
    bool put(int to, std::size_t offset, std::span<const std::byte> bytes,
             std::size_t ticket) noexcept override {
      return network_.begin({rank_, to, ticket, offset, bytes, false});
    }
    bool tell(int to, std::size_t offset, const std::uint64_t& number,
              std::size_t ticket) noexcept override {
      return network_.begin(
          {rank_, to, ticket, offset, std::as_bytes(std::span(&number, 1)), true});
    }
    [[nodiscard]] bool is_free(int to, std::size_t ticket) const noexcept override {
      return std::ranges::none_of(network_.under_way_, [&](const Put& put) {
        return put.from == rank_ && put.to == to && put.ticket == ticket;
      });
    }
    void progress() noexcept override { network_.move(); }

   private:
    Network& network_;
    int rank_;
  };

  using Blocks = std::vector<Block>;
  [[nodiscard]] Blocks blocks() const { return Blocks(layout_.area_bytes() / sizeof(Block) + 1); }
  static std::byte* first(Blocks& blocks) { return blocks.front().bytes.data(); }
  bool begin(const Put& put) {
    EXPECT_TRUE(wires_[static_cast<std::size_t>(put.from)]->is_free(put.to, put.ticket));
    if (!fails_) under_way_.push_back(put);
    return !fails_;
  }
  void write_number(const Put& put) {
    std::byte* const there = first(areas_[static_cast<std::size_t>(put.to)]);
    std::memcpy(there + put.offset, put.bytes.data(), put.bytes.size());
  }

  PutLayout layout_;
  std::mt19937 random_;
  std::deque<Blocks> areas_;
  std::deque<Blocks> outboxes_;
  std::deque<Put> under_way_;
  bool fails_ = false;
  std::vector<std::unique_ptr<OneWire>> wires_;
  std::vector<std::unique_ptr<PutPort>> ports_;
};

bool all_done(const std::deque<Bytes>& messages) {
  return std::ranges::all_of(messages, [](const Bytes& one) { return one.done; });
}

class PutPorts : public testing::TestWithParam<unsigned> {};

// Every rank sends messages of all kinds of lengths to every other, and to itself.
TEST_P(PutPorts, CarryWhatIsSent) {
  constexpr int ranks = 3;
  constexpr std::array<std::size_t, 9> sizes{0, 1, 8, 57, 16384, 16385, 40000, 70000, 300000};
  Network network(ranks, GetParam());
  std::array<std::deque<Bytes>, ranks> messages;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (int rank = 0; rank < ranks; ++rank) {
      auto& own = messages[static_cast<std::size_t>(rank)];
      for (int peer = 0; peer < ranks; ++peer) {
        const auto tag = static_cast<Tag>(i % 3);
        Bytes& received = own.emplace_back(false, peer, tag, sizes[i]);
        network.port(rank).start(received);
        Bytes& sent = own.emplace_back(true, peer, tag, sizes[i]);
        sent.waits_for_receiver = i % 2 == 0;
        sent.grain = 8;
        fill(sent, rank, peer, static_cast<int>(i));
        network.port(rank).start(sent);
      }
    }
  }
  while (!std::ranges::all_of(messages, all_done)) {
    for (int rank = 0; rank < ranks; ++rank) network.port(rank).progress();
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const auto& own = messages[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < own.size(); i += 2) {
      Bytes expected(true, rank, 0, own[i].bytes.size());
      fill(expected, own[i].peer, rank, static_cast<int>(i / 2 / ranks));
      EXPECT_EQ(own[i].bytes, expected.bytes);
      EXPECT_EQ(own[i].left(), 0U);
      EXPECT_FALSE(own[i].failed);
    }
    EXPECT_TRUE(network.port(rank).idle() ||
                (network.port(rank).progress(), network.port(rank).idle()));
    EXPECT_FALSE(network.port(rank).spoiled());
  }
}

// As calls do that are in progress at once: the receiver wants them in another order.
TEST_P(PutPorts, ReceiveWhatIsWantedInAnyOrder) {
  constexpr std::array<std::size_t, 4> sizes{50000, 3, 5000, 0};
  Network network(2, GetParam());
  std::deque<Bytes> sent;
  std::deque<Bytes> received;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    fill(sent.emplace_back(true, 1, static_cast<Tag>(i), sizes[i]), 0, 1, static_cast<int>(i));
    network.port(0).start(sent.back());
  }
  for (std::size_t i = sizes.size(); i-- > 0;) {
    received.emplace_back(false, 0, static_cast<Tag>(i), sizes[i]);
    network.port(1).start(received.back());
    while (!received.back().done) {
      network.port(0).progress();
      network.port(1).progress();
    }
    EXPECT_EQ(received.back().bytes, sent[i].bytes);
  }
}

TEST_P(PutPorts, ExchangeShortMessagesInOnePiece) {
  Network network(2, GetParam());
  for (int i = 0; i < 500; ++i) {
    const auto tag = static_cast<Tag>(i % 100);
    for (int rank = 0; rank < 2; ++rank) {
      const int mine = i * 2 + rank;
      while (!network.port(rank).put(1 - rank, tag, reinterpret_cast<const std::byte*>(&mine),
                                     sizeof mine)) {
        network.port(rank).progress();
      }
    }
    for (int rank = 0; rank < 2; ++rank) {
      int theirs = -1;
      auto found = Carrier::Found::nothing;
      while (found == Carrier::Found::nothing) {
        network.port(rank).progress();
        found = network.port(rank).take(1 - rank, tag, reinterpret_cast<std::byte*>(&theirs),
                                        sizeof theirs);
      }
      ASSERT_EQ(found, Carrier::Found::taken);
      ASSERT_EQ(theirs, i * 2 + 1 - rank);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, PutPorts, testing::Values(1U, 2U, 3U, 4U, 5U));

// One rank sends to another, and nothing happens but what is said.
class PutPair : public testing::Test {
 protected:
  void settle() {
    for (int i = 0; i < 1000; ++i) network_.move();
  }
  Network network_{2, 1};
  PutPort& left_ = network_.port(0);
  PutPort& right_ = network_.port(1);
};

TEST_F(PutPair, WhatIsForOthersIsNotTakenAsAShortMessage) {
  std::byte one{1};
  EXPECT_EQ(right_.take(0, 5, &one, 1), Carrier::Found::nothing);
  ASSERT_TRUE(left_.put(1, 5, &one, 1));
  settle();
  EXPECT_EQ(right_.take(0, 6, &one, 1), Carrier::Found::otherwise);
  EXPECT_EQ(right_.take(0, 5, &one, 0), Carrier::Found::otherwise);
  EXPECT_EQ(right_.take(0, 5, &one, 1), Carrier::Found::taken);
}

TEST_F(PutPair, NoMorePiecesThanThereAreSlots) {
  std::byte one{1};
  for (std::size_t i = 0; i < PutLayout::slots; ++i) ASSERT_TRUE(left_.put(1, 1, &one, 1));
  EXPECT_FALSE(left_.put(1, 1, &one, 1));
  settle();
  for (std::size_t i = 0; i < PutLayout::slots / 2; ++i) {
    EXPECT_FALSE(left_.put(1, 1, &one, 1));
    ASSERT_EQ(right_.take(0, 1, &one, 1), Carrier::Found::taken);
  }
  settle();
  EXPECT_TRUE(left_.put(1, 1, &one, 1));
}

TEST_F(PutPair, ASendThatWaitsIsDoneWhenItIsTaken) {
  Bytes sent(true, 1, 1, 4);
  sent.waits_for_receiver = true;
  left_.start(sent);
  settle();
  left_.progress();
  EXPECT_FALSE(sent.done);
  Bytes received(false, 0, 1, 4);
  right_.start(received);
  right_.progress();
  settle();
  left_.progress();
  EXPECT_TRUE(sent.done);
}

TEST_F(PutPair, WhatIsWithdrawnIsNotTouched) {
  Bytes received(false, 0, 1, 4);
  right_.start(received);
  right_.withdraw(received);
  std::byte one{1};
  ASSERT_TRUE(left_.put(1, 1, &one, 1));
  settle();
  right_.progress();
  EXPECT_FALSE(received.done);
  EXPECT_EQ(received.left(), 4U);
  EXPECT_TRUE(right_.idle());
  EXPECT_TRUE(right_.spoiled());
}

TEST_F(PutPair, WhatCannotBePutFails) {
  network_.fail();
  std::byte one{1};
  EXPECT_FALSE(left_.put(1, 1, &one, 1));
  Bytes sent(true, 1, 1, 4);
  left_.start(sent);
  EXPECT_TRUE(sent.done);
  EXPECT_TRUE(sent.failed);
}

TEST_F(PutPair, CountWhatTheyMove) {
  const std::size_t size = 8 * network_.layout().room();
  Bytes sent(true, 1, 1, size);
  Bytes received(false, 0, 1, size);
  left_.start(sent);
  right_.start(received);
  settle();
  right_.progress();
  EXPECT_EQ(left_.counters().puts, 8U);
  EXPECT_EQ(left_.counters().bytes, size);
  EXPECT_EQ(right_.counters().bytes, size);
  EXPECT_EQ(right_.counters().numbers, 2U);
}

TEST(PieceHead, HasACheckOfAllThatItSaysAndOfAllBytes) {
  std::array<std::byte, 77> bytes{};
  const PieceHead head{.sequence = 1, .length = bytes.size(), .tag = 3};
  const std::uint64_t check = check_of(head, bytes);
  PieceHead other = head;
  EXPECT_NE(check_of(other = {.sequence = 2, .length = bytes.size(), .tag = 3}, bytes), check);
  EXPECT_NE(check_of(other = {.sequence = 1, .length = bytes.size(), .tag = 4}, bytes), check);
  EXPECT_NE(check_of(other = {.sequence = 1, .length = bytes.size(), .tag = 3, .last = 1}, bytes),
            check);
  for (std::byte& byte : bytes) {
    byte = std::byte{1};
    EXPECT_NE(check_of(head, bytes), check);
    byte = std::byte{0};
  }
  EXPECT_EQ(check_of(head, bytes), check);
}

// docs/explanation/put.md says so.
TEST(PutLayout, OfManyRanksIsSmall) {
  EXPECT_EQ(PutLayout(8).room(), 16384U);
  EXPECT_EQ(PutLayout(128).room(), 1024U);
  EXPECT_LT(PutLayout(512).area_bytes(), std::size_t{1400} << 10);
}

}  // namespace
}  // namespace roundelay::shared
