// SPDX-License-Identifier: Apache-2.0
#include "mpi/beats.hpp"

#include <algorithm>

namespace roundelay::mpi {

bool Beats::add(const Round& round, bool deferred, const Memory& memory, std::size_t most) {
  const auto before = counts_;
  for (const Transfer* transfer : round.transfers) {
    if ((transfer->due != this_round) != deferred || !may_add(*transfer, memory, most)) {
      drop_beyond(before);
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

bool Beats::may_add(const Transfer& transfer, const Memory& memory,
                    std::size_t most) const noexcept {
  if (counts_[transfer.sends() ? sends : 0] == most || transfer.data.size() > 1 ||
      transfer.data.length() * memory.type.size > short_message) {
    return false;
  }
  const auto is_from_it = [&](const Beat& beat) { return beat.from == transfer.peer; };
  return transfer.sends() || std::ranges::none_of(beats_, is_from_it);
}

void Beats::add(const Transfer& transfer) {
  std::size_t& count = counts_[transfer.sends() ? sends : 0];
  if (count == beats_.size()) beats_.emplace_back();
  Beat& beat = beats_[count++];
  const Slice data = transfer.data.empty() ? Slice() : *transfer.data.begin();
  if (transfer.sends()) {
    beat.to = transfer.peer;
    beat.sent = data;
    beat.exposed = transfer.exposed();
  } else {
    beat.from = transfer.peer;
    beat.received = data;
  }
}

void Beats::drop_beyond(std::array<std::size_t, 2> counts) noexcept {
  for (std::size_t i = 0; i < beats_.size(); ++i) {
    if (i >= counts[0]) beats_[i].from = Beat::nobody;
    if (i >= counts[sends]) beats_[i].to = Beat::nobody;
  }
  beats_.resize(std::max(counts[0], counts[sends]));
  counts_ = counts;
}

}  // namespace roundelay::mpi
