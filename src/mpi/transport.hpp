// SPDX-License-Identifier: Apache-2.0
// What carries data from rank to rank.
//
// A schedule, and Flow, which runs one, know slices and peers. Where slices are in memory, how
// elements are combined, how several slices become one message and how long a message may be is
// the business of a transport. Several flows may share one: each has a channel of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "algorithms/catalogue.hpp"
#include "schedule/round.hpp"

namespace roundelay::mpi {

// One side of a message that was started.
struct TransferUnderWay {
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  Transfer transfer;
  // Of a receive of one slice: what the transport does with it when it has arrived, before the
  // receive is done. Nothing else that is under way touches what it combines, and nobody reads the
  // slice afterwards: it need not hold what was received.
  std::optional<LocalStep> combine;
  // Of an exposure: the first one of its block, which stays where it is as long as any of them; and
  // of that one, how many there are. All are started.
  TransferUnderWay* first_of_block = nullptr;
  std::uint32_t readers = 0;
  bool done = false;              // the transport says so, in wait()
  std::uint32_t slot = nowhere;   // the transport's own
  std::uint32_t block = nowhere;  // of the first one of a block, the transport's own
};

enum class Channel : std::uint8_t { first, second };

// Until one of some transfers is done, until all are, or not at all.
enum class Until : std::uint8_t { one, all, now };

// All functions but abandon() return 0 or an error code of MPI, and may throw std::bad_alloc. After
// either, abandon() has to be called before anything else.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  // Starts a send or a receive, which may carry a combine; never blocks. Between two ranks,
  // messages of one channel match in the order in which they are started. What is under way, and
  // the slices that it refers to, must stay where they are until it is done or abandoned; so must
  // their memory, untouched if it receives, unchanged if it sends. A paced send is done only when
  // the receiver takes it, so that a rank never has more under way than its schedule says.
  virtual int start(TransferUnderWay& one, Channel channel, Discipline discipline) = 0;
  // Waits for some of what was started, at most `most_waited`, and marks those that
  // are done; what they received is then in its slices, and combined.
  virtual int wait(std::span<TransferUnderWay* const> some, Until until) = 0;
  // Copies or combines within the memory of this rank.
  virtual int step(const LocalStep& step, Channel channel) = 0;
  // Gives up all that is not done. Nothing is received any more.
  virtual void abandon() noexcept = 0;

  static constexpr std::size_t most_waited = 128;
};

}  // namespace roundelay::mpi
