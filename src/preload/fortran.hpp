// SPDX-License-Identifier: Apache-2.0
// What the procedures that Fortran programs call have in common.
#pragma once

#include <mpi.h>

#include "preload/interpose.hpp"

namespace roundelay::preload {

// With mpi_f08 a program may leave out the argument for the error code.
inline void answer(MPI_Fint* ierror, int error) {
  if (ierror != nullptr) *ierror = error;
}

}  // namespace roundelay::preload

// The name without an underscore, which only IBM's compilers use. Elsewhere it is left to the
// program: a library may have a function of this name, and would call the preloaded one instead, as
// Rmpi.so, which does not use Fortran, has an mpi_bcast of its own.
#ifdef __powerpc__
#define ROUNDELAY_FORTRAN_PLAIN(lower, other, parameters) \
  ROUNDELAY_EXPORT void other parameters __attribute__((alias(#lower "_")))
#else
#define ROUNDELAY_FORTRAN_PLAIN(lower, other, parameters) static_assert(true)
#endif

// Open MPI's names of a procedure, but for other_, where it has been declared as lower_.
#define ROUNDELAY_FORTRAN_NAMES(lower, other, upper, f08, parameters)            \
  ROUNDELAY_FORTRAN_PLAIN(lower, other, parameters);                             \
  ROUNDELAY_EXPORT void other##__ parameters __attribute__((alias(#lower "_"))); \
  ROUNDELAY_EXPORT void upper parameters __attribute__((alias(#lower "_")));     \
  ROUNDELAY_EXPORT void f08 parameters __attribute__((alias(#lower "_")))

// All names of another procedure that does the same as one that has been defined.
#define ROUNDELAY_FORTRAN_ALSO(lower, other, upper, f08, parameters)            \
  ROUNDELAY_EXPORT void other##_ parameters __attribute__((alias(#lower "_"))); \
  ROUNDELAY_FORTRAN_NAMES(lower, other, upper, f08, parameters)

// The definition of a procedure, with the other names that Open MPI gives it.
#define ROUNDELAY_FORTRAN(lower, upper, f08, parameters)         \
  ROUNDELAY_EXPORT void lower##_ parameters;                     \
  ROUNDELAY_FORTRAN_NAMES(lower, lower, upper, f08, parameters); \
  ROUNDELAY_EXPORT void lower##_ parameters
