// SPDX-License-Identifier: Apache-2.0
#include "simulate/message.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "simulate/shared_pages.hpp"

namespace roundelay::simulate {

namespace {

std::size_t share(std::string_view distribution, int rank) {
  if (distribution == "regular") return 1;
  if (distribution == "irregular") return static_cast<std::size_t>(rank % 3);
  if (distribution == "degenerate") return rank == 0 ? 1 : 0;
  throw std::invalid_argument("there is no distribution '" + std::string(distribution) +
                              "'; there are: regular, irregular, degenerate");
}

}  // namespace

Message::Message(std::string_view distribution, std::size_t bytes, int rank, int ranks, Pages pages)
    : rank_(rank) {
  std::size_t shares = 0;
  for (int i = 0; i < ranks; ++i) shares += share(distribution, i);
  const std::size_t numbers = shares == 0 ? 0 : bytes / sizeof(unsigned) / shares;
  if (numbers == 0 || numbers * shares > INT32_MAX) {
    throw std::invalid_argument(std::to_string(bytes) + " bytes are too " +
                                (numbers == 0 ? "few" : "many") + " for " + std::to_string(ranks) +
                                " ranks");
  }
  block = static_cast<int>(numbers);
  for (int i = 0; i < ranks; ++i) {
    offsets.push_back(count);
    counts.push_back(static_cast<int>(share(distribution, i) * numbers));
    count += counts.back();
  }
  in_ = allocate(count, pages);
  out_ = allocate(count, pages);
  in = in_.get();
  out = out_.get();
}

void Message::fill() const {
  for (int i = 0; i < count; ++i) in[i] = number(rank_, i);
  std::fill_n(out, count, 0xDEADBEEFU);
}

Message::Memory Message::allocate(int count, Pages pages) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(unsigned);
  void* memory = pages == Pages::shared ? allocate_shared(bytes) : ::operator new(bytes);
  return {static_cast<unsigned*>(memory), Free{pages}};
}

void Message::Free::operator()(unsigned* memory) const {
  if (pages == Pages::shared) {
    free_shared(memory);
  } else {
    ::operator delete(memory);
  }
}

}  // namespace roundelay::simulate
