// SPDX-License-Identifier: Apache-2.0
#include "mpi/running.hpp"

namespace roundelay::mpi {

Running::~Running() {
  if (!handle_) return;
  if (Executor* executor = handle_.promise().executor; executor != nullptr) {
    executor->give_up();
  }
  handle_.destroy();
}

void Running::go_on(int error) {
  handle_.promise().error = error;
  handle_.promise().executor = nullptr;
  handle_.resume();
}

bool Running::progress() {
  if (over()) return true;
  if (Executor* executor = handle_.promise().executor; executor == nullptr) {
    handle_.resume();
  } else {
    const int error = executor->progress();
    if (error == MPI_SUCCESS && !executor->over()) return false;
    go_on(error);
  }
  return over();
}

int Running::wait() {
  promise_type& promise = handle_.promise();
  if (over()) return promise.error;
  promise.blocks = true;
  if (promise.executor == nullptr) {
    handle_.resume();
  } else {
    go_on(promise.executor->finish());
  }
  return promise.error;
}

}  // namespace roundelay::mpi
