// SPDX-License-Identifier: Apache-2.0
// Sharing memory where no rank may wait for another one: in calls that do not wait.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "mpi/communicator.hpp"
#include "mpi/rank_properties.hpp"
#include "mpi/shared_memory.hpp"
#include "shared/segment.hpp"

namespace roundelay::mpi {

// The ranks of an intracommunicator tell each other their properties, and where the memory of the
// first one is, in one non-blocking call of the MPI library. All else goes through that memory: see
// shared::Meeting. A rank that cannot open it does not sign there, and then none uses it.
//
// To measure from how many bytes on messages are worth reading in place, two ranks would have to
// wait for each other. A rank that has not heard of it says: from one cell on.
class BackgroundSharing {
 public:
  // Whether these ranks, all on one node, are to share memory: the same on all of them.
  using Suits = std::function<bool(const CommonProperties&)>;

  // All ranks come here at the same call.
  BackgroundSharing(const Communicator& comm, const EncodedProperties& mine, Suits suits);
  BackgroundSharing(const BackgroundSharing&) = delete;
  BackgroundSharing& operator=(const BackgroundSharing&) = delete;
  ~BackgroundSharing() { finish(); }

  // One more call that does not wait; all ranks count the same ones. Whether all of them make this
  // call with shared memory, which take() returns then.
  [[nodiscard]] bool one_more_call();
  [[nodiscard]] std::unique_ptr<SharedMemory> take();
  // Whether this rank will not share, whatever the others do.
  [[nodiscard]] bool is_given_up() const noexcept { return heard_ && !segment_; }
  // Of all ranks; as soon as they share memory.
  [[nodiscard]] CommonProperties common() const noexcept { return told_.properties.common(); }

  // Waits until this rank has heard of all others. All ranks come here after the same call of the
  // communicator.
  void finish();

 private:
  // What a rank tells the others: the least of each number counts. The first rank tells the origin.
  struct Told {
    EncodedProperties properties;
    std::array<std::uint64_t, 3> origin{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  };

  [[nodiscard]] bool has_heard();
  void give_up() noexcept;
  void join();
  void be_ready();

  const Communicator& comm_;
  const shared::Layout layout_;
  const Suits suits_;
  Told told_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool heard_ = false;
  bool ready_ = false;
  bool sleeps_ = false;
  std::uint32_t call_ = 0;
  std::optional<shared::Segment> segment_;  // none: this rank does not share
};

}  // namespace roundelay::mpi
