// SPDX-License-Identifier: Apache-2.0
#include "interpret/passing.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "algorithms/parts/passing.hpp"
#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

namespace {

// Runs a schedule on numbers: a unit is one.
class Numbers {
 public:
  Numbers(const std::vector<Problem>& problems, std::vector<std::vector<Units>> given)
      : memory_(problems.size()),
        lockstep_(*this, static_cast<int>(problems.size()), [&problems](int rank) {
          const Problem& x = problems[static_cast<std::size_t>(rank)];
          return x.choice->schedule(of_lengths(x, 1));
        }) {
    for (std::size_t rank = 0; rank < given.size(); ++rank) {
      memory_[rank][static_cast<std::size_t>(Space::input)] = std::move(given[rank]);
    }
  }

  std::vector<std::vector<Units>> left_in_scratch() {
    lockstep_.run();
    lockstep_.require_end();
    std::vector<std::vector<Units>> left;
    for (Memory& memory : memory_) {
      left.push_back(std::move(memory[static_cast<std::size_t>(Space::scratch)]));
    }
    return left;
  }

  // What Lockstep calls.

  void posted(int /*rank*/, int /*round*/, const Round& /*posted*/) {}
  void matched(const Posted& send, const Posted& receive) {
    std::vector<Units> message;
    for (const Slice slice : send.transfer->data) read(send.rank, slice, message);
    auto next = message.begin();
    for (const Slice slice : receive.transfer->data) next = write(receive.rank, slice, next);
    lockstep_.complete(send, receive);
  }
  void arrived(int rank, int /*round*/, const Round& arrived) {
    for (const LocalStep* step : arrived.steps) {
      std::vector<Units> copied;
      read(rank, step->from, copied);
      write(rank, step->into, copied.begin());
    }
    lockstep_.ready(rank);
  }
  void landed(int /*rank*/, const Transfer& /*deferred*/) {}

 private:
  using Memory = std::array<std::vector<Units>, 3>;  // by space

  std::vector<Units>& of(int rank, Slice slice) {
    std::vector<Units>& space =
        memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(slice.space())];
    space.resize(std::max(space.size(), static_cast<std::size_t>(slice.end())));
    return space;
  }
  void read(int rank, Slice slice, std::vector<Units>& into) {
    const auto first = of(rank, slice).begin() + slice.offset();
    into.insert(into.end(), first, first + slice.length());
  }
  std::vector<Units>::iterator write(int rank, Slice slice, std::vector<Units>::iterator from) {
    std::copy_n(from, slice.length(), of(rank, slice).begin() + slice.offset());
    return from + slice.length();
  }

  std::vector<Memory> memory_;
  Lockstep<Numbers> lockstep_;
};

}  // namespace

std::vector<std::vector<Units>> passing_lengths(const std::vector<Problem>& problems,
                                                std::vector<std::vector<Units>> lengths) {
  return Numbers(problems, std::move(lengths)).left_in_scratch();
}

}  // namespace roundelay::interpret
