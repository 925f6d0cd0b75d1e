// SPDX-License-Identifier: Apache-2.0
// roundelay._core: what Python sees of the C++ that knows no MPI; python/roundelay/_core.pyi has
// its types. Choices of algorithms are texts, which Python and C++ spell alike.
#include <nanobind/nanobind.h>

#include "bindings.hpp"

NB_MODULE(_core, module) {
  roundelay::python::bind_catalogue(module);
  roundelay::python::bind_history(module);
  roundelay::python::bind_circulant(module);
  roundelay::python::bind_interpreters(module);
  roundelay::python::bind_explain(module);
  roundelay::python::bind_profiles(module);
  roundelay::python::bind_trace(module);
}
