// SPDX-License-Identifier: Apache-2.0
// The short messages of a round, or of several rounds that nobody waits for in between, as pairs of
// one that is sent and one that is received.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "mpi/memory.hpp"
#include "schedule/round.hpp"

namespace roundelay::mpi {

// At most one message each way, each of one slice, of a round of short messages, and its local
// steps. A round of several messages has several pairs, the last of which has the steps.
struct SendReceivePair {
  static constexpr int nobody = -1;
  // Of one round.
  static constexpr std::size_t most_at_once = 64;

  bool goes_on = false;  // the next one is of the same round
  bool exposed = false;  // what is sent may be what others are sent, too
  int to = nobody;
  int from = nobody;
  Slice sent;
  Slice received;
  std::size_t steps = 0;  // the end of its own among all steps of the recording

  // A transfer that happens, of at most one slice.
  void add(const Transfer& transfer) noexcept {
    const Slice data = transfer.data.empty() ? Slice() : *transfer.data.begin();
    if (transfer.sends()) {
      to = transfer.peer;
      sent = data;
      exposed = transfer.exposed();
    } else {
      from = transfer.peer;
      received = data;
    }
  }
};

inline bool is_short(const Transfer& transfer, const Memory& memory) noexcept {
  return transfer.data.size() <= 1 && transfer.data.length() * memory.type.size <= short_message;
}

// Whether the round has at most one message each way, short and not deferred: `pair` then.
inline bool is_one_pair(const Round& round, const Memory& memory, SendReceivePair& pair) noexcept {
  pair = {};
  for (const Transfer* transfer : round.transfers) {
    const bool is_first = (transfer->sends() ? pair.to : pair.from) == SendReceivePair::nobody;
    if (transfer->due != this_round || !is_first || !is_short(*transfer, memory)) return false;
    if (transfer->happens()) pair.add(*transfer);
  }
  return true;
}

class SendReceivePairs {
 public:
  void clear() noexcept {
    pairs_.clear();
    sides_ = {};
  }
  // Adds the transfers of the round if all are short, and either all deferred or none of them, and
  // if there are not too many each way then, each with another rank. Returns whether it did.
  bool add(const Round& round, bool deferred, const Memory& memory);
  // At least one pair. All but the last go on.
  [[nodiscard]] std::span<const SendReceivePair> all();

 private:
  static constexpr std::size_t most_ranks = 512;
  // The receives or the sends.
  struct Side {
    std::size_t count = 0;
    std::bitset<most_ranks> peers;
  };

  bool may_add(const Transfer& transfer, const Memory& memory) const noexcept;
  void add(const Transfer& transfer);
  void go_back_to(const std::array<Side, 2>& sides) noexcept;

  std::vector<SendReceivePair> pairs_;
  std::array<Side, 2> sides_;  // receives, sends
};

}  // namespace roundelay::mpi
