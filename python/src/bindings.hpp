// SPDX-License-Identifier: Apache-2.0
// The parts of roundelay._core.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "algorithms/catalogue.hpp"
#include "schedule/slice.hpp"

namespace roundelay::python {

// E.g. of "bcast.scatter_allgather(allgather=bruck)". Throws std::invalid_argument, which Python
// sees as ValueError, and which names what would be valid.
[[nodiscard]] Choice choice_of(std::string_view name);
// Throws like it, of "bcast".
[[nodiscard]] Collective collective_of(std::string_view name);
// The name by which choice_of would find it.
[[nodiscard]] std::string name_of(const Choice& choice);

[[nodiscard]] std::string_view name_of(Space space);

void bind_catalogue(nanobind::module_& module);
void bind_explain(nanobind::module_& module);
void bind_history(nanobind::module_& module);
void bind_circulant(nanobind::module_& module);
void bind_interpreters(nanobind::module_& module);
void bind_profiles(nanobind::module_& module);
void bind_trace(nanobind::module_& module);

}  // namespace roundelay::python
