// SPDX-License-Identifier: Apache-2.0
#include "mpi/put_window.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>
#include <utility>

#include "mpi/agree.hpp"
#include "mpi/waiting.hpp"
#include "shared/nonce.hpp"

namespace roundelay::mpi {

namespace {

// What the windows of this process may take in all.
constexpr std::size_t most_window_bytes = std::size_t{64} << 20;

// Never destroyed: it outlives MPI_Finalize.
struct Windows {
  std::mutex mutex;
  std::vector<std::shared_ptr<PutWindow>> all;  // that are in use, were so, and are not closed
  // That not all ranks could use. They are not freed: that could wait for ever.
  std::vector<std::shared_ptr<PutWindow>> useless;
  std::uint64_t next_number = 1;
};
Windows& windows() {
  static auto* const one = new Windows;
  return *one;
}

bool is_on_one_node(const Communicator& comm) {
  const Partition& nodes = comm.topology().nodes;
  return !nodes.known() || nodes.count() == 1;
}

// Open MPI 4.1.4 (osc/rdma) names the file of a window by the node, the job and the number of the
// communicator. Two that have no rank in common may have one number: then both have one file.
// With the standard ABI the library may be Open MPI.
[[maybe_unused]] bool is_part_of_a_node(const Communicator& comm) {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (is_on_one_node(comm) || comm.size() == ranks) return false;
  const Partition& nodes = comm.topology().nodes;
  int here = 0;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (nodes.part_of(rank) == nodes.part_of(comm.rank())) ++here;
  }
  return here != occupancy().ranks;
}
bool may_meet_another([[maybe_unused]] const Communicator& comm) {
#if ROUNDELAY_OPEN_MPI || ROUNDELAY_STANDARD_ABI
  return is_part_of_a_node(comm);
#else
  return false;
#endif
}

// On one node memory that all share: that the MPI library makes otherwise.
int allocate(MPI_Comm comm, bool on_one_node, std::size_t bytes, std::byte*& base,
             MPI_Win& window) {
  const auto size = static_cast<MPI_Aint>(bytes);
  void* const address = static_cast<void*>(&base);
  return on_one_node ? PMPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, comm, address, &window)
                     : PMPI_Win_allocate(size, 1, MPI_INFO_NULL, comm, address, &window);
}

// Where the MPI library puts windows for the ranks of a node. Open MPI 4.1.4 (osc/sm) hangs where
// there is too little: the rank that notices it leaves the others alone. Where nobody knows how
// much there is, there is enough.
bool has_room_for_window(int ranks, std::size_t bytes_of_rank) {
  struct statvfs room{};
  if (statvfs("/dev/shm", &room) != 0 || room.f_blocks == 0) return true;
  const int here = occupancy().ranks;
  const auto on_node = static_cast<std::size_t>(here > 0 ? std::min(ranks, here) : ranks);
  constexpr std::size_t for_the_library = std::size_t{1} << 20;
  return room.f_bavail * room.f_frsize >= on_node * bytes_of_rank + for_the_library;
}

bool sees_what_is_put(MPI_Win window) {
  int* model = nullptr;
  int present = 0;
  PMPI_Win_get_attr(window, MPI_WIN_MODEL, static_cast<void*>(&model), &present);
  return present != 0 && *model == MPI_WIN_UNIFIED;
}

}  // namespace

PutWindow::PutWindow(const Communicator& comm, Name name)
    : name_(name),
      rank_(comm.rank()),
      layout_(comm.size()),
      numbers_(static_cast<std::size_t>(comm.size())),
      busy_(numbers_.size() * tickets) {
  std::iota(numbers_.begin(), numbers_.end(), 0);
  requests_.reserve(busy_.size());
  indices_.reserve(busy_.size());
  const bool duplicated = PMPI_Comm_dup(comm.own(), &comm_) == MPI_SUCCESS;
  if (!all_agree(duplicated, comm.own())) return;
  if (allocate(comm_, is_on_one_node(comm), bytes(), base_, window_) != MPI_SUCCESS) {
    window_ = MPI_WIN_NULL;
    return;
  }
  PMPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  std::memset(base_, 0, layout_.area_bytes());
  port_ =
      std::make_unique<shared::PutPort>(layout_, base_, base_ + layout_.area_bytes(), rank_, *this);
  usable_ = PMPI_Win_lock_all(MPI_MODE_NOCHECK, window_) == MPI_SUCCESS &&
            sees_what_is_put(window_) && PMPI_Win_sync(window_) == MPI_SUCCESS;
}

// More pieces from each rank to the next than there are slots, so that numbers have to come back.
bool PutWindow::carries() {
  constexpr std::uint32_t pieces = shared::PutLayout::slots + shared::PutLayout::slots / 2;
  constexpr std::chrono::seconds patience{10};
  const int ranks = layout_.ranks();
  const int right = (rank_ + 1) % ranks;
  const int left = (rank_ + ranks - 1) % ranks;
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  const auto is_over = [&] {
    std::array<std::byte, sizeof sent> data{};
    if (sent < pieces && port_->put(right, 0, data.data(), data.size())) ++sent;
    using Found = shared::Carrier::Found;
    if (received < pieces && port_->take(left, 0, data.data(), data.size()) == Found::taken) {
      ++received;
    }
    return sent == pieces && received == pieces;
  };
  const auto begin = std::chrono::steady_clock::now();
  bool over = is_over();
  while (!over && std::chrono::steady_clock::now() - begin < patience) {
    over = port_->sleep_unless(is_over);
  }
  return all_agree(over && !failed_, comm_);
}

bool PutWindow::is_of(MPI_Comm comm) const {
  int result = MPI_UNEQUAL;
  PMPI_Comm_compare(comm_, comm, &result);
  return result == MPI_CONGRUENT;
}

bool PutWindow::put(int to, std::size_t offset, std::span<const std::byte> bytes,
                    std::size_t ticket) noexcept {
  if (failed_) return false;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto count = static_cast<int>(bytes.size());
  const int error = PMPI_Rput(bytes.data(), count, MPI_BYTE, to, static_cast<MPI_Aint>(offset),
                              count, MPI_BYTE, window_, &request);
  return note(error, request, index(to, ticket));
}

// Accumulations on one place happen in order, and each at once.
bool PutWindow::tell(int to, std::size_t offset, const std::uint64_t& number,
                     std::size_t ticket) noexcept {
  if (failed_) return false;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = PMPI_Raccumulate(&number, 1, MPI_UINT64_T, to, static_cast<MPI_Aint>(offset), 1,
                                     MPI_UINT64_T, MPI_REPLACE, window_, &request);
  return note(error, request, index(to, ticket));
}

bool PutWindow::note(int error, MPI_Request request, std::size_t index) noexcept {
  failed_ = error != MPI_SUCCESS;
  if (failed_) return false;
  requests_.push_back(request);  // there is room
  indices_.push_back(index);
  busy_[index] = true;
  return true;
}

void PutWindow::progress() noexcept {
  if (requests_.empty()) {
    int flag = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
    return;
  }
  std::array<int, most_waited_for> completed;
  std::size_t done = 0;
  const std::size_t some = std::min(requests_.size(), most_waited_for);
  failed_ = test_some(std::span(requests_).first(some), completed, done) != MPI_SUCCESS || failed_;
  if (done == 0) return;
  // From the last to the first, each changes places with the last of all.
  std::sort(completed.begin(), completed.begin() + static_cast<std::ptrdiff_t>(done),
            std::greater<>());
  for (std::size_t i = 0; i < done; ++i) {
    const auto at = static_cast<std::size_t>(completed[i]);
    busy_[indices_[at]] = false;
    requests_[at] = requests_.back();
    indices_[at] = indices_.back();
    requests_.pop_back();
    indices_.pop_back();
  }
}

void PutWindow::close() noexcept {
  usable_ = false;
  PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
  PMPI_Win_unlock_all(window_);
  PMPI_Win_free(&window_);
  PMPI_Comm_free(&comm_);
}

// Whatever fails here, this rank takes part in all that is collective.
PutWindowOrNot open_put_window(const Communicator& comm) {
  enum : std::size_t {
    few_enough,
    room,
    alone,
    name_nonce,
    not_name_nonce,
    not_number,
    new_one,
    says
  };
  const std::size_t bytes_of_rank = 2 * shared::PutLayout(comm.size()).area_bytes();
  std::shared_ptr<PutWindow> kept;
  std::array<std::uint64_t, says> said{};
  {
    Windows& those = windows();
    const std::lock_guard lock(those.mutex);
    std::size_t bytes = bytes_of_rank;
    for (const auto& window : those.all) {
      bytes += window->bytes();
      const bool is_ours = window.use_count() == 1 && !window->port().spoiled();
      if (is_ours && (kept == nullptr || window->name() < kept->name()) &&
          window->is_of(comm.own())) {
        kept = window;
      }
    }
    said[few_enough] = bytes <= most_window_bytes ? 1 : 0;
    said[not_number] = ~those.next_number++;
  }
  said[room] = has_room_for_window(comm.size(), bytes_of_rank) ? 1 : 0;
  said[alone] = may_meet_another(comm) ? 0 : 1;
  said[name_nonce] = kept != nullptr ? kept->name().nonce : 0;
  said[not_name_nonce] = ~said[name_nonce];
  said[new_one] = shared::new_nonce();
  if (!agree(said, comm.own())) return {nullptr, "the ranks could not agree"};
  if (said[name_nonce] != 0 && said[name_nonce] == ~said[not_name_nonce]) {
    return {std::move(kept), nullptr};
  }
  if (said[few_enough] == 0) return {nullptr, "there are too many windows already"};
  if (said[room] == 0) return {nullptr, "there is too little room for it in /dev/shm"};
  if (said[alone] == 0) return {nullptr, "Open MPI may confuse the windows of ranks on one node"};

  const PutWindow::Name name{.number = ~said[not_number], .nonce = said[new_one]};
  auto window = std::make_shared<PutWindow>(comm, name);
  const char* why_not = nullptr;
  if (!all_agree(window->usable(), comm.own())) {
    why_not = "the MPI library cannot make a window for it";
  } else if (!window->carries()) {
    why_not = "the data of a put does not arrive while its target polls for it";
  }
  Windows& those = windows();
  const std::lock_guard lock(those.mutex);
  those.next_number = std::max(those.next_number, name.number + 1);
  (why_not == nullptr ? those.all : those.useless).push_back(window);
  return {why_not == nullptr ? std::move(window) : nullptr, why_not};
}

void close_put_windows() noexcept {
  Windows& those = windows();
  std::vector<std::shared_ptr<PutWindow>> all;
  {
    const std::lock_guard lock(those.mutex);
    all.swap(those.all);
  }
  std::ranges::sort(all, std::less<>(), [](const auto& window) { return window->name(); });
  for (const auto& window : all) window->close();
}

}  // namespace roundelay::mpi
