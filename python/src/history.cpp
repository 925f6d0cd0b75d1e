// SPDX-License-Identifier: Apache-2.0
// What every rank holds and every message carries, as dictionaries.
#include "interpret/history.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace nb = nanobind;

namespace roundelay::python {

using interpret::Case;
using interpret::Delivery;
using interpret::Held;
using interpret::HeldState;
using interpret::History;
using interpret::Piece;

namespace {

nb::dict plain(const Piece& piece) {
  nb::dict out;
  out["ranks"] = nb::cast(piece.ranks);
  out["index"] = piece.index;
  out["length"] = piece.length;
  return out;
}

nb::dict plain(const HeldState& state) {
  nb::list holds;
  for (const Held& held : state.holds) {
    nb::dict one = plain(held.what);
    one["space"] = name_of(held.where.space());
    one["offset"] = held.where.offset();
    one["needed"] = held.needed;
    holds.append(one);
  }
  nb::dict out;
  out["step"] = state.step;
  out["holds"] = holds;
  out["heard"] = nb::cast(state.heard);
  return out;
}

nb::dict plain(const Delivery& delivery) {
  nb::list pieces;
  for (const Piece& piece : delivery.pieces) pieces.append(plain(piece));
  nb::dict out;
  out["from"] = delivery.from;
  out["to"] = delivery.to;
  out["from_round"] = delivery.from_round;
  out["to_round"] = delivery.to_round;
  out["step"] = delivery.step;
  out["token"] = delivery.token;
  out["exposed"] = delivery.exposed;
  out["pieces"] = pieces;
  return out;
}

nb::dict history_of(std::string_view name, const Case& of) {
  const History told = history(trace(choice_of(name), of));
  nb::list ranks;
  for (const std::vector<HeldState>& its : told.ranks) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();  // Ctrl-C
    nb::list states;
    for (const HeldState& state : its) states.append(plain(state));
    ranks.append(states);
  }
  nb::list deliveries;
  for (const Delivery& delivery : told.deliveries) deliveries.append(plain(delivery));
  nb::dict out;
  out["steps"] = told.steps;
  out["ranks"] = ranks;
  out["deliveries"] = deliveries;
  return out;
}

}  // namespace

void bind_history(nb::module_& module) {
  module.def("history", &history_of, nb::arg("name"), nb::arg("case"));
}

}  // namespace roundelay::python
