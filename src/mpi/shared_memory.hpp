// SPDX-License-Identifier: Apache-2.0
// The shared memory of the ranks of a communicator that are on the same node.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mpi/communicator.hpp"
#include "shared/port.hpp"
#include "shared/segment.hpp"

namespace roundelay::mpi {

class SharedMemory {
 public:
  // `numbers`: of each rank, its number among those on this node, or another_node.
  // `sleeps`: some rank may sleep while it waits.
  SharedMemory(shared::Segment segment, std::vector<int> numbers, int own_number, bool sleeps);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  static constexpr int another_node = -1;

  // By rank.
  [[nodiscard]] const std::vector<int>& numbers() const noexcept { return numbers_; }
  [[nodiscard]] int number_of(int rank) const noexcept {
    return numbers_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool reaches(int rank) const noexcept { return number_of(rank) != another_node; }
  [[nodiscard]] bool reaches_all() const noexcept { return reaches_all_; }
  [[nodiscard]] shared::Port& port() noexcept { return port_; }

 private:
  shared::Segment segment_;
  std::vector<int> numbers_;
  bool reaches_all_;
  shared::Port port_;
};

struct SharedMemoryOrNot {
  std::unique_ptr<SharedMemory> memory;
  const char* why_not = nullptr;  // if there is none; the same on all ranks
};

// Collective. Either all ranks get it, or none does. Where the nodes of the communicator
// are not known, all its ranks are on one. `sleeps`: some rank may sleep while it waits.
[[nodiscard]] SharedMemoryOrNot share_memory(const Communicator& comm, bool sleeps);

// Whether what the areas of this process take in all leaves room for one more.
[[nodiscard]] bool has_room_for(shared::Layout layout) noexcept;

// From how many bytes on messages are read in place, as this process has heard once.
[[nodiscard]] std::optional<shared::InPlaceFrom> known_in_place_from() noexcept;

}  // namespace roundelay::mpi
