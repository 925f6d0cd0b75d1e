// SPDX-License-Identifier: Apache-2.0
// The properties of a communicator's ranks that they tell each other once, in one message of equal
// length. No MPI.
#pragma once

#include <cstdint>
#include <type_traits>

#include "mpi/network_speed.hpp"

namespace roundelay::mpi {

// How many threads of a rank use communicators of the program.
enum class Users : std::uint8_t { one_thread, perhaps_several, several_threads };

// Of one rank.
struct RankProperties {
  std::uint64_t settings = 0;            // fingerprint of all that decisions depend on
  std::uint64_t node = 0;                // equal on ranks that share memory
  bool spins = true;                     // the rank has a core to itself
  bool can_have_another = true;          // communicator of this library
  std::uint64_t calls_until_set_up = 0;  // before such a communicator is worth its time
  std::uint64_t search = 0;              // nanoseconds of its longest one for what may be faster
  Users users = Users::one_thread;
  bool others_are_duplicated = false;  // see duplicates.hpp
  bool may_use_device = false;         // memory of a GPU
  bool makes_progress = false;         // the MPI library calls this one where it makes progress
  bool sees_starts = false;            // the program's MPI_Start and MPI_Wait are this library's
  bool sees_op_free = false;           // and its MPI_Op_free
  NetworkSpeed network;                // as far as it was measured before
};

// Of all ranks of a communicator: the same on each of them.
struct CommonProperties {
  bool same_settings = false;
  bool one_node = false;
  bool all_spin = false;
  bool can_have_another = false;
  std::uint64_t calls_until_set_up = 0;  // the most of all ranks
  std::uint64_t search = 0;              // the most of all ranks
  Users users = Users::one_thread;       // the most of all ranks
  bool others_are_duplicated = false;    // on some rank
  bool may_use_device = false;           // some rank may
  bool makes_progress = false;
  bool sees_starts = false;
  bool sees_op_free = false;
  NetworkSpeed network;  // known only if every rank knew it
};

// The properties of a rank as numbers, which are combined by taking the least of each over all
// ranks.
class EncodedProperties {
 public:
  explicit constexpr EncodedProperties(const RankProperties& mine) noexcept
      : values_{.settings = mine.settings,
                .no_settings = ~mine.settings,
                .node = mine.node,
                .no_node = ~mine.node,
                .spins = mine.spins,
                .can_have_another = mine.can_have_another,
                .no_calls_until_set_up = ~mine.calls_until_set_up,
                .no_search = ~mine.search,
                .no_users = ~static_cast<std::uint64_t>(mine.users),
                .no_others_are_duplicated = !mine.others_are_duplicated,
                .uses_no_device = !mine.may_use_device,
                .makes_progress = mine.makes_progress,
                .sees_starts = mine.sees_starts,
                .sees_op_free = mine.sees_op_free,
                .network = mine.network} {}

  // So many numbers of 64 bits.
  [[nodiscard]] void* data() noexcept { return &values_; }
  [[nodiscard]] static constexpr int size() noexcept {
    return sizeof(Values) / sizeof(std::uint64_t);
  }

  // Of the least values of all ranks. A value is the same on all ranks if its least and the least
  // of its complement still fit.
  [[nodiscard]] constexpr CommonProperties common() const noexcept {
    return {.same_settings = values_.settings == ~values_.no_settings,
            .one_node = values_.node == ~values_.no_node,
            .all_spin = values_.spins != 0,
            .can_have_another = values_.can_have_another != 0,
            .calls_until_set_up = ~values_.no_calls_until_set_up,
            .search = ~values_.no_search,
            .users = static_cast<Users>(~values_.no_users),
            .others_are_duplicated = values_.no_others_are_duplicated == 0,
            .may_use_device = values_.uses_no_device == 0,
            .makes_progress = values_.makes_progress != 0,
            .sees_starts = values_.sees_starts != 0,
            .sees_op_free = values_.sees_op_free != 0,
            .network = values_.network};
  }

 private:
  // Numbers of 64 bits alone. What begins with `no_` is a complement.
  struct Values {
    std::uint64_t settings, no_settings;
    std::uint64_t node, no_node;
    std::uint64_t spins, can_have_another;
    std::uint64_t no_calls_until_set_up, no_search;
    std::uint64_t no_users;
    std::uint64_t no_others_are_duplicated;
    std::uint64_t uses_no_device;
    std::uint64_t makes_progress, sees_starts, sees_op_free;
    NetworkSpeed network;
  };
  static_assert(std::is_standard_layout_v<Values> && alignof(Values) == sizeof(std::uint64_t));

  Values values_;
};

}  // namespace roundelay::mpi
