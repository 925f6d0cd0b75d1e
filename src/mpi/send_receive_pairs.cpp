// SPDX-License-Identifier: Apache-2.0
#include "mpi/send_receive_pairs.hpp"

#include <algorithm>

namespace roundelay::mpi {

bool SendReceivePairs::add(const Round& round, bool deferred, const Memory& memory) {
  const std::array<Side, 2> before = sides_;
  for (const Transfer* transfer : round.transfers) {
    if ((transfer->due != this_round) != deferred || !may_add(*transfer, memory)) {
      go_back_to(before);
      return false;
    }
    if (transfer->happens()) add(*transfer);
  }
  return true;
}

std::span<const SendReceivePair> SendReceivePairs::all() {
  if (pairs_.empty()) pairs_.emplace_back();
  for (SendReceivePair& pair : std::span(pairs_).first(pairs_.size() - 1)) pair.goes_on = true;
  return pairs_;
}

bool SendReceivePairs::may_add(const Transfer& transfer, const Memory& memory) const noexcept {
  const Side& side = sides_[transfer.sends() ? 1 : 0];
  const auto peer = static_cast<std::size_t>(transfer.peer);
  return side.count < SendReceivePair::most_at_once && is_short(transfer, memory) &&
         peer < most_ranks && !side.peers[peer];
}

void SendReceivePairs::add(const Transfer& transfer) {
  Side& side = sides_[transfer.sends() ? 1 : 0];
  if (side.count == pairs_.size()) pairs_.emplace_back();
  pairs_[side.count++].add(transfer);
  side.peers.set(static_cast<std::size_t>(transfer.peer));
}

void SendReceivePairs::go_back_to(const std::array<Side, 2>& sides) noexcept {
  sides_ = sides;
  const auto& [receives, sends] = sides_;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (i >= receives.count) pairs_[i].from = SendReceivePair::nobody;
    if (i >= sends.count) pairs_[i].to = SendReceivePair::nobody;
  }
  pairs_.resize(std::max(receives.count, sends.count));
}

}  // namespace roundelay::mpi
