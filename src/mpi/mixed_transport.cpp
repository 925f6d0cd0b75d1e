// SPDX-License-Identifier: Apache-2.0
#include "mpi/mixed_transport.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

// Some of what is waited for.
class Part {
 public:
  void add(TransferUnderWay* one) noexcept { all_[count_++] = one; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  // Marks those that are done, forgets them and adds their number to `done`. Returns an error code.
  int look(Transport& transport, std::size_t& done) {
    if (empty()) return MPI_SUCCESS;
    const int error = transport.wait({all_.data(), count_}, Until::now);
    const auto end =
        std::remove_if(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count_),
                       [](const TransferUnderWay* one) { return one->done; });
    const auto left = static_cast<std::size_t>(end - all_.begin());
    done += count_ - left;
    count_ = left;
    return error;
  }

 private:
  std::array<TransferUnderWay*, Transport::most_waited> all_;
  std::size_t count_ = 0;
};

}  // namespace

int MixedTransport::start(TransferUnderWay& one, Channel channel, Discipline discipline) {
  if (in_memory(one.transfer.peer)) return shared_.start(one, channel, discipline);
  if (memory_ != nullptr && one.first_of_block != nullptr) shared_.leave_out(one);
  return away().start(one, channel, discipline);
}

int MixedTransport::wait(std::span<TransferUnderWay* const> some, Until until) {
  if (memory_ == nullptr) return away().wait(some, until);
  if (memory_->reaches_all()) return shared_.wait(some, until);
  Part in_memory_part;
  Part away_part;
  for (TransferUnderWay* one : some) {
    (in_memory(one->transfer.peer) ? in_memory_part : away_part).add(one);
  }
  if (in_memory_part.empty() && memory_->port().idle()) return away().wait(some, until);
  std::size_t done = 0;
  int error = MPI_SUCCESS;
  const auto enough = [&] {
    while (memory_->port().progress()) {  // also if nothing there is waited for
    }
    if (window_ != nullptr) window_->port().progress();
    error = in_memory_part.look(shared_, done);
    if (error == MPI_SUCCESS) error = away_part.look(away(), done);
    return error != MPI_SUCCESS || until == Until::now ||
           done >= (until == Until::one ? std::min<std::size_t>(1, some.size()) : some.size());
  };
  FailedPolls looks;
  while (!enough()) {
    if (looks.one_more(comm_)) {
      // Nobody rings when something comes from another node.
      if (memory_->port().sleep_unless(enough, shared::Carrier::short_sleep)) break;
    }
  }
  return error;
}

void MixedTransport::abandon() noexcept {
  messages_.abandon();
  shared_.abandon();
  put_.abandon();
}

// An exchange in one way looks nowhere else, so nothing else may be under way there.
int MixedTransport::exchange_by_any(const SendReceivePair& pair) {
  const auto is_here = [this](int peer) {
    return peer == SendReceivePair::nobody || in_memory(peer);
  };
  const bool window_is_idle = window_ == nullptr || window_->port().idle();
  if (is_here(pair.to) && is_here(pair.from) && window_is_idle) return shared_.exchange(pair);
  const auto is_away = [this](int peer) {
    return peer == SendReceivePair::nobody || !in_memory(peer);
  };
  if (is_away(pair.to) && is_away(pair.from) && (memory_ == nullptr || memory_->port().idle())) {
    return window_ != nullptr ? put_.exchange(pair) : messages_.exchange(pair);
  }
  return exchange_by_transfers(*this, pair, false);
}

int MixedTransport::start_side(const Transfer& transfer, ShortRoundUnderWay& under_way) {
  TransferUnderWay& side = under_way.sides[under_way.count];
  under_way.not_done[under_way.count++] = &side;
  side = {};
  side.transfer = always(transfer);
  return start(side, Channel::first, Discipline::early);
}

int MixedTransport::begin(const SendReceivePair& pair, ShortRoundUnderWay& under_way) {
  under_way.begun = true;
  const auto by_messages = [this](int peer) { return window_ == nullptr && !in_memory(peer); };
  int error = MPI_SUCCESS;
  if (pair.from != SendReceivePair::nobody) {
    if (by_messages(pair.from)) {
      under_way.messages = true;
      error = messages_.begin_to_receive(pair);
    } else if (in_memory(pair.from) && shared_.may_take()) {
      under_way.looks = true;
    } else {
      error = start_side(recv(pair.received, pair.from), under_way);
    }
  }
  if (error != MPI_SUCCESS || pair.to == SendReceivePair::nobody) return error;
  if (by_messages(pair.to)) {
    under_way.messages = true;
    return messages_.begin_to_send(pair);
  }
  if (in_memory(pair.to) && shared_.put(pair)) return MPI_SUCCESS;
  return start_side(send(pair.sent, pair.to), under_way);
}

int MixedTransport::look(const SendReceivePair& pair, ShortRoundUnderWay& under_way) {
  if (under_way.messages) {
    bool over = false;
    const int error = messages_.look(over);
    under_way.messages = !over;
    if (error != MPI_SUCCESS) return error;
  }
  return under_way.looks || under_way.count > 0 ? look_in_memory(pair, under_way)
                                                : static_cast<int>(MPI_SUCCESS);
}

int MixedTransport::look_in_memory(const SendReceivePair& pair, ShortRoundUnderWay& under_way) {
  int error = MPI_SUCCESS;
  if (under_way.looks) {
    const shared::Carrier::Found found = shared_.take(pair);
    under_way.looks = found == shared::Carrier::Found::nothing;
    if (found == shared::Carrier::Found::otherwise) {
      error = start_side(recv(pair.received, pair.from), under_way);
    }
  }
  if (error != MPI_SUCCESS || under_way.count == 0) return error;
  const std::span some(under_way.not_done.data(), under_way.count);
  error = wait(some, Until::now);
  const auto done = std::ranges::remove_if(some, &TransferUnderWay::done);
  under_way.count -= done.size();
  return error;
}

}  // namespace roundelay::mpi
