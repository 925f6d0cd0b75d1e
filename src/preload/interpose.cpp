// SPDX-License-Identifier: Apache-2.0
#include "preload/interpose.hpp"

#include <new>

namespace roundelay::preload {

int raise_error(MPI_Comm comm, int error) {
  of_program([&] { return PMPI_Comm_call_errhandler(comm, error); });
  return error;
}

// Outside of guarded(), where exceptions of the program need no mark.
int raise_exception(MPI_Comm comm) {
  int code = MPI_ERR_INTERN;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
  } catch (...) {
    code = MPI_ERR_INTERN;
  }
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace roundelay::preload
