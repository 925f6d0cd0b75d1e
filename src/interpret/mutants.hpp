// SPDX-License-Identifier: Apache-2.0
// mutants: schedules broken in one place, to see whether verify notices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interpret/trace.hpp"

namespace roundelay::interpret {

struct Mutation {
  enum class Kind : std::uint8_t {
    // of a transfer
    other_peer,
    drop_transfer,
    turn_around,
    defer,
    complete_at_once,
    // of a slice of a transfer
    shorten,
    shift_up,
    shift_down,
    other_space,
    drop_slice,
    swap_slices,
    // of a local step
    drop_step,
    swap_operands,
    other_step,
    swap_steps,
    shorten_step,
    shift_from_up,
    shift_from_down,
    shift_into_up,
    shift_into_down,
    // of a round
    drop_fence,
    swap_rounds
  };

  Kind kind;
  int rank = 0;
  int round = 0;
  int item = 0;   // the transfer or step
  int slice = 0;  // of the transfer

  // E.g. "rank 1, round 0, transfer 1, slice 0: shift_up".
  [[nodiscard]] std::string text() const;
};

// Every mutation that can be applied to the trace.
[[nodiscard]] std::vector<Mutation> mutations_of(const Trace& trace);
// The rank's trace with the mutation applied.
[[nodiscard]] RankTrace mutated(const RankTrace& original, const Mutation& mutation, int p);

struct Mutants {
  int count = 0;     // that are really different: some result of a rehearsal is wrong
  int killed = 0;    // of these, rejected by verify
  int harmless = 0;  // mutations that change no result (data that was there already, a wait less)
  std::vector<std::string> survivors;
};

// Mutates one place at a time, in `most` places chosen with `seed` if there are more. Throws
// std::invalid_argument where Call does. Safe to call from many threads.
[[nodiscard]] Mutants mutants(const Choice& choice, const Case& of, std::size_t most = SIZE_MAX,
                              std::uint32_t seed = 0);

}  // namespace roundelay::interpret
