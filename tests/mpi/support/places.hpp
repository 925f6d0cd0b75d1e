// SPDX-License-Identifier: Apache-2.0
// Places: where the ranks of a communicator are, where ROUNDELAY_NODES and ROUNDELAY_SITES have a
// letter for each rank of the world.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace test {

struct Places {
  // A letter for each rank; empty if nothing is said.
  std::string nodes;
  std::string sites;

  static Places of(MPI_Comm comm) {
    return {letters("ROUNDELAY_NODES", comm), letters("ROUNDELAY_SITES", comm)};
  }

  [[nodiscard]] static bool several(const std::string& at) {
    return std::ranges::any_of(at, [&](char part) { return part != at.front(); });
  }
  // Whether the ranks of each part follow each other.
  [[nodiscard]] static bool ordered(const std::string& at) {
    for (std::size_t i = 1; i < at.size(); ++i) {
      if (at[i] != at[i - 1] && at.find(at[i]) < i) return false;
    }
    return true;
  }

 private:
  static std::string letters(const char* variable, MPI_Comm comm) {
    const char* const value = std::getenv(variable);
    if (value == nullptr) return {};
    const std::string of_world = value;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    int size = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(comm, &group);
    MPI_Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::vector<int> in_world(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    std::string here;
    for (const int rank : in_world) here += of_world.at(static_cast<std::size_t>(rank));
    return here;
  }
};

}  // namespace test
