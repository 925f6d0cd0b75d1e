// SPDX-License-Identifier: Apache-2.0
// The MPI_* functions as C programs call them (and C++ and Python programs, and Fortran programs
// where the MPI library's Fortran layer calls these). Those of the collectives are in the list in
// entry_points.py.
#include "preload/interpose_combining.hpp"
#include "preload/interpose_exchanging.hpp"
#include "preload/interpose_moving.hpp"
#include "preload/interpose_neighbouring.hpp"
#include "preload/native.hpp"
#include "preload/report.hpp"

namespace roundelay::preload {

const Native native;

#include "entry_points/c.inc"

ROUNDELAY_EXPORT int MPI_Finalize() { return finalize(); }

}  // namespace roundelay::preload
