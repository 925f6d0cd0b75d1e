// SPDX-License-Identifier: Apache-2.0
// The calls that start and free requests: some are of persistent calls of this library.
#include "preload/persistent.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "preload/interpose.hpp"
#include "preload/native.hpp"
#include "preload/trace.hpp"
#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH  // the standard ABI has no MPI_Fint
#include "preload/fortran.hpp"
#endif

namespace roundelay::preload {
namespace {

constinit std::atomic<int> number{0};  // of these calls: as long as there is none, nobody is asked

// Never destroyed: the program may free requests while the process ends.
struct Requests {
  std::mutex mutex;
  std::unordered_map<MPI_Request, PersistentCall*> calls;
};
Requests& requests() {
  static auto* const all = new Requests;
  return *all;
}

enum class Then : std::uint8_t { keep, forget };

// Null: the request is of something else.
PersistentCall* find(MPI_Request request, Then then = Then::keep) {
  if (number.load(std::memory_order_acquire) == 0) [[likely]]
    return nullptr;
  Requests& all = requests();
  const std::lock_guard lock(all.mutex);
  const auto known = all.calls.find(request);
  if (known == all.calls.end()) return nullptr;
  PersistentCall* const call = known->second;
  if (then == Then::forget) {
    all.calls.erase(known);
    number.fetch_sub(1, std::memory_order_release);
  }
  return call;
}

int start(PersistentCall& call, MPI_Request* request) noexcept {
  Decision& decision = call.decision;
  const bool timed = decision.tally.wants_time();
  const std::uint64_t start = timed ? ticks() : 0;
  const int error = call.start(*request);
  if (error != MPI_SUCCESS) {
    PMPI_Comm_call_errhandler(call.comm.user(), error);
    return error;
  }
  if (timed) decision.tally.add_time(ticks() - start);
  note(call.station, decision, call.bytes);
  return error;
}

using Start = int(MPI_Request*);
using StartAll = int(int, MPI_Request[]);
Start* const next_start = next_definition("MPI_Start", PMPI_Start);
StartAll* const next_start_all = next_definition("MPI_Startall", PMPI_Startall);
Start* const next_free = next_definition("MPI_Request_free", PMPI_Request_free);

int start(MPI_Request* request) noexcept {
  PersistentCall* const call = request != nullptr ? find(*request) : nullptr;
  return call != nullptr ? start(*call, request) : next_start(request);
}

bool any_is_ours(int count, const MPI_Request* requests) {
  if (number.load(std::memory_order_acquire) == 0) [[likely]]
    return false;
  for (int i = 0; i < count; ++i) {
    if (find(requests[i]) != nullptr) return true;
  }
  return false;
}

int start_all(int count, MPI_Request* requests) noexcept {
  if (requests == nullptr || !any_is_ours(count, requests)) return next_start_all(count, requests);
  int error = MPI_SUCCESS;
  for (int i = 0; error == MPI_SUCCESS && i < count; ++i) error = start(&requests[i]);
  return error;
}

// The request may be another one's as soon as it is freed.
int free_request(MPI_Request* request) noexcept {
  PersistentCall* const call = request != nullptr ? find(*request, Then::forget) : nullptr;
  if (call != nullptr) mpi::PersistentCall::free(std::unique_ptr<PersistentCall>(call));
  return next_free(request);
}

#if ROUNDELAY_OPEN_MPI || ROUNDELAY_MPICH
// Fortran's handles are integers.
[[maybe_unused]] int by_fortran(int (*function)(MPI_Request*) noexcept, MPI_Fint* request) {
  MPI_Request handle = PMPI_Request_f2c(*request);
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

int make_persistent(std::unique_ptr<PersistentCall> call, mpi::Running running,
                    MPI_Request& request) {
  if (const int error = call->make_request(std::move(running), request); error != MPI_SUCCESS) {
    return error;
  }
  Requests& all = requests();
  const std::lock_guard lock(all.mutex);
  all.calls.emplace(request, call.get());
  static_cast<void>(call.release());
  number.fetch_add(1, std::memory_order_release);
  return MPI_SUCCESS;
}

ROUNDELAY_EXPORT int MPI_Start(MPI_Request* request) { return start(request); }
ROUNDELAY_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  return start_all(count, requests);
}
ROUNDELAY_EXPORT int MPI_Request_free(MPI_Request* request) { return free_request(request); }

#if ROUNDELAY_OPEN_MPI
// Open MPI's Fortran layer calls PMPI_*.
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
