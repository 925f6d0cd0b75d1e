// SPDX-License-Identifier: Apache-2.0
// A schedule on its way: the rounds that were taken from it and are not over.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "mpi/datatype.hpp"
#include "mpi/scratch.hpp"
#include "schedule/schedule.hpp"

namespace roundelay::mpi {

// Where a call's units are. Unit i of a space is one element of `type` at base + i * type.extent;
// for data movement the type is MPI_BYTE.
struct Memory {
  std::array<std::byte*, 3> base{};  // by Space; the address of unit 0
  Datatype type;
  MPI_Op op = MPI_OP_NULL;  // of combine

  [[nodiscard]] std::byte* at(Slice slice) const noexcept {
    return base[static_cast<std::size_t>(slice.space())] + slice.offset() * type.extent;
  }
};

int copy_with_gaps(void* into, const void* from, std::int64_t count, const Datatype& type,
                   MPI_Comm own);

// Copies elements; writes nothing but their data. Returns an MPI error code.
inline int copy_elements(void* into, const void* from, std::int64_t count, const Datatype& type,
                         MPI_Comm own) {
  if (!type.contiguous) [[unlikely]]
    return copy_with_gaps(into, from, count, type, own);
  if (count > 0) std::memmove(into, from, static_cast<std::size_t>(count * type.size));
  return MPI_SUCCESS;
}

// Returns an MPI error code. `comm`: a communicator of this library.
int do_step(const LocalStep& step, const Memory& memory, MPI_Comm comm);

class Flow;

// A transfer of a round that has been taken from the schedule.
struct Move {
  Transfer transfer;
  std::vector<Slice> kept;       // its slices, where they are not in the transfer itself
  std::byte* staging = nullptr;  // where they are packed, if they are several
  std::int64_t staging_size = 0;
  bool posted = false;
  bool done = false;
};

// What is in flight, of one flow or of several.
struct InFlight {
  struct Owner {
    Flow* flow;
    Move* move;
  };
  std::vector<MPI_Request> requests;
  std::vector<Owner> owners;  // of each request
};

// It holds a window of rounds. In the early discipline a transfer of any of them starts as soon as
// nothing before it in the window touches the same memory or comes before it between the same two
// ranks; rounds end, and their local steps happen, in order. In the paced discipline the window is
// one round and sends are synchronous, so that no rank has more than one flow in either direction.
class Flow {
 public:
  Flow(InFlight& in_flight, Scratch& scratch) : in_flight_(in_flight), scratch_(scratch) {}

  // The schedule has run to a round, if there are `more`. Between two ranks messages of one tag
  // match in the order in which they are posted, and every rank posts them in the order of its
  // rounds: so each flow has one.
  void begin(Schedule& schedule, bool more, const Memory& memory, MPI_Comm comm, int tag,
             Discipline discipline);
  // As far as it goes before something that is in flight is complete.
  int advance();
  [[nodiscard]] bool over() const noexcept { return taken_ == 0 && !more_; }
  // Whether nothing can start and nothing is left to do before all that is in flight is complete.
  [[nodiscard]] bool waits_for_all() const;
  void complete(Move& move);
  // All transfers are complete, or given up.
  void end() noexcept;
  // The scratch memory goes.
  void release() noexcept;

 private:
  struct Pending {
    std::vector<Move> moves;  // the first `move_count`: elements keep their memory for later rounds
    std::size_t move_count = 0;
    std::vector<LocalStep> steps;
    Fence fence = this_round;

    [[nodiscard]] std::span<Move> live() noexcept { return {moves.data(), move_count}; }
    [[nodiscard]] std::span<const Move> live() const noexcept { return {moves.data(), move_count}; }
  };

  void take(const Round& round);
  int post_what_may();
  [[nodiscard]] bool may_post(std::size_t index, const Move& move) const;
  [[nodiscard]] bool fence_is_reached(Fence fence) const;
  [[nodiscard]] bool first_is_complete() const;
  int post(Move& move);
  int post_message(Move& move, void* address, int count, MPI_Datatype type);
  int post_gathered(Move& move);
  int post_scattered(Move& move);
  int retire_first();

  [[nodiscard]] Pending& pending(std::size_t i) noexcept {
    return window_[(first_ + i) % window_.size()];
  }
  [[nodiscard]] const Pending& pending(std::size_t i) const noexcept {
    return window_[(first_ + i) % window_.size()];
  }

  InFlight& in_flight_;
  Scratch& scratch_;
  Schedule* schedule_ = nullptr;
  const Memory* memory_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int tag_ = 0;
  bool more_ = false;
  bool synchronous_ = false;
  std::size_t ahead_ = 1;

  std::array<Pending, 4> window_;
  std::size_t first_ = 0;
  std::size_t taken_ = 0;
  std::deque<Move> deferred_;  // transfers that outlive their round
  bool staged_ = false;        // some move holds a part of the scratch memory
};

}  // namespace roundelay::mpi
