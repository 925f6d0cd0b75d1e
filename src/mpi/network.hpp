// SPDX-License-Identifier: Apache-2.0
// How fast messages between nodes are, as the model wants to know it.
#pragma once

#include <mpi.h>

#include <cmath>
#include <cstdint>

#include "mpi/communicator.hpp"

namespace roundelay {

// In powers of two, so that what is measured a little otherwise decides the same: a start-up takes
// 2^-alpha seconds, a byte 2^-beta, and of messages that do not wait for each other one follows
// 2^-gap after the other. A round of synchronous messages takes 2^((paced - even_paced) / 4) of one
// of others. 0: nobody has measured.
struct NetworkSpeed {
  static constexpr int even_paced = 64;

  std::uint64_t alpha = 0;
  std::uint64_t beta = 0;
  std::uint64_t gap = 0;
  std::uint64_t paced = 0;

  [[nodiscard]] bool known() const noexcept {
    return alpha > 0 && beta > 0 && gap > 0 && paced > 0;
  }
  [[nodiscard]] double startup_seconds() const { return std::ldexp(1, -static_cast<int>(alpha)); }
  [[nodiscard]] double byte_seconds() const { return std::ldexp(1, -static_cast<int>(beta)); }
  [[nodiscard]] double gap_seconds() const { return std::ldexp(1, -static_cast<int>(gap)); }
  // Start-ups of a paced round beyond that of any round.
  [[nodiscard]] double handshake() const {
    return std::exp2((static_cast<double>(paced) - even_paced) / 4) - 1;
  }
};

// By messages there and back between rank 0 and the first rank on another node; `node` is equal on
// ranks of one node. Collective; every rank gets the same. Unknown if there is only one node.
NetworkSpeed measure_network(Communicator& comm, std::uint64_t node);

}  // namespace roundelay
