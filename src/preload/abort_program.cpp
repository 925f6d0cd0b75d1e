// SPDX-License-Identifier: Apache-2.0
#include "preload/abort_program.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "preload/events.hpp"

namespace roundelay::preload {

void abort_program(const Communicator& comm, const std::string& why, bool prints) {
  if (prints) {
    std::fprintf(stderr, "roundelay: error: %s\n", why.c_str());
    std::fflush(stderr);
    tell_error(why);
    // A launcher may drop output that it has not passed on when the job ends.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    PMPI_Abort(comm.user(), 1);
  }
  PMPI_Barrier(comm.user());  // until the rank that prints has ended the job
  std::abort();
}
void abort_program(const Communicator& comm, const std::string& why) {
  abort_program(comm, why, comm.rank() == 0);
}

}  // namespace roundelay::preload
