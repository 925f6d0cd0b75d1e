// SPDX-License-Identifier: Apache-2.0
#include "mpi/worlds.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace roundelay::mpi {

namespace {

// Frees the group.
bool is_inside(MPI_Group some, MPI_Group all) {
  int size = 0;
  PMPI_Group_size(some, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> there(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(some, size, ranks.data(), all, there.data());
  PMPI_Group_free(&some);
  return std::ranges::find(there, MPI_UNDEFINED) == there.end();
}

}  // namespace

bool is_one_world(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) return true;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_group(comm, &group);
  bool is = is_inside(group, world);
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) {
    PMPI_Comm_remote_group(comm, &group);
    is = is_inside(group, world) && is;
  }
  PMPI_Group_free(&world);
  return is;
}

}  // namespace roundelay::mpi
