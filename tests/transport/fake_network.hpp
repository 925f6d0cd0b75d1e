// SPDX-License-Identifier: Apache-2.0
// A network within one process, on which things happen in the order that an adversary likes.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "mpi/transport.hpp"

namespace roundelay::mpi {

// What happens next, of all that may.
enum class Adversary : std::uint8_t {
  random,
  oldest_first,
  newest_first,
  sends_first,    // sends are over before anybody receives, receives late
  receives_first  // sends are over only when nothing else can happen
};

using Value = std::uint64_t;

class FakeNetwork {
 public:
  FakeNetwork(int p, Adversary adversary, std::uint32_t seed)
      : ranks_(static_cast<std::size_t>(p)), adversary_(adversary), random_(seed) {}

  // The memory of one rank.
  [[nodiscard]] std::vector<Value>& memory(int rank, Space space) {
    return ranks_[static_cast<std::size_t>(rank)].spaces[static_cast<std::size_t>(space)];
  }
  // Lets one thing happen. Returns the rank that it happened to, or -1 if nothing can happen.
  int happen();
  [[nodiscard]] bool is_idle(int rank) const {
    return ranks_[static_cast<std::size_t>(rank)].open.empty();
  }

  std::function<Value(Value lower, Value higher)> combine;
  // Before the next one fails: so many starts and steps of any rank. Negative: none fails.
  int good = -1;
  // What the one that fails returns; 0: it throws std::bad_alloc.
  int failure = 0;
  // Combines that went with a receive.
  int carried = 0;

 private:
  friend class FakeTransport;

  struct Side {
    TransferUnderWay* transfer;  // null when it is done
    std::vector<Slice> slices;
    bool sends;
    Discipline discipline;
    int rank;
    Slice combined;           // what is combined with what is received
    std::vector<Value> data;  // of a send
    Side* match = nullptr;
    bool taken = false;  // what is sent has left its memory
    bool ready = false;  // wait() may say that it is done
  };
  struct Rank {
    std::array<std::vector<Value>, 3> spaces;
    std::vector<Side*> open;  // not done
  };
  using Line = std::tuple<int, int, Channel>;  // sender, receiver
  using Queue = std::deque<Side*>;

  int failure_now();
  void match(Side& side, const Line& line);
  [[nodiscard]] static bool can_happen(const Side& side);
  Side* chosen();
  void take(Side& send);

  std::vector<Rank> ranks_;
  Adversary adversary_;
  std::mt19937 random_;
  std::deque<Side> all_;
  std::vector<Side*> to_happen_;  // not ready, in the order in which they were started
  std::map<Line, Queue> sends_;   // without a match
  std::map<Line, Queue> receives_;
};

// Checks that nothing that is under way is touched, and throws std::logic_error if it is.
class FakeTransport final : public Transport {
 public:
  FakeTransport(FakeNetwork& network, int rank) : network_(network), rank_(rank) {}

  int start(TransferUnderWay& one, Channel channel, Discipline discipline) override;
  // Never blocks: where it would have to wait it marks nothing.
  int wait(std::span<TransferUnderWay* const> some, Until until) override;
  int step(const LocalStep& step, Channel channel) override;
  void abandon() noexcept override;

 private:
  using Side = FakeNetwork::Side;

  void require_untouched(Slice slice, bool writes) const;
  [[nodiscard]] Value* at(Slice slice) {
    return network_.memory(rank_, slice.space()).data() + slice.offset();
  }
  [[nodiscard]] FakeNetwork::Rank& mine() const {
    return network_.ranks_[static_cast<std::size_t>(rank_)];
  }

  FakeNetwork& network_;
  int rank_;
};

}  // namespace roundelay::mpi
