// SPDX-License-Identifier: Apache-2.0
// The MPI library's own functions, or those of another tool that stands between it and us.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <string>

namespace roundelay::preload {

// The next definition of `name` after this library's, e.g. a profiler's MPI_Bcast; `standard`, the
// PMPI function, where there is none.
template <typename Function>
[[nodiscard]] Function* next_definition(const char* name, Function* standard) {
  void* next = dlsym(RTLD_NEXT, name);
  return next != nullptr ? reinterpret_cast<Function*>(next) : standard;
}

// A function that not all MPI libraries have, by its name without MPI_: it converts to a pointer to
// it, which is null where there is none. (Open MPI 4 has persistent collectives as MPIX_ only.)
struct IfAny {
  void* function;

  explicit IfAny(const char* name) : function(named("MPI_", name)) {
    if (function == nullptr) function = named("PMPI_", name);
    if (function == nullptr) function = named("MPIX_", name);
  }
  template <typename Function>
  operator Function*() const {  // NOLINT(google-explicit-constructor): that is all it is for
    return reinterpret_cast<Function*>(function);
  }

 private:
  static void* named(const char* prefix, const char* name) {
    return dlsym(RTLD_NEXT, (std::string(prefix) + name).c_str());
  }
};

// Whether the program's calls of a function that is intercepted come to this library. A tool may
// have put its own before it, which calls PMPI_*: one that is preloaded first, or linked to the
// program.
[[nodiscard]] bool comes_here(const char* function);

// Calls it.
template <typename... Parameters, typename... Arguments>
int pass_on(int (*function)(Parameters...), MPI_Comm comm, Arguments... arguments) {
  if (function != nullptr) return function(arguments...);
  PMPI_Comm_call_errhandler(comm, MPI_ERR_UNSUPPORTED_OPERATION);
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

// Those of the collectives are in the list in entry_points.py.
struct Native {
#include "entry_points/native.inc"
  decltype(&MPI_Finalize) finalize = next_definition("MPI_Finalize", PMPI_Finalize);
};

// Resolved while the library is loaded.
extern const Native native;

}  // namespace roundelay::preload
