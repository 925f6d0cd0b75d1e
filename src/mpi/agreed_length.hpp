// SPDX-License-Identifier: Apache-2.0
// How long the calls of a collective are of late in which a rank knows no more than its own part.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>

#include "mpi/communicator.hpp"

namespace roundelay::mpi {

// The ranks ask each other now and then, while a call goes on, and use the answer when they ask
// again: at the calls 2, 4, .. 64, 128, 192, .. Every rank says the least that it had since the
// last time, so that long calls among short ones count as short. A program whose ranks make room
// for more than the others send them is wrong, but works with MPI libraries, which never cut a
// block: its calls count as of no length.
class AgreedLength {
 public:
  // A call in which this rank receives and sends so many bytes. Whether it is time to ask(): for
  // all ranks at the same call.
  [[nodiscard]] bool note(std::int64_t received, std::int64_t sent) noexcept;
  // Collective. Waits for the answer that is under way, and asks for the next.
  void ask(Communicator& comm);
  // Waits for the answer that is under way: before the communicator is freed.
  void end();
  // What a rank receives in the mean, the same on all of them; 0 until there is an answer.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::uint64_t most_calls_between = 64;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  std::int64_t bytes_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t asks_at_ = 2;  // a communicator for one call needs none of ours
  // Of this rank since it was asked; and the answer under way, of all together.
  struct Part {
    std::int64_t least = none;
    std::int64_t room_left = 0;
  };
  Part own_;
  Part all_{.least = 0};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace roundelay::mpi
