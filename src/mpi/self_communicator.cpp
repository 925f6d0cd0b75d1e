// SPDX-License-Identifier: Apache-2.0
#include "mpi/self_communicator.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "mpi/slots.hpp"
#include "mpi/spin_lock.hpp"

namespace roundelay::mpi {

namespace {

// Recursive: to describe a datatype may need the description of another.
constinit std::recursive_mutex mutex;
std::atomic<MPI_Comm> one_rank = MPI_COMM_NULL;

constinit SpinLock tags_lock;
// A tag is the number of a slot, in which nothing is.
Slots<std::vector<char>>& tags() {
  static auto* const all = new Slots<std::vector<char>>;  // needed as long as the process runs
  return *all;
}

}  // namespace

SelfCommunicator::SelfCommunicator() { mutex.lock(); }
SelfCommunicator::~SelfCommunicator() { mutex.unlock(); }

MPI_Comm SelfCommunicator::get() {
#if ROUNDELAY_SIMGRID
  return MPI_COMM_SELF;  // all ranks are in one process
#else
  const MPI_Comm made = one_rank.load(std::memory_order_acquire);
  return made != MPI_COMM_NULL ? made : with([](MPI_Comm comm) { return comm; });
#endif
}

MPI_Comm SelfCommunicator::comm() {
  MPI_Comm made = one_rank;
  if (made != MPI_COMM_NULL) return made;
  // Not MPI_Comm_dup: it would run the copy callbacks of the program's attributes.
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_SELF, &group);
  if (PMPI_Comm_create(MPI_COMM_SELF, group, &made) == MPI_SUCCESS) {
    PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    one_rank.store(made, std::memory_order_release);
  } else {
    made = MPI_COMM_NULL;
  }
  PMPI_Group_free(&group);
  return made;
}

void SelfCommunicator::free() {
  const SelfCommunicator locked;
  MPI_Comm made = one_rank.exchange(MPI_COMM_NULL);
  if (made != MPI_COMM_NULL) PMPI_Comm_free(&made);
}

SelfTag::SelfTag() {
  const std::lock_guard lock(tags_lock);
  number_ = static_cast<int>(tags().take());
}

SelfTag::~SelfTag() {
  const std::lock_guard lock(tags_lock);
  tags().give_back(static_cast<std::uint32_t>(number_));
}

}  // namespace roundelay::mpi
