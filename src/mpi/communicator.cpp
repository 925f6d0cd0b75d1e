// SPDX-License-Identifier: Apache-2.0
#include "mpi/communicator.hpp"

#include <atomic>
#include <limits>
#include <thread>

#include "mpi/duplicates.hpp"
#include "mpi/put_window.hpp"
#include "mpi/shared_memory.hpp"

namespace roundelay::mpi {

namespace {

// Communicators of this library in this process.
std::atomic<int> alive{0};

// The first thread that began to use one of the program, and whether another one has.
std::atomic<std::thread::id> first_user{};
std::atomic<bool> several_users{false};

void note_user() noexcept {
  std::thread::id first;
  const std::thread::id here = std::this_thread::get_id();
  if (!first_user.compare_exchange_strong(first, here) && first != here) several_users = true;
}

// While it lives, errors on a communicator return. The program's error handler comes back then,
// unless another thread has set one meanwhile. (Not a function that does nothing instead of
// MPI_ERRORS_RETURN: after one, MPICH 5 returns MPI_SUCCESS.)
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm, &handler_);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;
  ~ErrorsReturn() {
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm_, &now);
    if (now == MPI_ERRORS_RETURN) PMPI_Comm_set_errhandler(comm_, handler_);
    PMPI_Errhandler_free(&now);
    PMPI_Errhandler_free(&handler_);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

// SMPI's own are for those of long messages: see tag_for() of messages.hpp.
int largest_tag() {
  int* largest = nullptr;
  int found = 0;
#if !ROUNDELAY_SIMGRID
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &found);
#endif
  return found != 0 ? *largest : Tags::promised;
}

}  // namespace

Communicator::Communicator(MPI_Comm user) : user_(user), tags_(largest_tag()) {
  int inter = 0;
  PMPI_Comm_test_inter(user, &inter);
  inter_ = inter != 0;
  PMPI_Comm_rank(user, &rank_);
  PMPI_Comm_size(user, &size_);
  if (inter_) PMPI_Comm_remote_size(user, &remote_size_);
  size_ += remote_size_;
  if (size_ > 1 && user != MPI_COMM_WORLD) note_user();
}

Communicator::~Communicator() = default;

void Communicator::share(std::unique_ptr<SharedMemory> shared) { shared_ = std::move(shared); }

PutWindow* Communicator::put() const noexcept {
  return put_ != nullptr && put_->open() ? put_.get() : nullptr;
}

void Communicator::put_into(std::shared_ptr<PutWindow> window) { put_ = std::move(window); }

bool Communicator::may_make_own() noexcept {
#if ROUNDELAY_MPICH || ROUNDELAY_STANDARD_ABI
  constexpr int most = 256;
#else
  constexpr int most = std::numeric_limits<int>::max();
#endif
  return alive.load(std::memory_order_relaxed) < most;
}

Users Communicator::users() noexcept {
#if ROUNDELAY_OPEN_MPI
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) {
    return several_users ? Users::several_threads : Users::perhaps_several;
  }
#endif
  return Users::one_thread;
}

bool Communicator::make_own() {
  if (own_ != MPI_COMM_NULL) return true;
  wait_for_duplicates(user_);
  const ErrorsReturn quiet(user_);
  if (inter_) {
    merge();
  } else {
    duplicate();
  }
  const bool made = own_ != MPI_COMM_NULL;
  if (made) {
    alive.fetch_add(1, std::memory_order_relaxed);
    PMPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN);
  }
  // Between two groups this is not asked: an allreduce there tells a group only of the other one.
  int all_made = made ? 1 : 0;
  if (!inter_ &&
      PMPI_Allreduce(MPI_IN_PLACE, &all_made, 1, MPI_INT, MPI_MIN, user_) != MPI_SUCCESS) {
    all_made = 0;
  }
  if (all_made == 0) free_own();
  return all_made != 0;
}

void Communicator::duplicate() {
  // Not MPI_Comm_dup: it would run the copy callbacks of the user's attributes.
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(user_, &group);
  if (PMPI_Comm_create(user_, group, &own_) != MPI_SUCCESS) own_ = MPI_COMM_NULL;
  PMPI_Group_free(&group);
}

// Nobody asks to be high: who is low is the MPI library's to say, and shows in the ranks.
void Communicator::merge() {
  const int local_rank = rank_;
  if (PMPI_Intercomm_merge(user_, 0, &own_) != MPI_SUCCESS) {
    own_ = MPI_COMM_NULL;
    return;
  }
  PMPI_Comm_rank(own_, &rank_);
  low_ = rank_ == local_rank;
}

void Communicator::free_own() noexcept {
  shared_.reset();
  put_.reset();
  if (own_ == MPI_COMM_NULL) return;
  PMPI_Comm_free(&own_);
  alive.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace roundelay::mpi
