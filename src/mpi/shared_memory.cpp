// SPDX-License-Identifier: Apache-2.0
#include "mpi/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "mpi/agree.hpp"
#include "mpi/progress_until.hpp"
#include "shared/single_copy.hpp"

namespace roundelay::mpi {

namespace {

// What the areas of this process may take in all.
constexpr std::size_t most_area_bytes = std::size_t{64} << 20;
std::atomic<std::size_t> bytes_in_use{0};

// What a rank has to say. Of each the least of all ranks counts.
enum Say : std::size_t {
  enough_memory,
  opened,
  knows_in_place_from,
  signed_by_all,
  may_read,
  not_in_place_below,
  not_both_ways_below,
  says
};
using Said = std::array<std::uint64_t, says>;

// Numbers of the ranks on the node of `rank`, by rank.
std::vector<int> numbers_on_node(const Communicator& comm) {
  const Partition& nodes = comm.topology().nodes;
  std::vector<int> numbers;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (!nodes.known()) {
      numbers.push_back(rank);
    } else {
      const bool here = nodes.part_of(rank) == nodes.part_of(comm.rank());
      numbers.push_back(here ? nodes.place_of(rank) : SharedMemory::another_node);
    }
  }
  return numbers;
}

// From how many bytes on messages are read in place, as this process has heard once; 0: it has not.
std::atomic<std::uint64_t> in_place_from{0};
std::atomic<std::uint64_t> in_place_from_both_ways{0};

// The most of all ranks counts.
void say(Said& said, shared::InPlaceFrom from) noexcept {
  said[not_in_place_below] = ~std::uint64_t{from.one_way};
  said[not_both_ways_below] = ~std::uint64_t{from.both_ways};
}

// Two ranks of each node measure; all other ranks vote 0, which does not change the maximum.
shared::InPlaceFrom measured_in_place_from(shared::Port& port, int own_number, int ranks,
                                           bool shares_cores, std::span<std::byte> memory,
                                           MPI_Comm comm) {
  if (own_number > 1 || ranks < 2) return {.one_way = 0, .both_ways = 0};
  return shared::worth_reading_in_place(port, 1 - own_number, own_number == 0, shares_cores, memory,
                                        [&](const shared::Message& message) {
                                          progress_until(port, comm,
                                                         [&message] { return message.done; });
                                        });
}

constexpr const char* no_agreement = "the ranks could not agree";
constexpr const char* cannot_be_shared = "memory cannot be shared";
constexpr const char* not_really_shared = "memory is not really shared";

// Whatever fails here, this rank takes part in all that is collective.
SharedMemoryOrNot share_memory_by(shared::Way way, const Communicator& comm, bool sleeps) {
  std::vector<int> numbers = numbers_on_node(comm);
  const int own_number = numbers[static_cast<std::size_t>(comm.rank())];
  const auto first_rank = static_cast<std::size_t>(std::ranges::find(numbers, 0) - numbers.begin());
  const shared::Layout layout(1 + *std::ranges::max_element(numbers));

  const bool may_have = has_room_for(layout);
  std::optional<shared::Segment> segment;
  shared::Origin mine;
  if (own_number == 0 && may_have) {
    segment.emplace(shared::Segment::make(layout, way));
    mine = segment->origin();
  }
  std::vector<shared::Origin> origins(numbers.size());
  constexpr int words = sizeof(shared::Origin) / sizeof(std::uint64_t);
  if (PMPI_Allgather(&mine, words, MPI_UINT64_T, origins.data(), words, MPI_UINT64_T,
                     comm.everybody()) != MPI_SUCCESS) {
    return {nullptr, no_agreement};
  }
  if (own_number > 0 && may_have) {
    segment.emplace(shared::Segment::open(origins[first_rank], layout, way));
  }

  Said said{};
  said[enough_memory] = may_have ? 1 : 0;
  said[opened] = segment.has_value() && segment->take_area(own_number) ? 1 : 0;
  said[knows_in_place_from] = known_in_place_from() ? 1 : 0;
  if (!agree(said, comm.everybody())) return {nullptr, no_agreement};
  if (said[enough_memory] == 0) return {nullptr, "communicators share too much memory already"};
  if (said[opened] == 0) return {nullptr, cannot_be_shared};

  // All have signed now.
  segment->close_file();
  said[signed_by_all] = segment->all_signed() ? 1 : 0;
  const int next = (own_number + 1) % layout.ranks();
  const bool measures = said[knows_in_place_from] == 0;
  const std::unique_ptr<std::byte[]> memory(
      measures ? new (std::nothrow) std::byte[shared::memory_to_measure] : nullptr);
  said[may_read] =
      said[signed_by_all] != 0 && segment->may_read_from(next) && (!measures || memory != nullptr)
          ? 1
          : 0;
  say(said, {.one_way = in_place_from, .both_ways = in_place_from_both_ways});
  if (!agree(said, comm.everybody())) return {nullptr, no_agreement};
  if (said[signed_by_all] == 0) return {nullptr, not_really_shared};
  auto shared =
      std::make_unique<SharedMemory>(std::move(*segment), std::move(numbers), own_number, sleeps);
  if (said[may_read] == 0) return {std::move(shared), nullptr};
  if (measures) {
    say(said, measured_in_place_from(shared->port(), own_number, layout.ranks(), sleeps,
                                     {memory.get(), shared::memory_to_measure}, comm.everybody()));
    if (!agree(said, comm.everybody())) return {nullptr, no_agreement};
  }
  const shared::InPlaceFrom agreed{.one_way = ~said[not_in_place_below],
                                   .both_ways = ~said[not_both_ways_below]};
  if (agreed.one_way == 0) return {std::move(shared), nullptr};  // no node has two ranks
  in_place_from = agreed.one_way;
  in_place_from_both_ways = agreed.both_ways;
  shared->port().read_in_place_from(agreed);
  return {std::move(shared), nullptr};
}

}  // namespace

SharedMemory::SharedMemory(shared::Segment segment, std::vector<int> numbers, int own_number,
                           bool sleeps)
    : segment_(std::move(segment)),
      numbers_(std::move(numbers)),
      reaches_all_(std::ranges::find(numbers_, another_node) == numbers_.end()),
      port_(segment_.view(), own_number, {.sleeps = sleeps}) {
  bytes_in_use += shared::Layout(segment_.view().ranks()).area_bytes();
}

SharedMemory::~SharedMemory() {
  bytes_in_use -= shared::Layout(segment_.view().ranks()).area_bytes();
}

bool has_room_for(shared::Layout layout) noexcept {
  return bytes_in_use + layout.area_bytes() <= most_area_bytes;
}

std::optional<shared::InPlaceFrom> known_in_place_from() noexcept {
  const shared::InPlaceFrom known{.one_way = in_place_from, .both_ways = in_place_from_both_ways};
  return known.one_way != 0 && known.both_ways != 0 ? std::optional(known) : std::nullopt;
}

SharedMemoryOrNot share_memory(const Communicator& comm, bool sleeps) {
  SharedMemoryOrNot shared = share_memory_by(shared::Way::number, comm, sleeps);
  if (shared.why_not == cannot_be_shared || shared.why_not == not_really_shared) {
    shared = share_memory_by(shared::Way::name, comm, sleeps);
  }
  return shared;
}

}  // namespace roundelay::mpi
