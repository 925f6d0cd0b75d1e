// SPDX-License-Identifier: Apache-2.0
#include "mpi/beats.hpp"

#include <algorithm>

namespace roundelay::mpi {

bool Beats::add(const Round& round, bool deferred, const Memory& memory) {
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

std::span<const Beat> Beats::all() {
  if (beats_.empty()) beats_.emplace_back();
  for (Beat& beat : std::span(beats_).first(beats_.size() - 1)) beat.goes_on = true;
  return beats_;
}

bool Beats::may_add(const Transfer& transfer, const Memory& memory) const noexcept {
  const Side& side = sides_[transfer.sends() ? 1 : 0];
  const auto peer = static_cast<std::size_t>(transfer.peer);
  return side.count < Beat::most_at_once && is_short(transfer, memory) && peer < most_ranks &&
         !side.peers[peer];
}

void Beats::add(const Transfer& transfer) {
  Side& side = sides_[transfer.sends() ? 1 : 0];
  if (side.count == beats_.size()) beats_.emplace_back();
  beats_[side.count++].add(transfer);
  side.peers.set(static_cast<std::size_t>(transfer.peer));
}

void Beats::go_back_to(const std::array<Side, 2>& sides) noexcept {
  sides_ = sides;
  const auto& [receives, sends] = sides_;
  for (std::size_t i = 0; i < beats_.size(); ++i) {
    if (i >= receives.count) beats_[i].from = Beat::nobody;
    if (i >= sends.count) beats_[i].to = Beat::nobody;
  }
  beats_.resize(std::max(receives.count, sends.count));
}

}  // namespace roundelay::mpi
