// SPDX-License-Identifier: Apache-2.0
// State that lives as long as a user's communicator and is found by its handle in nanoseconds.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/library.hpp"

namespace roundelay::mpi {

template <typename Anything>
union NeverDestroyed;

// State is made from the MPI_Comm by whoever asks first. It ends, as soon as State::ended() says
// that nothing of it is under way, with the communicator: in the delete callback of an attribute,
// which MPI calls while the communicator is freed, on all its ranks. (Not for MPI_COMM_WORLD at
// MPI_Finalize on Open MPI from 5.0.1 on: there end() has to be called.)
//
// The program's own delete callbacks may call collectives on the communicator that is being freed.
// Where the call that frees it is known (Freeing), of() is null during this call, and the state
// ends after it: what is under way there has to be over before. Elsewhere a second attribute says
// that the state has ended, and of() is null from then on: state that was made now would never end,
// and would be taken for that of a later communicator with the same handle.
//
// Where something is under way still, State::ended() is asked again when other state is made.
//
// A table by handle stands before the attributes. Its entries may be read while another thread
// frees another communicator: nodes are therefore never given back, only used again.
template <typename State>
class PerCommunicator {
  struct Node {
    std::atomic<MPI_Comm> comm{MPI_COMM_NULL};
    std::optional<State> state;
    State* state_address = nullptr;
    bool being_freed = false;  // by this thread, which runs the callbacks
    std::thread::id freed_by;
    bool forgotten = false;  // meanwhile the attribute was deleted
    Node* next_lingering = nullptr;
  };

 public:
  static PerCommunicator& instance() noexcept;

  // Null for what is no communicator, where there is no MPI_COMM_WORLD (any more), and where the
  // state has ended. Throws what State's constructor throws.
  State* of(MPI_Comm comm) {
    const Node* node = table_[slot(comm)].load(std::memory_order_acquire);
    if (node != nullptr && node->comm.load(std::memory_order_relaxed) == comm) [[likely]] {
      return node->state_address;
    }
    return find_or_make(comm);
  }

  // Ends the state of a communicator that will not be freed.
  void end(MPI_Comm comm) {
    if (key_ == MPI_KEYVAL_INVALID) return;
    void* node = nullptr;
    int present = 0;
    PMPI_Comm_get_attr(comm, key_, &node, &present);
    if (present != 0) PMPI_Comm_delete_attr(comm, key_);
  }
  // Ends what was under way when its communicator was freed, and is over now.
  void sweep() noexcept {
    for (Node* node = take_lingering(); node != nullptr;) {
      finish(*std::exchange(node, node->next_lingering));
    }
  }
  // From now on no state is made: MPI_Finalize has begun.
  void close() noexcept { closed_.store(true, std::memory_order_relaxed); }
  // After MPI_Finalize: of() is null then. Communicators of the program's sessions may be there
  // still, and their states end with them.
  void leave() noexcept {
    for (auto& node : table_) node.store(nullptr, std::memory_order_release);
  }

  // Around the call that frees a communicator. Waits for the other ranks before it, by
  // State::finish_agreements().
  class Freeing {
   public:
    explicit Freeing(MPI_Comm comm) : node_(instance().begin_to_free(comm)) {
      if (node_ != nullptr) node_->state_address->finish_agreements();
    }
    Freeing(const Freeing&) = delete;
    Freeing& operator=(const Freeing&) = delete;
    ~Freeing() {
      if (node_ != nullptr) instance().end_freeing(*node_);
    }

   private:
    Node* node_;
  };

  // Calls visit(state) for every state that there is.
  template <typename Visit>
  void for_each(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    for (Node* node : nodes_) {
      if (node->state.has_value()) visit(*node->state);
    }
  }

 private:
  friend union NeverDestroyed<PerCommunicator>;
  constexpr PerCommunicator() = default;

  static std::size_t slot(MPI_Comm comm) noexcept {
    const std::size_t hash = std::hash<MPI_Comm>()(comm);
    return (hash ^ (hash >> 4U)) % slots;
  }

  // A handle that is zero is one that the program never set, or what Open MPI makes of a wrong one
  // of Fortran's. The MPI library is not asked about it: it would call an error handler.
  static bool is_none(MPI_Comm comm) noexcept {
    return comm == MPI_COMM_NULL || comm == MPI_Comm{};
  }

  // To look for the attribute, to make the state and to set the attribute is one critical section:
  // several threads may ask for the same communicator at once (MPI_COMM_SELF). MPI libraries hold
  // no lock of their own while they call forget(), which needs this one.
  [[gnu::noinline]] State* find_or_make(MPI_Comm comm) {
    if (is_none(comm) || !world_model_is_up()) return nullptr;
    sweep();
    const std::lock_guard lock(mutex_);
    if (key_ == MPI_KEYVAL_INVALID && !make_keys()) return nullptr;
    Node* node = find(comm);
    if (node == nullptr) return nullptr;
    table_[slot(comm)].store(node, std::memory_order_release);
    return node->state_address;
  }

  bool make_keys() {
    require_own_library();
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &ended_key_, nullptr);
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key_, this) == MPI_SUCCESS;
  }

  Node* find(MPI_Comm comm) {
    // No attribute is asked for while others are deleted: MPICH's lists are not whole then. For
    // another thread the handle may already be that of another communicator.
    for (const Node* node : nodes_) {
      if (node->being_freed && node->comm.load(std::memory_order_relaxed) == comm &&
          node->freed_by == std::this_thread::get_id()) {
        return nullptr;
      }
    }
    if (Node* node = known(comm); node != nullptr) return node;
    void* found = nullptr;
    int present = 0;
    if (PMPI_Comm_get_attr(comm, ended_key_, &found, &present) != MPI_SUCCESS) return nullptr;
    if (present != 0 || closed_.load(std::memory_order_relaxed)) return nullptr;
    return make(comm);
  }

  [[nodiscard]] Node* known(MPI_Comm comm) const {
    void* found = nullptr;
    int present = 0;
    if (PMPI_Comm_get_attr(comm, key_, &found, &present) != MPI_SUCCESS) return nullptr;
    return present != 0 ? static_cast<Node*>(found) : nullptr;
  }

  // Between MPI_Init and MPI_Finalize. A program that has only sessions has no MPI_COMM_WORLD to
  // keep house in, and its calls are passed on.
  static bool world_model_is_up() {
    int initialized = 0;
    int finalized = 0;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    return initialized != 0 && finalized == 0;
  }

  Node* make(MPI_Comm comm) {
    if (free_.empty()) {
      auto fresh = std::make_unique<Node>();
      nodes_.push_back(fresh.get());
      free_.reserve(nodes_.capacity());  // so that to give a node back cannot fail
      free_.push_back(fresh.release());
    }
    Node* node = free_.back();
    node->state_address = &node->state.emplace(comm);
    node->forgotten = false;
    if (PMPI_Comm_set_attr(comm, key_, node) != MPI_SUCCESS) {
      node->state.reset();
      return nullptr;
    }
    free_.pop_back();
    node->comm.store(comm, std::memory_order_relaxed);
    return node;
  }

  Node* begin_to_free(MPI_Comm comm) {
    if (key_ == MPI_KEYVAL_INVALID || is_none(comm) || !world_model_is_up()) return nullptr;
    const std::lock_guard lock(mutex_);
    Node* node = known(comm);
    if (node == nullptr) return nullptr;
    node->being_freed = true;
    node->freed_by = std::this_thread::get_id();
    leave_table(*node);
    return node;
  }

  void end_freeing(Node& node) {
    bool forgotten = false;
    {
      const std::lock_guard lock(mutex_);
      node.being_freed = false;
      forgotten = node.forgotten;
    }
    if (forgotten) finish(node);
  }

  static int forget(MPI_Comm comm, int /*key*/, void* attribute, void* extra) {
    auto& self = *static_cast<PerCommunicator*>(extra);
    auto& node = *static_cast<Node*>(attribute);
    {
      const std::lock_guard lock(self.mutex_);
      self.leave_table(node);
      node.forgotten = true;
      if (node.being_freed) return MPI_SUCCESS;
    }
    PMPI_Comm_set_attr(comm, self.ended_key_, &node);
    self.finish(node);
    return MPI_SUCCESS;
  }

  void leave_table(const Node& node) noexcept {
    const Node* cached = &node;
    table_[slot(node.comm.load(std::memory_order_relaxed))].compare_exchange_strong(
        cached, nullptr, std::memory_order_acq_rel);
  }

  // The state may talk to the MPI library while it ends, so this holds no lock then.
  void finish(Node& node) noexcept {
    const bool over = node.state->ended();
    const std::lock_guard lock(mutex_);
    node.comm.store(MPI_COMM_NULL, std::memory_order_relaxed);
    node.forgotten = false;
    if (over) {
      node.state.reset();
      free_.push_back(&node);
    } else {
      node.next_lingering = std::exchange(lingering_, &node);
    }
  }

  Node* take_lingering() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(lingering_, nullptr);
  }

  static constexpr std::size_t slots = 256;
  std::array<std::atomic<const Node*>, slots> table_{};
  std::atomic<bool> closed_{false};
  int key_ = MPI_KEYVAL_INVALID;
  int ended_key_ = MPI_KEYVAL_INVALID;
  std::mutex mutex_;
  std::vector<Node*> nodes_;
  std::vector<Node*> free_;
  Node* lingering_ = nullptr;  // whose communicators were freed, but whose states are not over
};

// Never destroyed: it outlives MPI_Finalize. No variable of instance(), where each call would ask
// whether it is there yet.
template <typename Anything>
union NeverDestroyed {
  constexpr NeverDestroyed() : one() {}
  ~NeverDestroyed() {}
  Anything one;
};
template <typename State>
constinit inline NeverDestroyed<PerCommunicator<State>> per_communicator;

template <typename State>
PerCommunicator<State>& PerCommunicator<State>::instance() noexcept {
  return per_communicator<State>.one;
}

}  // namespace roundelay::mpi
