// SPDX-License-Identifier: Apache-2.0
// The calls that start, complete and free requests: some are of persistent calls of this library.
#include "preload/persistent.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "mpi/spin_lock.hpp"
#include "preload/interpose.hpp"
#include "preload/native.hpp"
#include "preload/trace.hpp"
#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH  // the standard ABI has no MPI_Fint
#include "preload/fortran.hpp"
#endif

namespace roundelay::preload {
namespace {

// How many persistent calls exist; while there is none, no request is looked up.
constinit std::atomic<int> number{0};

// Of all that follows.
constinit mpi::SpinLock latch;

// The call that find() returned last, while it exists.
struct Found {
  PersistentCall* call = nullptr;
  MPI_Request request{};
};
constinit Found last;

// Never destroyed: the program may free requests while the process ends.
using Calls = std::unordered_map<MPI_Request, PersistentCall*>;
Calls& all_calls() {
  static auto* const all = new Calls;
  return *all;
}

enum class Then : std::uint8_t { keep, forget };

// Null: the request is of something else.
PersistentCall* find(MPI_Request request, Then then = Then::keep) {
  if (number.load(std::memory_order_acquire) == 0) [[likely]]
    return nullptr;
  const std::lock_guard lock(latch);
  if (last.call != nullptr && last.request == request && then == Then::keep) return last.call;
  Calls& all = all_calls();
  const auto known = all.find(request);
  if (known == all.end()) return nullptr;
  PersistentCall* const call = known->second;
  if (then == Then::keep) {
    last = {call, request};
  } else {
    all.erase(known);
    last = {};
    number.fetch_sub(1, std::memory_order_release);
  }
  return call;
}

int start(PersistentCall& call, MPI_Request* request) {
  Decision& decision = call.decision;
  const bool timed = decision.tally.wants_time();
  const std::uint64_t start = timed ? ticks() : 0;
  const int error = call.start(*request, !call.by_others);
  if (error != MPI_SUCCESS) {
    PMPI_Comm_call_errhandler(call.comm.user(), error);
    return error;
  }
  if (timed) decision.tally.add_time(ticks() - start);
  note(call.state, decision, call.bytes);
  return error;
}

using Start = int(MPI_Request*);
using StartAll = int(int, MPI_Request[]);
Start* const next_start = next_definition("MPI_Start", PMPI_Start);
StartAll* const next_start_all = next_definition("MPI_Startall", PMPI_Startall);
Start* const next_free = next_definition("MPI_Request_free", PMPI_Request_free);

int start(MPI_Request* request) {
  PersistentCall* const call = request != nullptr ? find(*request) : nullptr;
  return call != nullptr ? start(*call, request) : next_start(request);
}

// Calls a function with each of these calls, and its request, that is among some requests.
template <typename Function>
void for_ours(int count, const MPI_Request* requests, const Function& function) noexcept {
  if (number.load(std::memory_order_acquire) == 0) [[likely]]
    return;
  if (requests == nullptr) return;
  for (int i = 0; i < count; ++i) {
    PersistentCall* const call = find(requests[i]);
    if (call != nullptr) function(*call, requests[i]);
  }
}

int start_all(int count, MPI_Request* requests) {
  bool any = false;
  for_ours(count, requests, [&any](PersistentCall&, MPI_Request) { any = true; });
  if (!any) return next_start_all(count, requests);
  int error = MPI_SUCCESS;
  for (int i = 0; error == MPI_SUCCESS && i < count; ++i) error = start(&requests[i]);
  return error;
}

// MPI_Waitall, MPI_Test and MPI_Testall may treat a quiet request as complete.
void complete_quiet(int count, const MPI_Request* requests) noexcept {
  for_ours(count, requests, [](PersistentCall& call, MPI_Request) { call.complete_quiet(); });
}

// Any/Some functions return indices, so MPI itself must know that it is complete.
void tell_mpi(int count, const MPI_Request* requests) noexcept {
  for_ours(count, requests, [](PersistentCall& call, MPI_Request request) { call.tell(request); });
}

auto* const next_wait = next_definition("MPI_Wait", PMPI_Wait);
auto* const next_wait_all = next_definition("MPI_Waitall", PMPI_Waitall);
auto* const next_wait_any = next_definition("MPI_Waitany", PMPI_Waitany);
auto* const next_wait_some = next_definition("MPI_Waitsome", PMPI_Waitsome);
auto* const next_test = next_definition("MPI_Test", PMPI_Test);
auto* const next_test_all = next_definition("MPI_Testall", PMPI_Testall);
auto* const next_test_any = next_definition("MPI_Testany", PMPI_Testany);
auto* const next_test_some = next_definition("MPI_Testsome", PMPI_Testsome);

// After a call that may have completed requests of calls that do not wait.
int completed(int error) noexcept {
  mpi::free_kept_arguments();
  return error;
}

// The request may be another one's as soon as it is freed.
int free_request(MPI_Request* request) {
  PersistentCall* const call = request != nullptr ? find(*request, Then::forget) : nullptr;
  if (call != nullptr) mpi::PersistentCall::free(std::unique_ptr<PersistentCall>(call));
  return next_free(request);
}

// Fortran's procedures may complete it, which do not call those below.
[[maybe_unused]] void give_to_others(MPI_Request request) noexcept {
  PersistentCall* const call = find(request);
  if (call == nullptr) return;
  call->by_others = true;
  call->tell(request);
}

#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH
// Fortran's handles are integers.
[[maybe_unused]] int by_fortran(int (*function)(MPI_Request*), MPI_Fint* request) {
  MPI_Request handle = PMPI_Request_f2c(*request);
  give_to_others(handle);
  const int error = function(&handle);
  if (error == MPI_SUCCESS) *request = PMPI_Request_c2f(handle);
  return error;
}

[[maybe_unused]] int start_all_by_fortran(MPI_Fint count, MPI_Fint* requests) {
  int error = MPI_SUCCESS;
  for (MPI_Fint i = 0; error == MPI_SUCCESS && i < count; ++i) {
    error = by_fortran(start, &requests[i]);
  }
  return error;
}
#endif

}  // namespace

bool sees_starts() {
  static const bool all = [] {
    constexpr std::array functions{"MPI_Start",   "MPI_Startall", "MPI_Request_free", "MPI_Wait",
                                   "MPI_Waitall", "MPI_Waitany",  "MPI_Waitsome",     "MPI_Test",
                                   "MPI_Testall", "MPI_Testany",  "MPI_Testsome"};
    return std::ranges::all_of(functions, comes_here);
  }();
  return all;
}

int make_persistent(std::unique_ptr<PersistentCall> call, mpi::Running running,
                    MPI_Request& request) {
  if (const int error = call->make_request(std::move(running), request); error != MPI_SUCCESS) {
    return error;
  }
  const std::lock_guard lock(latch);
  all_calls().emplace(request, call.get());
  static_cast<void>(call.release());
  number.fetch_add(1, std::memory_order_release);
  return MPI_SUCCESS;
}

ROUNDELAY_EXPORT int MPI_Start(MPI_Request* request) { return start(request); }
ROUNDELAY_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  return start_all(count, requests);
}
ROUNDELAY_EXPORT int MPI_Request_free(MPI_Request* request) { return free_request(request); }

ROUNDELAY_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  PersistentCall* const call = request != nullptr ? find(*request) : nullptr;
  const bool over = call != nullptr && call->complete_quiet();
  if (over && status == MPI_STATUS_IGNORE) return MPI_SUCCESS;
  return completed(next_wait(request, status));
}
ROUNDELAY_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  complete_quiet(count, requests);
  return completed(next_wait_all(count, requests, statuses));
}
ROUNDELAY_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int* index,
                                 MPI_Status* status) {
  tell_mpi(count, requests);
  return completed(next_wait_any(count, requests, index, status));
}
ROUNDELAY_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                                  MPI_Status* statuses) {
  tell_mpi(count, requests);
  return completed(next_wait_some(count, requests, done, indices, statuses));
}
ROUNDELAY_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  complete_quiet(1, request);
  return completed(next_test(request, flag, status));
}
ROUNDELAY_EXPORT int MPI_Testall(int count, MPI_Request requests[], int* flag,
                                 MPI_Status* statuses) {
  const int error = completed(next_test_all(count, requests, flag, statuses));
  if (flag != nullptr && *flag != 0) complete_quiet(count, requests);
  return error;
}
ROUNDELAY_EXPORT int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                                 MPI_Status* status) {
  tell_mpi(count, requests);
  return completed(next_test_any(count, requests, index, flag, status));
}
ROUNDELAY_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                                  MPI_Status* statuses) {
  tell_mpi(count, requests);
  return completed(next_test_some(count, requests, done, indices, statuses));
}
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
// An older MPI of the same SONAME lacks them.
#pragma weak PMPI_Request_get_status_any
#pragma weak PMPI_Request_get_status_some
auto* const next_status_any =
    next_definition("MPI_Request_get_status_any", PMPI_Request_get_status_any);
auto* const next_status_some =
    next_definition("MPI_Request_get_status_some", PMPI_Request_get_status_some);
ROUNDELAY_EXPORT int MPI_Request_get_status_any(int count, const MPI_Request requests[], int* index,
                                                int* flag, MPI_Status* status) {
  tell_mpi(count, requests);
  return next_status_any(count, requests, index, flag, status);
}
ROUNDELAY_EXPORT int MPI_Request_get_status_some(int count, const MPI_Request requests[], int* done,
                                                 int indices[], MPI_Status* statuses) {
  tell_mpi(count, requests);
  return next_status_some(count, requests, done, indices, statuses);
}
#endif

#if ROUNDELAY_OPEN_MPI
// Open MPI's Fortran layer calls PMPI_*.
ROUNDELAY_EXPORT MPI_Fint MPI_Request_c2f(MPI_Request request) {
  give_to_others(request);
  return PMPI_Request_c2f(request);
}
ROUNDELAY_EXPORT MPI_Request MPI_Request_f2c(MPI_Fint request) {
  const MPI_Request handle = PMPI_Request_f2c(request);
  give_to_others(handle);
  return handle;
}
ROUNDELAY_FORTRAN(mpi_start, MPI_START, ompi_start_f, (MPI_Fint * request, MPI_Fint* ierror)) {
  answer(ierror, by_fortran(start, request));
}
ROUNDELAY_FORTRAN(mpi_startall, MPI_STARTALL, ompi_startall_f,
                  (MPI_Fint * count, MPI_Fint* requests, MPI_Fint* ierror)) {
  answer(ierror, start_all_by_fortran(*count, requests));
}
ROUNDELAY_FORTRAN(mpi_request_free, MPI_REQUEST_FREE, ompi_request_free_f,
                  (MPI_Fint * request, MPI_Fint* ierror)) {
  answer(ierror, by_fortran(free_request, request));
}
#elif ROUNDELAY_MPICH
// MPICH's Fortran layer calls MPI_*, but for these procedures of mpi_f08.
ROUNDELAY_EXPORT void mpi_start_f08_(MPI_Fint* request, MPI_Fint* ierror) {
  answer(ierror, by_fortran(start, request));
}
ROUNDELAY_EXPORT void mpi_startall_f08_(const MPI_Fint* count, MPI_Fint* requests,
                                        MPI_Fint* ierror) {
  answer(ierror, start_all_by_fortran(*count, requests));
}
ROUNDELAY_EXPORT void mpi_request_free_f08_(MPI_Fint* request, MPI_Fint* ierror) {
  answer(ierror, by_fortran(free_request, request));
}
#endif

}  // namespace roundelay::preload
