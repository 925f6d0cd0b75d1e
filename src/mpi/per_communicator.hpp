// SPDX-License-Identifier: Apache-2.0
// State that lives as long as a user's communicator and is found by its handle in nanoseconds.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace roundelay::mpi {

template <typename Anything>
union NeverDestroyed;

// State is made from the MPI_Comm by whoever asks first. It ends, after State::ended(), with the
// communicator: in the delete callback of an attribute, which MPI calls while the communicator is
// freed, on all its ranks. (Not for MPI_COMM_WORLD at MPI_Finalize on Open MPI from 5.0.1 on:
// there end() has to be called.)
//
// A table by handle stands before the attribute. Its entries may be read while another thread frees
// another communicator: nodes are therefore never given back, only used again.
template <typename State>
class PerCommunicator {
 public:
  static PerCommunicator& instance() noexcept;

  // Null for what is no communicator, and where there is no MPI_COMM_WORLD.
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

  // Calls visit(state) for every state that there is.
  template <typename Visit>
  void for_each(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    for (Node* node : nodes_) {
      if (node->state.has_value()) visit(*node->state);
    }
  }

 private:
  struct Node {
    std::atomic<MPI_Comm> comm{MPI_COMM_NULL};
    std::optional<State> state;
    State* state_address = nullptr;
  };

  friend union NeverDestroyed<PerCommunicator>;
  constexpr PerCommunicator() = default;

  static std::size_t slot(MPI_Comm comm) noexcept {
    const std::size_t hash = std::hash<MPI_Comm>()(comm);
    return (hash ^ (hash >> 4U)) % slots;
  }

  [[gnu::noinline]] State* find_or_make(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL || !world_model_is_up()) return nullptr;
    std::call_once(key_is_made_,
                   [this] { PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key_, this); });
    void* found = nullptr;
    int present = 0;
    if (PMPI_Comm_get_attr(comm, key_, &found, &present) != MPI_SUCCESS) return nullptr;
    Node* node = present != 0 ? static_cast<Node*>(found) : make(comm);
    table_[slot(comm)].store(node, std::memory_order_release);
    return node->state_address;
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
    Node* node = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (free_.empty()) {
        node = nodes_.emplace_back(new Node);
      } else {
        node = free_.back();
        free_.pop_back();
      }
      node->state_address = &node->state.emplace(comm);
    }
    node->comm.store(comm, std::memory_order_relaxed);
    PMPI_Comm_set_attr(comm, key_, node);
    return node;
  }

  static int forget(MPI_Comm comm, int /*key*/, void* attribute, void* extra) {
    auto& self = *static_cast<PerCommunicator*>(extra);
    auto* node = static_cast<Node*>(attribute);
    const Node* cached = node;
    self.table_[slot(comm)].compare_exchange_strong(cached, nullptr, std::memory_order_acq_rel);
    node->comm.store(MPI_COMM_NULL, std::memory_order_relaxed);
    node->state->ended();
    const std::lock_guard lock(self.mutex_);
    node->state.reset();
    self.free_.push_back(node);
    return MPI_SUCCESS;
  }

  static constexpr std::size_t slots = 256;
  std::array<std::atomic<const Node*>, slots> table_{};
  std::once_flag key_is_made_;
  int key_ = MPI_KEYVAL_INVALID;
  std::mutex mutex_;
  std::vector<Node*> nodes_;
  std::vector<Node*> free_;
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
