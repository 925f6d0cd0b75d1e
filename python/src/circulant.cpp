// SPDX-License-Identifier: Apache-2.0
// The schedules on circulant graphs, as lists.
#include "schedule/circulant.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"

namespace nb = nanobind;

namespace roundelay::python {
namespace {

// Wider than int, so that what is too large is a ValueError as well.
Skips skips_of(std::int64_t p) {
  constexpr int most = std::numeric_limits<int>::max();
  if (p < 1 || p > most) {
    throw std::invalid_argument("p is " + std::to_string(p) + ": it must be 1 .. " +
                                std::to_string(most));
  }
  return Skips::halving(static_cast<int>(p));
}

int checked(const Skips& skip, std::int64_t rank) {
  const int last = skip[skip.rounds()] - 1;
  if (rank < 0 || rank > last) {
    throw std::invalid_argument("rank is " + std::to_string(rank) +
                                ": with p = " + std::to_string(last + 1) + " it must be 0 .. " +
                                std::to_string(last));
  }
  return static_cast<int>(rank);
}

std::vector<int> skips(std::int64_t p) {
  const Skips skip = skips_of(p);
  std::vector<int> all;
  for (int k = 0; k <= skip.rounds(); ++k) all.push_back(skip[k]);
  return all;
}

int base_block_of(std::int64_t p, std::int64_t rank) {
  const Skips skip = skips_of(p);
  return base_block(skip, checked(skip, rank));
}

template <auto schedule>
std::vector<int> entries(std::int64_t p, std::int64_t rank) {
  const Skips skip = skips_of(p);
  CirculantEntries out;
  schedule(skip, checked(skip, rank), out);
  return {out.begin(), out.begin() + skip.rounds()};
}

}  // namespace

void bind_circulant(nb::module_& module) {
  module.def("circulant_skips", &skips, nb::arg("p"));
  module.def("circulant_base_block", &base_block_of, nb::arg("p"), nb::arg("rank"));
  module.def("circulant_receive_schedule", &entries<receive_schedule>, nb::arg("p"),
             nb::arg("rank"));
  module.def("circulant_send_schedule", &entries<send_schedule>, nb::arg("p"), nb::arg("rank"));
}

}  // namespace roundelay::python
