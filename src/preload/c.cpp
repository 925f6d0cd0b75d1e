// SPDX-License-Identifier: Apache-2.0
// The MPI_* functions as C programs call them (and C++ and Python programs, and Fortran programs
// where the MPI library's Fortran layer calls these). Those of the collectives are in the list in
// entry_points.py.
#include <dlfcn.h>

#include "preload/interpose_combining.hpp"
#include "preload/interpose_exchanging.hpp"
#include "preload/interpose_moving.hpp"
#include "preload/interpose_neighbouring.hpp"
#include "preload/native.hpp"
#include "preload/report.hpp"

namespace roundelay::preload {

const Native native;

namespace {

// The library, or the program, that has the function or object.
const void* holder_of(const void* address) noexcept {
  Dl_info where{};
  return dladdr(address, &where) != 0 ? where.dli_fbase : nullptr;
}

}  // namespace

bool comes_here(const char* function) {
  return holder_of(dlsym(RTLD_DEFAULT, function)) == holder_of(&native);
}

#include "entry_points/c.inc"

ROUNDELAY_EXPORT int MPI_Finalize() { return finalize(); }

}  // namespace roundelay::preload
