// SPDX-License-Identifier: Apache-2.0
#include "mpi/message_transport.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

// Several slices up to this many bytes are copied together. As a derived type they take longer:
// allgather.bruck of 8 MiB among 8 ranks of a node 1.6 times with Open MPI, 10 times with MPICH.
constexpr std::int64_t worth_copying = std::int64_t{32} << 20;
// Above this a message is described by a derived type, because its count may not fit an int.
constexpr std::int64_t largest_plain = std::int64_t{1} << 30;

std::int64_t bytes_of(const Transfer& transfer, const Datatype& type) noexcept {
  return transfer.data.length() * std::max(type.size, std::int64_t{1});
}

}  // namespace

int MessageTransport::start(TransferUnderWay& one, Channel channel, Discipline discipline) {
  one.slot = slots_.take();
  Slot& slot = slots_[one.slot];
  const Transfer& transfer = one.transfer;
  slot.sends = transfer.sends();
  slot.channel = channel;
  slot.staged = false;
  const Memory& memory = this->memory(channel);
  const auto slices = transfer.data.view();
  if (slices.empty()) return begin({}, transfer, slot, discipline);
  const std::int64_t bytes = bytes_of(transfer, memory.type);
  if (slices.size() == 1 && bytes <= largest_plain) {
    return begin(
        {memory.at(slices.front()), static_cast<int>(slices.front().length()), memory.type.handle},
        transfer, slot, discipline);
  }
  // Elements with gaps always, if an int counts them: Open MPI 4.1.4 was seen to send wrong data of
  // a hindexed type of complex numbers with gaps.
  const bool copied = memory.type.contiguous
                          ? bytes <= worth_copying
                          : transfer.data.length() <= std::numeric_limits<int>::max();
  slot.staged = slices.size() > 1 && copied;
  return slot.staged ? begin_staged(transfer, slot, discipline)
                     : begin_in_place(transfer, slot, discipline);
}

int MessageTransport::begin(const Elements& message, const Transfer& transfer, Slot& slot,
                            Discipline discipline) {
  const Peer other = peer(transfer.peer, slot.channel);
  if (!slot.sends) return begin_receive(message, other, slot.request);
  const SendMode mode =
      discipline == Discipline::paced ? SendMode::synchronous : SendMode::standard;
  return begin_send(message, other, mode, slot.request);
}

// The MPI library gathers the slices as it sends, or counts what an int cannot.
int MessageTransport::begin_in_place(const Transfer& transfer, Slot& slot, Discipline discipline) {
  const Memory& memory = this->memory(slot.channel);
  std::vector<int> counts;
  std::vector<MPI_Aint> addresses;
  for (const Slice slice : transfer.data) {
    for (Units done = 0; done < slice.length(); done += largest_plain) {
      const Units count = std::min(largest_plain, slice.length() - done);
      counts.push_back(static_cast<int>(count));
      PMPI_Get_address(memory.at(slice.part(done, count)), &addresses.emplace_back());
    }
  }
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  int error = PMPI_Type_create_hindexed(static_cast<int>(counts.size()), counts.data(),
                                        addresses.data(), memory.type.handle, &whole);
  if (error == MPI_SUCCESS) error = PMPI_Type_commit(&whole);
  if (error == MPI_SUCCESS) error = begin({MPI_BOTTOM, 1, whole}, transfer, slot, discipline);
  if (whole != MPI_DATATYPE_NULL) PMPI_Type_free(&whole);
  return error;
}

// One copy through memory of ours. Elements stay what they are, gaps included: MPICH 4.0.2 does not
// receive long messages of packed elements into elements of MPI_DOUBLE_INT.
int MessageTransport::begin_staged(const Transfer& transfer, Slot& slot, Discipline discipline) {
  const Memory& memory = this->memory(slot.channel);
  const Units count = transfer.data.length();
  const std::int64_t bytes = memory.type.span(count);
  any_staging_ = true;
  std::byte* const first = slot.staging.get(bytes, scratch()) - memory.type.lowest(count);
  if (slot.sends) {
    std::byte* to = first;
    for (const Slice slice : transfer.data) {
      const int error = copy_elements(to, memory.at(slice), slice.length(), memory.type);
      if (error != MPI_SUCCESS) return error;
      to += slice.length() * memory.type.extent;
    }
  }
  return begin({first, static_cast<int>(count), memory.type.handle}, transfer, slot, discipline);
}

int MessageTransport::wait(std::span<TransferUnderWay* const> some, Until until) {
  static_assert(most_waited <= most_waited_for);
  std::array<MPI_Request, most_waited> requests;
  for (std::size_t i = 0; i < some.size(); ++i) requests[i] = slots_[some[i]->slot].request;
  const std::span<MPI_Request> all(requests.data(), some.size());
  std::array<int, most_waited> completed;
  std::size_t done = some.size();
  int error = MPI_SUCCESS;
  if (until == Until::all) {
    error = wait_all(all);
  } else {
    error = until == Until::one ? wait_some(all, completed, done) : test_some(all, completed, done);
  }
  // Also after an error: who failed is no longer under way.
  for (std::size_t i = 0; i < some.size(); ++i) slots_[some[i]->slot].request = requests[i];
  for (std::size_t i = 0; error == MPI_SUCCESS && i < done; ++i) {
    error = finish(*some[until == Until::all ? i : static_cast<std::size_t>(completed[i])]);
  }
  return error;
}

int MessageTransport::finish(TransferUnderWay& one) {
  const Slot& slot = slots_[one.slot];
  slots_.give_back(std::exchange(one.slot, TransferUnderWay::nowhere));
  one.done = true;
  if (slot.sends) return MPI_SUCCESS;
  if (slot.staged) {
    if (const int error = scatter_staged(one.transfer, slot); error != MPI_SUCCESS) return error;
  }
  return one.combine.has_value() ? step(*one.combine, slot.channel) : MPI_SUCCESS;
}

int MessageTransport::scatter_staged(const Transfer& transfer, const Slot& slot) {
  const Memory& memory = this->memory(slot.channel);
  const std::byte* from = slot.staging.memory() - memory.type.lowest(transfer.data.length());
  for (const Slice slice : transfer.data) {
    const int error = copy_elements(memory.at(slice), from, slice.length(), memory.type);
    if (error != MPI_SUCCESS) return error;
    from += slice.length() * memory.type.extent;
  }
  return MPI_SUCCESS;
}

void MessageTransport::abandon() noexcept {
  if (short_receive_ != MPI_REQUEST_NULL) cancel_receive(short_receive_);
  for (Slot& slot : slots_.all()) {
    if (slot.request != MPI_REQUEST_NULL && !slot.sends) cancel_receive(slot.request);
  }
  slots_.give_all_back();
}

bool MessageTransport::all_is_over() noexcept {
  const auto is_over = [](MPI_Request& request) {
    int done = 1;
    // Who fails is over, too.
    if (request != MPI_REQUEST_NULL) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0 || request == MPI_REQUEST_NULL;
  };
  return is_over(short_send_) &&
         std::ranges::all_of(slots_.all(), [&](Slot& slot) { return is_over(slot.request); });
}

void MessageTransport::forget_staging() noexcept {
  if (!std::exchange(any_staging_, false)) return;
  for (Slot& slot : slots_.all()) slot.staging.forget();
}

}  // namespace roundelay::mpi
