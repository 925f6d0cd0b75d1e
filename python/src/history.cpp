// SPDX-License-Identifier: Apache-2.0
// What every rank holds and every message carries, as dictionaries.
#include "interpret/history.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <vector>

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

// Sets of ranks as tuples, each of which is made once: a reduction has few, but names them often.
class Sets {
 public:
  const nb::tuple& of(const std::vector<int>& ranks) {
    const auto [found, is_new] = made_.try_emplace(ranks);
    if (is_new) found->second = nb::tuple(nb::cast(ranks));
    return found->second;
  }

 private:
  std::map<std::vector<int>, nb::tuple> made_;
};

nb::dict plain(const Piece& piece, Sets& sets) {
  nb::dict out;
  out["ranks"] = sets.of(piece.ranks);
  out["index"] = piece.index;
  out["length"] = piece.length;
  return out;
}

nb::dict plain(const HeldState& state, Sets& sets) {
  nb::list holds;
  for (const Held& held : state.holds) {
    nb::dict one = plain(held.what, sets);
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

nb::dict plain(const Delivery& delivery, Sets& sets) {
  nb::list pieces;
  for (const Piece& piece : delivery.pieces) pieces.append(plain(piece, sets));
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
  Sets sets;
  nb::list ranks;
  for (const std::vector<HeldState>& its : told.ranks) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();  // Ctrl-C
    nb::list states;
    for (const HeldState& state : its) states.append(plain(state, sets));
    ranks.append(states);
  }
  nb::list deliveries;
  for (const Delivery& delivery : told.deliveries) deliveries.append(plain(delivery, sets));
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
