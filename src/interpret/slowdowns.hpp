// SPDX-License-Identifier: Apache-2.0
// How much longer the messages of a call take than one to the next rank that has the network alone.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "interpret/critical_path.hpp"
#include "interpret/taper.hpp"
#include "interpret/timeline.hpp"
#include "interpret/torus.hpp"

namespace roundelay::interpret {

// By the taper of a network, or over the links of a torus if it is known and has a place for each
// rank.
class Slowdowns {
 public:
  Slowdowns(const Call& call, const Link& link);

  struct Message {
    int from;
    int to;
    double units;
    double left;  // when
  };
  [[nodiscard]] bool on_torus() const noexcept { return on_torus_; }
  // Those that leave at the same time share the links that they pass. The times are those of a run
  // in which nothing but start-ups takes time, in whose order next() is asked.
  void share_links(const std::vector<Message>& messages);

  // Of the next message, which leaves in this round of its sender.
  [[nodiscard]] Slowdown next(int from, int to, int round);
  // Of those of a round of one rank, as if all ranks sent as far and received from as far: calls
  // `use` with each transfer and its slowdown.
  template <typename Use>
  void for_each_alone(int rank, int number, const Round& round, const Use& use) {
    const std::array shares{share_alone(rank, round, false), share_alone(rank, round, true)};
    for (const Transfer* transfer : round.transfers) {
      if (!transfer->happens()) continue;
      Slowdown slowdown{.byte = taper_.factor(rank, transfer->peer, number)};
      if (on_torus_) {
        const std::size_t sends = transfer->sends() ? 1 : 0;
        slowdown = {shares[sends], hop_ * (shift(distance(rank, *transfer)).hops - 1)};
      }
      use(*transfer, slowdown);
    }
  }

 private:
  // Of the bytes of what a rank sends in a round, or receives.
  [[nodiscard]] double share_alone(int rank, const Round& round, bool sends);
  // From its sender to its receiver.
  [[nodiscard]] int distance(int rank, const Transfer& transfer) const {
    return ((transfer.sends() ? transfer.peer - rank : rank - transfer.peer) + ranks_) % ranks_;
  }
  // All ranks send so far on.
  struct Shift {
    std::vector<double> passing;  // the busiest link of each direction, so many messages
    double hops = 0;              // the mean
  };
  [[nodiscard]] const Shift& shift(int distance);
  // Of messages that leave at the same time, by their index.
  void share_at_once(const std::vector<Message>& messages, std::span<const std::size_t> some);

  int ranks_;
  Torus torus_;
  double hop_;
  bool on_torus_;
  Taper taper_;
  std::vector<Slowdown> slowdowns_;  // of the messages in that order
  std::size_t next_ = 0;
  std::map<int, Shift> shifts_;
};

}  // namespace roundelay::interpret
