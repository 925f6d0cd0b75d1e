// SPDX-License-Identifier: Apache-2.0
#include "mpi/waiting.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace roundelay::mpi {

namespace {

constexpr int vain_polls_before_sleep = 30;

// One nanosecond: the kernel rounds it up to its timer slack, about 50 microseconds.
void give_the_core_away() {
  const timespec moment{0, 1};
  nanosleep(&moment, nullptr);
}

int cores_of(pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(process, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

// MPI_ERR_IN_STATUS hides the error; pending requests did not fail.
int first_error(std::span<const MPI_Status> statuses) {
  for (const MPI_Status& status : statuses) {
    if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING)
      return status.MPI_ERROR;
  }
  return MPI_ERR_OTHER;
}

// Statuses cost time, and nobody looks at them unless something failed: so there is room for them
// in advance and they are only read then.
std::span<MPI_Status> room_for(std::size_t count) {
  static thread_local std::vector<MPI_Status> statuses;
  if (statuses.size() < count) statuses.resize(count);
  return {statuses.data(), count};
}

}  // namespace

Occupancy occupancy() {
  Occupancy found;
  // A rank may be bound to one core; its launcher is not.
  found.cores = std::max({1, cores_of(0), cores_of(getppid())});
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && std::atoi(value) > 0) {
      found.ranks = std::atoi(value);
      break;
    }
  }
  return found;
}

Waiting suitable(const Occupancy& occupancy) {
  return occupancy.ranks > occupancy.cores ? Waiting::sleep : Waiting::spin;
}

int wait_some(std::span<MPI_Request> requests, std::vector<int>& completed) {
  const auto count = static_cast<int>(requests.size());
  const std::span<MPI_Status> statuses = room_for(requests.size());
  completed.resize(requests.size());
  int done = 0;
  int error = MPI_SUCCESS;
  if (waiting() == Waiting::spin) {
    error = PMPI_Waitsome(count, requests.data(), &done, completed.data(), statuses.data());
  } else {
    for (int vain = 0; done == 0 && error == MPI_SUCCESS; ++vain) {
      if (vain >= vain_polls_before_sleep) give_the_core_away();
      error = PMPI_Testsome(count, requests.data(), &done, completed.data(), statuses.data());
    }
  }
  if (error == MPI_ERR_IN_STATUS)
    error = first_error(statuses.first(static_cast<std::size_t>(done)));
  completed.resize(done > 0 ? static_cast<std::size_t>(done) : 0);
  return error;
}

int wait_all(std::span<MPI_Request> requests) {
  const auto count = static_cast<int>(requests.size());
  const std::span<MPI_Status> statuses = room_for(requests.size());
  int error = MPI_SUCCESS;
  if (waiting() == Waiting::spin) {
    error = PMPI_Waitall(count, requests.data(), statuses.data());
  } else {
    int done = 0;
    for (int vain = 0; done == 0 && error == MPI_SUCCESS; ++vain) {
      if (vain >= vain_polls_before_sleep) give_the_core_away();
      error = PMPI_Testall(count, requests.data(), &done, statuses.data());
    }
  }
  return error == MPI_ERR_IN_STATUS ? first_error(statuses) : error;
}

void wait_for(MPI_Request request) { wait_all({&request, 1}); }

}  // namespace roundelay::mpi
