// SPDX-License-Identifier: Apache-2.0
// How a rank waits for messages.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace roundelay::mpi {

// spin:  in the MPI library, which is best when every rank has a core to itself;
// sleep: test, and after some vain polls give the core away for a moment. MPICH never does that by
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

// Waits until at least one request is complete. `completed` gets their indices; they are then
// MPI_REQUEST_NULL. Returns the error code of the first that failed.
int wait_some(std::span<MPI_Request> requests, std::vector<int>& completed);
// Waits for all. Returns the error code of the first that failed.
int wait_all(std::span<MPI_Request> requests);
// The same for one.
void wait_for(MPI_Request request);

}  // namespace roundelay::mpi
