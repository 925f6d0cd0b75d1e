// SPDX-License-Identifier: Apache-2.0
// How a rank waits for messages.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace roundelay::mpi {

// spin:  in the MPI library, which is best when every rank has a core to itself;
// sleep: test, and after some idle polls give the core away for a moment. MPICH never does that by
//        itself: with more ranks than cores it takes milliseconds for what takes microseconds.
enum class Waiting : std::uint8_t { spin, sleep };

// Cores that this rank's node offers to the program, and ranks of the program on the node (0 where
// no launcher tells).
struct Occupancy {
  int cores = 1;
  int ranks = 0;
};
[[nodiscard]] Occupancy occupancy();
// sleep where ranks outnumber cores.
[[nodiscard]] Waiting suitable(const Occupancy& occupancy);

// How all communication of this process waits; set once while the library starts.
inline std::atomic<Waiting> how_to_wait{Waiting::spin};
inline void set_waiting(Waiting waiting) noexcept {
  how_to_wait.store(waiting, std::memory_order_relaxed);
}
[[nodiscard]] inline Waiting waiting() noexcept {
  return how_to_wait.load(std::memory_order_relaxed);
}

// For a moment, about 50 microseconds.
void give_the_core_away();

// At most so many at once.
inline constexpr std::size_t most_waited_for = 128;

// Waits until at least one request is complete. The first `done` elements of `completed` are then
// the indices of those that are; they have become MPI_REQUEST_NULL. Returns the error code of the
// first that failed. `completed` has room for all.
int wait_some(std::span<MPI_Request> requests, std::span<int> completed, std::size_t& done);
// The same, but does not wait.
int test_some(std::span<MPI_Request> requests, std::span<int> completed, std::size_t& done);
// Waits for all. Returns the error code of the first that failed.
int wait_all(std::span<MPI_Request> requests);
// Waits for one. Returns an MPI error code.
int wait_for(MPI_Request request);

// What to do between polls of memory that others write, after so many of them found nothing. The
// MPI library makes progress every few microseconds, so that the program's own messages, for which
// others may wait, go on.
class FailedPolls {
 public:
  // `comm`: any intracommunicator of several ranks. Returns whether it is time to sleep until
  // another rank has something to say, for longest_sleep() at most.
  [[nodiscard]] bool one_more(MPI_Comm comm);
  // In nanoseconds: about an eighth of how long nothing has moved, also in the MPI library.
  [[nodiscard]] long longest_sleep() const noexcept { return longest_sleep_; }

 private:
  static constexpr long first_sleep = 50'000;
  static constexpr long last_sleep = 1'000'000;

  std::uint32_t count_ = 0;  // begins again after minutes of waiting, which does no harm
  long longest_sleep_ = first_sleep;
};

}  // namespace roundelay::mpi
