// SPDX-License-Identifier: Apache-2.0
// Waiting for what passes through memory alone.
#pragma once

#include <mpi.h>

#include "mpi/waiting.hpp"
#include "shared/carrier.hpp"

namespace roundelay::mpi {

// Goes on with all that the carrier carries until enough() says so. `comm` has all ranks that
// take part. Throws as Carrier::progress() does.
template <typename Enough>
void progress_until(shared::Carrier& carrier, MPI_Comm comm, const Enough& enough) {
  FailedPolls looks;
  while (!enough()) {
    if (carrier.progress()) {
      looks = {};
    } else if (looks.one_more(comm) && carrier.sleep_unless(enough, looks.longest_sleep())) {
      return;
    }
  }
}

}  // namespace roundelay::mpi
