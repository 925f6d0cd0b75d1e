// SPDX-License-Identifier: Apache-2.0
// Seat: a rank's place in a communicator of one group or in one between two groups; and the
// arguments of a call there.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "support/calls.hpp"
#include "support/sides.hpp"

namespace test {

// How many ranks a communicator has, in one group or in each of two.
struct Shape {
  int first = 0;
  int second = 0;

  [[nodiscard]] bool between() const { return second > 0; }
  [[nodiscard]] int ranks() const { return first + second; }
  [[nodiscard]] int size_of(int group) const { return group == 0 ? first : second; }
  [[nodiscard]] std::string text() const {
    return between() ? "between " + std::to_string(first) + " and " + std::to_string(second)
                     : "on " + std::to_string(first);
  }
};

struct Arguments {
  MPI_Aint items = 0;
  int root = 0;
  bool in_place = false;
  Form form;
  std::uint64_t graph = 0;  // seed of that of the neighbours
  // Between two groups: that of the root, and how many items the second one gives where both give.
  int root_group = 0;
  MPI_Aint items_back = 0;

  [[nodiscard]] MPI_Aint items_from(int group) const { return group == 0 ? items : items_back; }
};

// A buffer as MPI is given it.
struct Given {
  const void* address;
  int count;
  MPI_Datatype type;

  [[nodiscard]] void* writable() const { return const_cast<void*>(address); }
};

struct Seat {
  MPI_Comm comm;
  int rank;
  int size;
  // Between two groups: how many ranks the other one has, and which of them this is.
  int remote = 0;
  int group = 0;

  [[nodiscard]] bool between() const { return remote > 0; }
  [[nodiscard]] Shape shape() const {
    return group == 0 ? Shape{size, remote} : Shape{remote, size};
  }

  // The ranks that data come from and go to.
  [[nodiscard]] int peers() const { return between() ? remote : size; }
  [[nodiscard]] int group_of_peers() const { return between() ? 1 - group : 0; }

  // What tells a rank and its data from all others, and how long its block is from that of others.
  [[nodiscard]] int number() const { return number_of(group, rank); }
  [[nodiscard]] int number_of_peer(int peer) const { return number_of(group_of_peers(), peer); }
  [[nodiscard]] int number_of_root(const Arguments& a) const {
    return number_of(a.root_group, a.root);
  }

  // Between two groups, the root deals with the other group and the rest of its own stands by.
  [[nodiscard]] bool is_root(const Arguments& a) const {
    return group == a.root_group && rank == a.root;
  }
  [[nodiscard]] bool faces_root(const Arguments& a) const {
    return !between() || group != a.root_group;
  }
  [[nodiscard]] bool takes_no_part(const Arguments& a) const {
    return !faces_root(a) && !is_root(a);
  }
  [[nodiscard]] int root_argument(const Arguments& a) const {
    return between() ? test::root_argument(group, rank, a.root_group, a.root) : a.root;
  }

  // A buffer, or what is passed where none is significant. In one group that may be anything;
  // between two, Open MPI 4.1.4 looks at it.
  [[nodiscard]] Given buffer_if(bool significant, const Given& buffer) const {
    if (significant) return buffer;
    return between() ? Given{unused.data(), 77, MPI_BYTE} : Given{nullptr, -1, MPI_DATATYPE_NULL};
  }

 private:
  // Between two groups such that the irregular block of neither rank 0 is empty.
  [[nodiscard]] int number_of(int of, int its_rank) const {
    return its_rank + (between() ? (of == 0 ? 2 : 500) : 0);
  }
};

// `group`: which of the two groups of an intercommunicator the caller is in.
inline Seat seat_in(MPI_Comm comm, int group = 0) {
  Seat seat{comm, 0, 1};
  int is_between = 0;
  MPI_Comm_rank(comm, &seat.rank);
  MPI_Comm_size(comm, &seat.size);
  MPI_Comm_test_inter(comm, &is_between);
  if (is_between != 0) {
    MPI_Comm_remote_size(comm, &seat.remote);
    seat.group = group;
  }
  return seat;
}

}  // namespace test
