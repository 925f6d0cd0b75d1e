// SPDX-License-Identifier: Apache-2.0
// A round in which messages carry blocks along the edges of a graph, some of them for other ranks.
#pragma once

#include <deque>
#include <vector>

#include "algorithms/parts/parcels.hpp"
#include "algorithms/parts/passing.hpp"

namespace roundelay {

// Blocks that travel together; where a rank sends the same to all, once that of each sender.
class ParcelMessage {
 public:
  explicit ParcelMessage(bool alike) : alike_(alike) {}

  [[nodiscard]] bool has_of(int sender) const noexcept { return alike_ && sender == sender_; }
  // Where that block is: `place`, unless it is in the message before.
  Slice add(int sender, Slice place) {
    if (has_of(sender)) return last_;
    sender_ = sender;
    last_ = place;
    slices_.add(place, room_);
    return place;
  }
  [[nodiscard]] const Slices& slices() const noexcept { return slices_; }

 private:
  bool alike_;
  int sender_ = -1;
  Slice last_;
  Slices slices_;
  SliceRoom room_;
};

// The messages of a round, and the copies after them.
class ParcelRound {
 public:
  explicit ParcelRound(bool alike) : alike_(alike) {}

  ParcelMessage& next() { return messages_.emplace_back(alike_); }
  void add_send(const ParcelMessage& message, int to) {
    if (!message.slices().empty()) all.add(send(message.slices(), to));
  }
  void add_recv(const ParcelMessage& message, int from) {
    if (!message.slices().empty()) all.add(recv(message.slices(), from));
  }
  void add_copy(Slice from, Slice into) {
    if (from != into && !into.empty()) all.add(copy(from, into));
  }

  RoundList all;

 private:
  bool alike_;
  std::deque<ParcelMessage> messages_;
};

// A parcel that a rank passes on, and where it lies there.
struct Passing {
  Parcel parcel;
  Slice place;
};

// Where a rank has its blocks, and puts what it is sent.
class Places {
 public:
  explicit Places(const Problem& x)
      : rank_(x.group.rank), graph_(*x.graph), sent_(x), blocks_(x.blocks), room_(x) {}

  // What the rank itself sends along an edge.
  [[nodiscard]] Slice own(const Parcel& parcel) const { return sent_.along(parcel.block); }
  [[nodiscard]] ParcelRound begin_round() const { return ParcelRound(sent_.alike()); }

  // What is for this rank, to where it shall be.
  Slice put(ParcelRound& round, ParcelMessage& coming, const Parcel& parcel) const {
    const Slice block = blocks_[parcel.block];
    const Slice place = coming.add(parcel.from, block);
    round.add_copy(place, block);
    return block;
  }
  // What is for others, to where it waits.
  Slice wait(ParcelMessage& coming, const Parcel& parcel) {
    return coming.add(parcel.from, coming.has_of(parcel.from) ? Slice() : room_.next());
  }
  Slice take(ParcelRound& round, ParcelMessage& coming, const Parcel& parcel) {
    return parcel.to == rank_ ? put(round, coming, parcel) : wait(coming, parcel);
  }
  // What the rank has for itself.
  void keep_own(ParcelRound& round) const {
    const auto is_own = [this](int peer) { return peer == rank_; };
    const std::vector<Parcel> given = parcels_to(is_own, graph_, {&rank_, 1});
    auto parcel = given.begin();
    for (const Parcel& into : parcels_from(is_own, graph_, {&rank_, 1})) {
      round.add_copy(own(*parcel++), blocks_[into.block]);
    }
  }

 private:
  int rank_;
  const Graph& graph_;
  Sent sent_;
  Blocks blocks_;
  WaitingRoom room_;
};

}  // namespace roundelay
