// SPDX-License-Identifier: Apache-2.0
#include "preload/giving_up.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "preload/events.hpp"

namespace roundelay::preload {

void give_up(const Communicator& comm, const std::string& why, bool speaks) {
  if (speaks) {
    std::fprintf(stderr, "roundelay: error: %s\n", why.c_str());
    std::fflush(stderr);
    tell_error(why);
    // A launcher may drop output that it has not passed on when the job ends.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    PMPI_Abort(comm.user(), 1);
  }
  PMPI_Barrier(comm.user());  // until the rank that speaks has ended the job
  std::abort();
}
void give_up(const Communicator& comm, const std::string& why) {
  give_up(comm, why, comm.rank() == 0);
}

}  // namespace roundelay::preload
