// SPDX-License-Identifier: Apache-2.0
// How long the calls of a collective are of late in which a rank knows no more than its own part.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>

#include "mpi/communicator.hpp"

namespace roundelay {

// The ranks ask each other now and then, while a call goes on, and use the answer when they ask
// again: at the calls 1, 2, 4, .. 64, 128, 192, .. Every rank says the least that it had since the
// last time, so that long calls among short ones count as short.
class AgreedLength {
 public:
  // Of a call of this collective, the bytes that are this rank's; all ranks say theirs. Returns the
  // mean over the ranks, the same on all of them; 0 at the first call, and where there is no own
  // communicator.
  std::int64_t next(std::int64_t bytes, Communicator& comm);
  // Waits for the answer that is under way, before the communicator is freed.
  void end();

 private:
  static constexpr std::uint64_t most_calls_between = 64;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  std::int64_t agreed_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t asks_at_ = 1;
  std::int64_t least_ = none;  // of this rank since it was asked
  std::int64_t sum_ = 0;       // the answer under way
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace roundelay
