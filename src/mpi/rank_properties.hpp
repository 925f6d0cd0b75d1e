// SPDX-License-Identifier: Apache-2.0
// The properties of a communicator's ranks that they tell each other once, in one message of equal
// length. No MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mpi/network_speed.hpp"

namespace roundelay::mpi {

// How many threads of a rank use communicators of the program.
enum class Users : std::uint8_t { one_thread, perhaps_several, several_threads };

// Of one rank.
struct RankProperties {
  std::uint64_t settings = 0;    // fingerprint of all that decisions depend on
  std::uint64_t node = 0;        // equal on ranks that share memory
  bool spins = true;             // the rank has a core to itself
  bool can_have_another = true;  // communicator of this library
  bool is_worth_set_up = true;   // of such a communicator and what it needs
  Users users = Users::one_thread;
  bool may_use_device = false;  // memory of a GPU
  bool makes_progress = false;  // the MPI library calls this one where it makes progress
  bool sees_starts = false;     // the program's MPI_Start is this library's
  NetworkSpeed network;         // as far as it was measured before
};

// Of all ranks of a communicator: the same on each of them.
struct CommonProperties {
  bool same_settings = false;
  bool one_node = false;
  bool all_spin = false;
  bool can_have_another = false;
  bool is_worth_set_up = false;
  Users users = Users::one_thread;  // the most of all ranks
  bool may_use_device = false;      // some rank may
  bool makes_progress = false;
  bool sees_starts = false;
  NetworkSpeed network;  // known only if every rank knew it
};

// The properties of a rank as numbers, which are combined by taking the least of each over all
// ranks.
class EncodedProperties {
 public:
  explicit constexpr EncodedProperties(const RankProperties& mine) noexcept
      : values_{mine.settings,
                ~mine.settings,
                mine.node,
                ~mine.node,
                mine.spins ? 1U : 0U,
                mine.can_have_another ? 1U : 0U,
                mine.is_worth_set_up ? 1U : 0U,
                ~static_cast<std::uint64_t>(mine.users),
                mine.may_use_device ? 0U : 1U,
                mine.makes_progress ? 1U : 0U,
                mine.sees_starts ? 1U : 0U,
                mine.network.alpha,
                mine.network.beta,
                mine.network.gap,
                mine.network.paced,
                mine.network.crowd,
                mine.network.pipelines,
                mine.network.far_alpha,
                mine.network.far_beta,
                mine.network.near_alpha,
                mine.network.near_beta,
                mine.network.taper,
                mine.network.gamma} {}

  static constexpr std::size_t size = 23;
  [[nodiscard]] std::uint64_t* data() noexcept { return values_.data(); }

  // Of the least values of all ranks. A value is the same on all ranks if its least and the least
  // of its complement still fit.
  [[nodiscard]] constexpr CommonProperties common() const noexcept {
    const auto& v = values_;
    return {.same_settings = v[0] == ~v[1],
            .one_node = v[2] == ~v[3],
            .all_spin = v[4] != 0,
            .can_have_another = v[5] != 0,
            .is_worth_set_up = v[6] != 0,
            .users = static_cast<Users>(~v[7]),
            .may_use_device = v[8] == 0,
            .makes_progress = v[9] != 0,
            .sees_starts = v[10] != 0,
            .network = {v[11], v[12], v[13], v[14], v[15], v[16], v[17], v[18], v[19], v[20], v[21],
                        v[22]}};
  }

 private:
  std::array<std::uint64_t, size> values_;
};

}  // namespace roundelay::mpi
