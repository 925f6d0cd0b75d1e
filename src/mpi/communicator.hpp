// SPDX-License-Identifier: Apache-2.0
// A user's communicator as this library sees it.
#pragma once

#include <mpi.h>

namespace roundelay {

class Communicator {
 public:
  // Asks the MPI library for the facts; sends nothing.
  explicit Communicator(MPI_Comm user);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() = default;

  [[nodiscard]] MPI_Comm user() const noexcept { return user_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] bool inter() const noexcept { return inter_; }

  // A communicator of the same ranks that only this library uses, so that its messages never meet
  // the user's wildcard receives. Made with the first call, which is collective; MPI_COMM_NULL if
  // that failed. Errors on it return.
  MPI_Comm own() { return own_ != MPI_COMM_NULL ? own_ : make_own(); }
  // Frees own(), if it was made: as collective as MPI_Comm_free.
  void free_own() noexcept;

 private:
  MPI_Comm make_own();

  MPI_Comm user_;
  MPI_Comm own_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool inter_ = false;
};

}  // namespace roundelay
