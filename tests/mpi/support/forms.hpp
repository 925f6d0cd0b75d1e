// SPDX-License-Identifier: Apache-2.0
// Collectives on an intercommunicator in all their forms.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/persistent.h"

namespace test {

// A call that waits; one that is started and waited for; one that is made once and started twice;
// one that waits while another is pending.
enum class Form { blocking, nonblocking, persistent, among };
inline Form form = Form::blocking;

inline Form form_of(const std::string& word) {
  if (word == "blocking") return Form::blocking;
  if (word == "nonblocking") return Form::nonblocking;
  if (word == "persistent") return Form::persistent;
  if (word == "among") return Form::among;
  std::abort();
}

// Runs a collective by that of its functions that makes the form. `written` is what it writes: the
// second run finds it as the first did.
template <typename T, typename Blocking, typename Starting, typename Making, typename... Arguments>
void run_in_form(MPI_Comm inter, std::vector<T>& written, Blocking blocking, Starting starting,
                 Making making, Arguments... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (form == Form::blocking) {
    blocking(arguments..., inter);
  } else if (form == Form::nonblocking) {
    starting(arguments..., inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (form == Form::persistent) {
    const std::vector<T> before = written;
    making(arguments..., inter, MPI_INFO_NULL, &request);
    for (int run = 0; run < 2; ++run) {
      std::ranges::copy(before, written.begin());
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  } else {
    constexpr int count = 300;
    const std::array<int, count> in{};
    std::array<int, count> out{};
    MPI_Iallreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, inter, &request);
    blocking(arguments..., inter);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

}  // namespace test
