// SPDX-License-Identifier: Apache-2.0
#include "interpret/crossing.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "interpret/sample.hpp"

namespace roundelay::interpret {

namespace {

// Calls `use` with the sender of each message and its transfer. Of a symmetric schedule one rank
// stands for all: returns for how many each does. No value: those are too many messages.
template <typename Use>
std::optional<double> for_each_message(const Call& call, int most_messages, const Use& use) {
  const int p = call.of().ranks();
  const int run = call.is_symmetric() ? 1 : p;
  for (int rank = 0; rank < run && most_messages >= 0; ++rank) {
    for_each_send(call, rank, [&](std::size_t /*round*/, const Transfer& transfer) {
      use(rank, transfer);
      --most_messages;
    });
  }
  if (most_messages < 0) return std::nullopt;
  return p / run;
}

}  // namespace

// Control flow depends on no data, so each rank runs by itself.
std::vector<Units> crossing(const Choice& choice, const Case& of,
                            std::span<const Partition> partitions) {
  if (std::ranges::any_of(partitions,
                          [&](const Partition& one) { return one.ranks() != of.ranks(); })) {
    throw std::invalid_argument("a partition has another number of ranks than the case");
  }
  const Call call(choice, of);
  std::vector<Units> all(partitions.size());
  for (int rank = 0; rank < of.ranks(); ++rank) {
    for_each_send(call, rank, [&](std::size_t /*round*/, const Transfer& transfer) {
      for (std::size_t i = 0; i < partitions.size(); ++i) {
        const Partition& parts = partitions[i];
        if (parts.part_of(rank) != parts.part_of(transfer.peer)) all[i] += transfer.data.length();
      }
    });
  }
  return all;
}

std::optional<double> distance(const Choice& choice, const Case& of, const Torus& torus,
                               int most_messages) {
  double sum = 0;
  const auto times =
      for_each_message(Call(choice, of), most_messages, [&](int rank, const Transfer& transfer) {
        sum += static_cast<double>(transfer.data.length()) * torus.hops(rank, transfer.peer);
      });
  if (!times) return std::nullopt;
  return sum * *times;
}

std::optional<Sent> sent(const Choice& choice, const Case& of, int most_messages) {
  Sent all;
  const auto times = for_each_message(Call(choice, of), most_messages,
                                      [&](int /*rank*/, const Transfer& transfer) {
                                        ++all.messages;
                                        all.units += static_cast<double>(transfer.data.length());
                                      });
  if (!times) return std::nullopt;
  return Sent{all.messages * *times, all.units * *times};
}

}  // namespace roundelay::interpret
