// SPDX-License-Identifier: Apache-2.0
// A user's communicator as this library sees it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "mpi/rank_properties.hpp"
#include "mpi/tags.hpp"
#include "schedule/graph.hpp"
#include "schedule/memo.hpp"
#include "schedule/topology.hpp"

namespace roundelay::mpi {

class PutWindow;
class SharedMemory;

class Communicator {
 public:
  // Asks the MPI library for the facts; sends nothing.
  explicit Communicator(MPI_Comm user);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  [[nodiscard]] MPI_Comm user() const noexcept { return user_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] bool inter() const noexcept { return inter_; }

  // Of an intercommunicator size() is that of both groups together. As soon as there is own(),
  // rank() is that in own(), where the ranks of the low group come first.
  [[nodiscard]] int local_size() const noexcept { return size_ - remote_size_; }
  [[nodiscard]] int remote_size() const noexcept { return remote_size_; }
  [[nodiscard]] bool is_low() const noexcept { return low_; }

  // A communicator of the same ranks that only this library uses, so that its messages never meet
  // the user's wildcard receives. Errors on it return. Of an intercommunicator it has the ranks of
  // both groups. MPI_COMM_NULL until make_own() made it, which nobody needs where shared() carries
  // all messages.
  [[nodiscard]] MPI_Comm own() const noexcept { return own_; }
  // Where all ranks can be addressed: own(), or else that of an intracommunicator's user. For what
  // is collective, and for MPI's functions that ask for a communicator but send nothing on it.
  [[nodiscard]] MPI_Comm everybody() const noexcept {
    return own_ != MPI_COMM_NULL || inter_ ? own_ : user_;
  }
  // Whether there is what schedules need: own() or shared().
  [[nodiscard]] bool can_run() const noexcept {
    return own_ != MPI_COMM_NULL || shared_ != nullptr;
  }
  // Collective; whether it is there now. The ranks of an intracommunicator agree on that: where one
  // has not got it, none keeps it. No error handler of the program is called.
  bool make_own();
  // Whether this process may have one more own(): MPICH has 2048 context ids in all, of which the
  // program shall find most.
  [[nodiscard]] static bool may_make_own() noexcept;
  // How many threads of this process have begun to use communicators of the program, where that
  // matters: with Open MPI make_own() may end in a deadlock if they make others meanwhile. Ranks
  // agree on the number of a communicator, a process lets the first in an order of its agreements
  // go on, and the others wait for that one, even if it waits for a rank that has not come yet.
  [[nodiscard]] static Users users() noexcept;
  // Of the messages of calls on own().
  [[nodiscard]] Tags& tags() noexcept { return tags_; }
  [[nodiscard]] const Tags& tags() const noexcept { return tags_; }

  // How many calls of the program are pending (mpi/pending.hpp). As long as there is none, the
  // thread that calls collectives on the communicator has all of this to itself.
  [[nodiscard]] bool any_pending() const noexcept {
    return pending_.load(std::memory_order_acquire) != 0;
  }
  // How many calls there are that the program may start again (mpi/persistent.hpp).
  [[nodiscard]] bool any_persistent() const noexcept {
    return persistent_.load(std::memory_order_acquire) != 0;
  }
  void add_persistent(int calls) noexcept {
    persistent_.fetch_add(calls, std::memory_order_acq_rel);
  }
  // The user's is gone, but calls are not.
  void outlive_user() noexcept { user_ = MPI_COMM_WORLD; }
  void add_pending(int calls) noexcept { pending_.fetch_add(calls, std::memory_order_acq_rel); }
  // What schedules remember from call to call.
  [[nodiscard]] Memo& memo() noexcept { return memo_; }
  // Where the ranks are, if somebody found it out: the same on all of them.
  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  void know(Topology topology) { topology_ = std::move(topology); }
  // Who is whose neighbour, if somebody found it out: the same on all ranks.
  [[nodiscard]] const std::shared_ptr<const Graph>& graph() const noexcept { return graph_; }
  void know(std::shared_ptr<const Graph> graph) noexcept { graph_ = std::move(graph); }
  // The memory that ranks of one node share, if they do: set together on all ranks.
  [[nodiscard]] SharedMemory* shared() const noexcept { return shared_.get(); }
  void share(std::unique_ptr<SharedMemory> shared);
  // The window into which ranks put for each other that share no memory, if there is one: set
  // together on all ranks. It ends when MPI_Finalize begins.
  [[nodiscard]] PutWindow* put() const noexcept;
  void put_into(std::shared_ptr<PutWindow> window);
  // Frees own() and shared(), and gives put() up, if they were made: as collective as
  // MPI_Comm_free.
  void free_own() noexcept;

 private:
  void duplicate();
  void merge();

  MPI_Comm user_;
  MPI_Comm own_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int remote_size_ = 0;
  std::atomic<int> pending_{0};
  std::atomic<int> persistent_{0};
  Tags tags_;
  bool inter_ = false;
  bool low_ = true;
  Memo memo_;
  Topology topology_;
  std::shared_ptr<const Graph> graph_;
  std::unique_ptr<SharedMemory> shared_;
  std::shared_ptr<PutWindow> put_;
};

}  // namespace roundelay::mpi
