// SPDX-License-Identifier: Apache-2.0
#include "mpi/background_sharing.hpp"

#include <bit>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "mpi/waiting.hpp"
#include "shared/port.hpp"

namespace roundelay::mpi {

BackgroundSharing::BackgroundSharing(const Communicator& comm, const EncodedProperties& mine,
                                     Suits suits)
    : comm_(comm), layout_(comm.size()), suits_(std::move(suits)), told_{.properties = mine} {
  static_assert(sizeof(shared::Origin) == sizeof told_.origin);
  static_assert(sizeof told_ % sizeof(std::uint64_t) == 0);
  if (comm.rank() == 0 && has_room_for(layout_)) {
    segment_.emplace(shared::Segment::make(layout_, shared::Way::number));
    // The others write there only if they find this.
    if (segment_->take_area(0)) {
      told_.origin = std::bit_cast<decltype(told_.origin)>(segment_->origin());
    } else {
      segment_.reset();
    }
  }
  if (PMPI_Iallreduce(MPI_IN_PLACE, &told_, sizeof told_ / sizeof(std::uint64_t), MPI_UINT64_T,
                      MPI_MIN, comm.user(), &request_) != MPI_SUCCESS) {
    give_up();
  }
}

bool BackgroundSharing::has_heard() {
  if (heard_) [[likely]]
    return true;
  int arrived = 0;
  if (PMPI_Test(&request_, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
    give_up();
  } else if (arrived != 0) {
    heard_ = true;
    join();
  }
  return heard_;
}

void BackgroundSharing::give_up() noexcept {
  request_ = MPI_REQUEST_NULL;
  heard_ = true;
  segment_.reset();
}

void BackgroundSharing::join() {
  const CommonProperties common = told_.properties.common();
  const auto origin = std::bit_cast<shared::Origin>(told_.origin);
  if (origin.file < 0 || !common.one_node || !suits_(common)) {
    segment_.reset();
    return;
  }
  sleeps_ = !common.all_spin;
  if (comm_.rank() > 0) {
    if (!has_room_for(layout_)) return;
    segment_.emplace(shared::Segment::open(origin, layout_, shared::Way::number));
    // If the first rank has given this up meanwhile, its file may be another one.
    if (!segment_->usable() || !segment_->signed_by(0) || !segment_->take_area(comm_.rank())) {
      segment_.reset();
      return;
    }
  }
  segment_->view().meeting().sign();
}

// All have signed.
void BackgroundSharing::be_ready() {
  ready_ = true;
  segment_->close_file();
  const int next = (comm_.rank() + 1) % comm_.size();
  shared::InPlaceFrom from;
  if (segment_->may_read_from(next)) {
    constexpr std::size_t cell = shared::Layout::cell_bytes;
    from = known_in_place_from().value_or(shared::InPlaceFrom{.one_way = cell, .both_ways = cell});
  }
  segment_->view().meeting().be_ready(call_, from.one_way, from.both_ways);
}

bool BackgroundSharing::one_more_call() {
  // No rank that does not stop before begins with a later call.
  if (call_ == std::numeric_limits<std::uint32_t>::max() - 1) return false;
  ++call_;
  if (!has_heard() || !segment_) return false;
  shared::Meeting& meeting = segment_->view().meeting();
  if (ready_) return meeting.has_begun(call_, comm_.size());
  if (meeting.all_signed(comm_.size())) be_ready();
  return false;
}

std::unique_ptr<SharedMemory> BackgroundSharing::take() {
  const shared::Meeting& meeting = segment_->view().meeting();
  const shared::InPlaceFrom from{.one_way = meeting.one_way(), .both_ways = meeting.both_ways()};
  std::vector<int> numbers(static_cast<std::size_t>(comm_.size()));
  std::iota(numbers.begin(), numbers.end(), 0);
  auto shared = std::make_unique<SharedMemory>(std::move(*segment_), std::move(numbers),
                                               comm_.rank(), sleeps_);
  segment_.reset();
  shared->port().read_in_place_from(from);
  return shared;
}

void BackgroundSharing::finish() {
  if (request_ != MPI_REQUEST_NULL) wait_for(std::exchange(request_, MPI_REQUEST_NULL));
}

}  // namespace roundelay::mpi
