// SPDX-License-Identifier: Apache-2.0
// Two groups of ranks and their intercommunicator.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace test {

inline constexpr int untouched = -7;
inline int failures = 0;

struct Groups {
  MPI_Comm inter;
  int own;  // 0 or 1
  int rank;
  int size;
  int remote;
};

inline void expect(bool condition, const Groups& groups, const std::string& what) {
  if (condition) return;
  if (++failures < 5) {
    std::fprintf(stderr, "FAILED: group %d, rank %d: %s\n", groups.own, groups.rank, what.c_str());
  }
}

inline int value(int group, int rank, int i) { return 100000000 * group + 1000000 * rank + i; }

// An int, of which the second group has one in every two places.
class Element {
 public:
  explicit Element(int group) : stride_(group + 1) {
    MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(sizeof(int)) * stride_, &type_);
    MPI_Type_commit(&type_);
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;
  ~Element() { MPI_Type_free(&type_); }

  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] std::size_t at(int i) const { return static_cast<std::size_t>(i * stride_); }

 private:
  int stride_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Either p ranks and then q (`halves`), or one of each in turn.
inline MPI_Comm split(bool halves, int p, int q, int& own) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // Either p ranks and then q, or one of each in turn and in reverse order, as far as there are.
  const int pairs = std::min(p, q);
  own = rank < p ? 0 : 1;
  if (!halves) own = rank < 2 * pairs ? rank % 2 : static_cast<int>(p < q);
  int leader = halves ? (own == 0 ? p : 0) : 0;
  MPI_Comm group = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, own, halves ? rank : -rank, &group);
  if (!halves) {
    // The other group's rank 0 is its last of the world.
    std::array<int, 2> last{-1, -1};
    last[static_cast<std::size_t>(own)] = rank;
    MPI_Allreduce(MPI_IN_PLACE, last.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    leader = last[static_cast<std::size_t>(1 - own)];
  }
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, leader, 5, &inter);
  MPI_Comm_free(&group);
  return inter;
}

inline MPI_Comm spawn(int q, int& own, char** argv) {
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_get_parent(&inter);
  own = inter == MPI_COMM_NULL ? 0 : 1;
  if (own == 1) return inter;
  // A launcher need not give its variables to whom it starts later.
  std::string preload =
      std::string("LD_PRELOAD=") + (std::getenv("LD_PRELOAD") ? std::getenv("LD_PRELOAD") : "");
  std::vector<char*> arguments{preload.data()};
  for (char** each = argv; *each != nullptr; ++each) arguments.push_back(*each);
  arguments.push_back(nullptr);
  std::string env = "env";
  MPI_Comm_spawn(env.data(), arguments.data(), q, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                 MPI_ERRCODES_IGNORE);
  return inter;
}

inline Groups groups_of(MPI_Comm inter, int own) {
  Groups groups{inter, own, 0, 0, 0};
  MPI_Comm_rank(inter, &groups.rank);
  MPI_Comm_size(inter, &groups.size);
  MPI_Comm_remote_size(inter, &groups.remote);
  return groups;
}

}  // namespace test
