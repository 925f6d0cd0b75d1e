// SPDX-License-Identifier: Apache-2.0
// A window into which the ranks of a communicator put messages for each other.
//
// It lives until MPI_Finalize. MPI_Win_free waits for all ranks, but a communicator may end where
// nobody may wait: in a delete callback that the MPI library runs when the last operation on the
// communicator is over, at another time on each rank. So a window whose communicator has ended is
// kept, and serves the next communicator of the same ranks in the same order. When MPI_Finalize
// begins, each rank comes to close_put_windows(), where all ranks free the windows that they have
// in common in the same order: there nobody waits for one who waits for him.
#pragma once

#include <mpi.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "shared/put_port.hpp"

namespace roundelay::mpi {

class PutWindow final : public shared::Wire {
 public:
  // The same on all its ranks; orders all windows that a rank has.
  struct Name {
    std::uint64_t number = 0;  // later ones of a rank have higher numbers,
    std::uint64_t nonce = 0;   // but for those that several threads make at once
    auto operator<=>(const Name&) const = default;
  };

  // Collective over own(). See usable().
  PutWindow(const Communicator& comm, Name name);

  // Whether this rank has got it, and sees what others put into it as soon as that has come.
  [[nodiscard]] bool usable() const noexcept { return usable_; }
  // Collective: whether what is put into it comes while its target looks for it.
  [[nodiscard]] bool carries();
  [[nodiscard]] bool is_of(MPI_Comm comm) const;
  [[nodiscard]] const Name& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return 2 * layout_.area_bytes(); }

  [[nodiscard]] shared::PutPort& port() noexcept { return *port_; }
  // Of the ranks in the window: they are those of the communicator.
  [[nodiscard]] std::span<const int> numbers() const noexcept { return numbers_; }
  [[nodiscard]] bool open() const noexcept { return window_ != MPI_WIN_NULL; }
  // Collective over its ranks. Then it can no longer be used.
  void close() noexcept;

  bool put(int to, std::size_t offset, std::span<const std::byte> bytes,
           std::size_t ticket) noexcept override;
  bool tell(int to, std::size_t offset, const std::uint64_t& number,
            std::size_t ticket) noexcept override;
  [[nodiscard]] bool is_free(int to, std::size_t ticket) const noexcept override {
    return failed_ || !busy_[index(to, ticket)];
  }
  void progress() noexcept override;

 private:
  static std::size_t index(int to, std::size_t ticket) noexcept {
    return static_cast<std::size_t>(to) * tickets + ticket;
  }
  // Of what was started. Returns whether it was.
  bool note(int error, MPI_Request request, std::size_t index) noexcept;

  Name name_;
  // Its own, as long as it lives: MPICH 4.0.2 dies in the answer to a put if the communicator that
  // the window was made on has been freed and others have been made since.
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_;
  shared::PutLayout layout_;
  std::vector<int> numbers_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  bool usable_ = false;
  bool failed_ = false;  // something that was put; nothing is put any more
  std::unique_ptr<shared::PutPort> port_;
  // What is under way, and the index of each.
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> indices_;
  std::vector<bool> busy_;  // by index
};

struct PutWindowOrNot {
  std::shared_ptr<PutWindow> window;
  const char* why_not = nullptr;  // if there is none; the same on all ranks
};

// Collective over own(). Either all ranks get it, or none does.
[[nodiscard]] PutWindowOrNot open_put_window(const Communicator& comm);

// When MPI_Finalize begins.
void close_put_windows() noexcept;

}  // namespace roundelay::mpi
