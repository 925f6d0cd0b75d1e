// SPDX-License-Identifier: Apache-2.0
#include "mpi/duplicates.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

struct Duplicate {
  MPI_Comm comm;  // of which it is one
  MPI_Request request;
};

// Never destroyed: communicators may be made while the process ends.
struct Duplicates {
  std::mutex mutex;
  std::vector<Duplicate> all;
};
Duplicates& duplicates() {
  static auto* const one = new Duplicates;
  return *one;
}

constinit std::atomic<bool> any{false};

// The program may have completed the request, and has none any more. But Open MPI keeps the memory
// of these requests for later ones of the same kind, and until then it says complete.
bool is_there(const Duplicate& duplicate) {
  int complete = 1;
  PMPI_Request_get_status(duplicate.request, &complete, MPI_STATUS_IGNORE);
  return complete != 0;
}

// Whether none is missing of those that `concerns` is true of. Forgets those of them that are
// there.
bool has_all(const auto& concerns) {
  Duplicates& known = duplicates();
  const std::lock_guard lock(known.mutex);
  std::erase_if(known.all, [&](const Duplicate& one) { return concerns(one) && is_there(one); });
  any = !known.all.empty();
  return std::ranges::none_of(known.all, concerns);
}

}  // namespace

// A request that was another duplicate's before is so no more.
void note_duplicate(MPI_Comm comm, MPI_Request request) {
  Duplicates& known = duplicates();
  const std::lock_guard lock(known.mutex);
  std::erase_if(known.all, [request](const Duplicate& one) { return one.request == request; });
  known.all.push_back({comm, request});
  any = true;
}

void wait_for_duplicates(MPI_Comm comm) {
  if (!any) [[likely]]
    return;
  const auto is_of_it = [comm](const Duplicate& one) { return one.comm == comm; };
  while (!has_all(is_of_it)) give_the_core_away();
}

bool others_are_duplicated(MPI_Comm comm) {
  if (!any) [[likely]]
    return false;
  return !has_all([comm](const Duplicate& one) { return one.comm != comm; });
}

}  // namespace roundelay::mpi
