// SPDX-License-Identifier: Apache-2.0
#include "fake_network.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

namespace roundelay::mpi {

namespace {

// In memory that is received into, until it is.
constexpr Value nobody_knows = 0xdeadbeefdeadbeef;

}  // namespace

int FakeNetwork::happen() {
  Side* side = chosen();
  if (side == nullptr) return -1;
  if (side->sends && !side->taken) {
    take(*side);
    // It may be over at once, or only later.
    if (adversary_ == Adversary::receives_first) return side->rank;
    if (adversary_ == Adversary::random && random_() % 2 == 0) return side->rank;
  }
  if (!side->sends && side->transfer != nullptr) {
    auto from = side->match->data.begin();
    for (const Slice slice : side->slices) {
      std::copy_n(from, slice.length(), memory(side->rank, slice.space()).begin() + slice.offset());
      from += slice.length();
    }
  }
  side->ready = true;
  std::erase(to_happen_, side);
  return side->rank;
}

FakeNetwork::Side* FakeNetwork::chosen() {
  std::vector<Side*> possible;
  std::ranges::copy_if(to_happen_, std::back_inserter(possible),
                       [](const Side* side) { return can_happen(*side); });
  if (possible.empty()) return nullptr;
  const auto preferred = [&](bool sends) {
    const auto found =
        std::ranges::find_if(possible, [=](const Side* side) { return side->sends == sends; });
    return found != possible.end() ? *found : possible.front();
  };
  switch (adversary_) {
    case Adversary::random: return possible[random_() % possible.size()];
    case Adversary::oldest_first: return possible.front();
    case Adversary::newest_first: return possible.back();
    case Adversary::sends_first: return preferred(true);
    case Adversary::receives_first: return preferred(false);
  }
  return nullptr;
}

bool FakeNetwork::can_happen(const Side& side) {
  if (!side.sends) return side.match != nullptr && side.match->taken;
  return side.match != nullptr || side.discipline == Discipline::early;
}

void FakeNetwork::take(Side& send) {
  for (const Slice slice : send.slices) {
    const auto from = memory(send.rank, slice.space()).begin() + slice.offset();
    send.data.insert(send.data.end(), from, from + slice.length());
  }
  send.taken = true;
}

int FakeNetwork::failure_now() {
  if (good < 0) return 0;
  --good;
  if (good >= 0) return 0;
  if (failure == 0) throw std::bad_alloc();
  return failure;
}

void FakeNetwork::match(Side& side, const Line& line) {
  Queue& others = side.sends ? receives_[line] : sends_[line];
  if (others.empty()) {
    (side.sends ? sends_ : receives_)[line].push_back(&side);
    return;
  }
  side.match = others.front();
  side.match->match = &side;
  others.pop_front();
  const auto length = [](const Side& of) {
    Units units = 0;
    for (const Slice slice : of.slices) units += slice.length();
    return units;
  };
  if (length(side) != length(*side.match)) {
    throw std::logic_error("a message is not as long as its receiver expects");
  }
}

int FakeTransport::start(TransferUnderWay& one, Channel channel, Discipline discipline) {
  if (const int error = network_.failure_now(); error != 0) return error;
  const Transfer& transfer = one.transfer;
  for (const Slice slice : transfer.data) require_untouched(slice, !transfer.sends());
  const Slice combined = one.combine.has_value() ? one.combine->into : Slice();
  require_untouched(combined, true);
  one.done = false;
  one.slot = static_cast<std::uint32_t>(network_.all_.size());
  Side& side = network_.all_.emplace_back(Side{&one,
                                               {transfer.data.begin(), transfer.data.end()},
                                               transfer.sends(),
                                               discipline,
                                               rank_,
                                               combined,
                                               {}});
  mine().open.push_back(&side);
  network_.to_happen_.push_back(&side);
  if (!side.sends) {
    for (const Slice slice : side.slices) std::fill_n(at(slice), slice.length(), nobody_knows);
  }
  const int from = side.sends ? rank_ : transfer.peer;
  const int to = side.sends ? transfer.peer : rank_;
  network_.match(side, {from, to, channel});
  return 0;
}

int FakeTransport::wait(std::span<TransferUnderWay* const> some, Until until) {
  if (some.empty() || some.size() > most_waited) throw std::logic_error("waits for too many");
  std::vector<Side*> ready;
  for (const TransferUnderWay* one : some) {
    Side& side = network_.all_.at(one->slot);
    if (side.transfer != one) throw std::logic_error("waits for what is not under way");
    if (side.ready) ready.push_back(&side);
  }
  if (until == Until::all && ready.size() < some.size()) return 0;
  if (until == Until::one && ready.size() > 1) ready.erase(ready.begin(), ready.end() - 1);
  for (Side* side : ready) {
    TransferUnderWay& one = *std::exchange(side->transfer, nullptr);
    one.done = true;
    std::erase(mine().open, side);
    if (!one.combine.has_value()) continue;
    ++network_.carried;
    if (const int error = step(*one.combine, Channel::first); error != 0) return error;
    std::fill_n(at(one.combine->from), one.combine->from.length(), nobody_knows);
  }
  return 0;
}

int FakeTransport::step(const LocalStep& step, Channel /*channel*/) {
  if (const int error = network_.failure_now(); error != 0) return error;
  require_untouched(step.from, false);
  require_untouched(step.into, true);
  Value* into = at(step.into);
  const Value* from = at(step.from);
  for (Units i = 0; i < step.from.length(); ++i) {
    into[i] = step.kind == LocalStep::Kind::copy ? from[i] : network_.combine(from[i], into[i]);
  }
  return 0;
}

void FakeTransport::abandon() noexcept {
  for (Side* side : mine().open) side->transfer = nullptr;
  mine().open.clear();
}

void FakeTransport::require_untouched(Slice slice, bool writes) const {
  for (const Side* side : mine().open) {
    if (side->combined.overlaps(slice)) throw std::logic_error("what is combined is touched");
    if (side->sends && !writes) continue;
    for (const Slice used : side->slices) {
      if (used.overlaps(slice)) throw std::logic_error("memory that is under way is touched");
    }
  }
}

}  // namespace roundelay::mpi
