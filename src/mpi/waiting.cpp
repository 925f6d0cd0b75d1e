// SPDX-License-Identifier: Apache-2.0
#include "mpi/waiting.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "mpi/cores.hpp"
#include "mpi/tags.hpp"

namespace roundelay::mpi {

namespace {

constexpr int idle_polls_before_sleep = 30;

// Tells the core that this is a loop of looks.
void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// MPI_ERR_IN_STATUS hides the error; pending requests did not fail.
int first_error(std::span<const MPI_Status> statuses) {
  for (const MPI_Status& status : statuses) {
    if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING)
      return status.MPI_ERROR;
  }
  return MPI_ERR_OTHER;
}

// Nobody looks at statuses unless something failed: they are only then read.
using Statuses = std::array<MPI_Status, most_waited_for>;

// Calls test() until it says that something is done or failed.
int poll(const auto& test) {
  for (int idle = 0;; ++idle) {
    if (idle >= idle_polls_before_sleep) give_the_core_away();
    bool done = false;
    if (const int error = test(done); done || error != MPI_SUCCESS) return error;
  }
}

// What PMPI_Waitsome and PMPI_Testsome say: `count` of them, or none that is active.
int take_completed(int error, int count, const Statuses& statuses, std::size_t& done) {
  done = count > 0 ? static_cast<std::size_t>(count) : 0;
  return error == MPI_ERR_IN_STATUS ? first_error({statuses.data(), done}) : error;
}

// A look for a message makes progress, if there is none. (Not on a communicator of one rank, with
// MPICH.) A program rarely has one from a rank to itself with the largest tag that MPI promises.
void make_progress(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  int found = 1;
  for (int tag = Tags::promised; found != 0 && tag >= 0; --tag) {
    PMPI_Iprobe(rank, tag, comm, &found, MPI_STATUS_IGNORE);
  }
}

// Makes progress as long as the MPI library has something to do. Returns whether it had: only the
// time that it takes shows this.
bool progress_took_time(MPI_Comm comm) {
  using Clock = std::chrono::steady_clock;
  constexpr int most_steps = 64;
  constexpr int times_the_least = 4;
  static std::atomic<Clock::rep> least{std::numeric_limits<Clock::rep>::max()};
  for (int step = 0; step < most_steps; ++step) {
    const auto start = Clock::now();
    make_progress(comm);
    const Clock::rep took = (Clock::now() - start).count();
    const Clock::rep known = std::min(took, least.load(std::memory_order_relaxed));
    least.store(known, std::memory_order_relaxed);
    if (took < times_the_least * known) return step > 0;
  }
  return true;
}

}  // namespace

// One nanosecond: the kernel rounds it up to its timer slack.
void give_the_core_away() {
  const timespec moment{0, 1};
  nanosleep(&moment, nullptr);
}

Occupancy occupancy() {
  Occupancy found;
  found.cores = usable_cores();
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

int wait_some(std::span<MPI_Request> requests, std::span<int> completed, std::size_t& done) {
  if (waiting() == Waiting::sleep) {
    return poll([&](bool& any) {
      const int error = test_some(requests, completed, done);
      any = done > 0;
      return error;
    });
  }
  Statuses statuses;
  int count = 0;
  const int error = PMPI_Waitsome(static_cast<int>(requests.size()), requests.data(), &count,
                                  completed.data(), statuses.data());
  return take_completed(error, count, statuses, done);
}

int test_some(std::span<MPI_Request> requests, std::span<int> completed, std::size_t& done) {
  Statuses statuses;
  int count = 0;
  const int error = PMPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count,
                                  completed.data(), statuses.data());
  return take_completed(error, count, statuses, done);
}

int wait_all(std::span<MPI_Request> requests) {
  Statuses statuses;
  const auto count = static_cast<int>(requests.size());
  const int error = waiting() == Waiting::spin
                        ? PMPI_Waitall(count, requests.data(), statuses.data())
                        : poll([&](bool& all) {
                            int flag = 0;
                            const int failed =
                                PMPI_Testall(count, requests.data(), &flag, statuses.data());
                            all = flag != 0;
                            return failed;
                          });
  return error == MPI_ERR_IN_STATUS ? first_error({statuses.data(), requests.size()}) : error;
}

bool FailedPolls::one_more(MPI_Comm comm) {
  constexpr std::uint32_t looks_between_progress = 64;
  // Where ranks outnumber cores: a fraction of a microsecond.
  constexpr std::uint32_t looks_before_yield = 4;
  constexpr std::uint32_t looks_before_sleep = 100;
  constexpr std::uint32_t patient_looks = 4096;  // with a core of its own: about 50 microseconds
  ++count_;
  const bool crowded = waiting() == Waiting::sleep;
  if (crowded && count_ >= looks_before_sleep) {
    if (progress_took_time(comm)) {
      longest_sleep_ = first_sleep;
      sched_yield();  // others may have more for the library soon
      return false;
    }
    longest_sleep_ = std::min(longest_sleep_ + longest_sleep_ / 8, last_sleep);
    return true;
  }
  if (count_ % looks_between_progress == 0) make_progress(comm);
  if (count_ >= (crowded ? looks_before_yield : patient_looks)) {
    sched_yield();
  } else {
    relax();
  }
  return false;
}

int wait_for(MPI_Request request) { return wait_all({&request, 1}); }

}  // namespace roundelay::mpi
