// SPDX-License-Identifier: Apache-2.0
// A trace as docs/reference/trace-format.md has it, but for what is the same in every trace.
#include "interpret/trace.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"

namespace nb = nanobind;

namespace roundelay::python {

using interpret::Case;
using interpret::RankTrace;
using interpret::Trace;
using interpret::TracedRound;
using interpret::TracedTransfer;

namespace {

nb::dict plain(Slice slice) {
  nb::dict out;
  out["space"] = name_of(slice.space());
  out["offset"] = slice.offset();
  out["length"] = slice.length();
  return out;
}

nb::dict plain(const TracedTransfer& transfer) {
  nb::dict out;
  out["peer"] = transfer.peer;
  nb::list slices;
  for (const Slice slice : transfer.slices) slices.append(plain(slice));
  out["slices"] = slices;
  out["token"] = transfer.token();
  out["exposed"] = transfer.exposed();
  out["deferred"] = transfer.due != this_round;
  // Python's None where only the end of the schedule is a bound.
  if (transfer.due == this_round || transfer.due == at_the_end) {
    out["fence"] = nb::none();
  } else {
    out["fence"] = transfer.due;
  }
  return out;
}

nb::dict plain(const LocalStep& step) {
  nb::dict out;
  out["kind"] = step.kind == LocalStep::Kind::copy ? "copy" : "combine";
  out["from"] = plain(step.from);
  out["into"] = plain(step.into);
  return out;
}

nb::dict plain(const TracedRound& round) {
  nb::list sends;
  nb::list receives;
  for (const TracedTransfer& transfer : round.transfers) {
    (transfer.direction == Transfer::Direction::send ? sends : receives).append(plain(transfer));
  }
  nb::list steps;
  for (const LocalStep& step : round.steps) steps.append(plain(step));
  nb::dict out;
  if (round.fence == this_round) {
    out["fence"] = nb::none();
  } else {
    out["fence"] = round.fence;
  }
  out["sends"] = sends;
  out["receives"] = receives;
  out["steps"] = steps;
  return out;
}

nb::object plain_or_none(Slice slice) {
  return slice.empty() ? nb::none() : nb::object(plain(slice));
}

nb::dict plain(const RankTrace& trace, int rank) {
  nb::dict units;
  units["input"] = trace.input;
  units["output"] = trace.output;
  units["scratch"] = trace.scratch;
  nb::list rounds;
  for (const TracedRound& round : trace.rounds) rounds.append(plain(round));
  nb::dict out;
  out["rank"] = rank;
  out["units"] = units;
  out["given"] = plain_or_none(trace.given);
  out["wanted"] = plain_or_none(trace.wanted);
  out["rounds"] = rounds;
  return out;
}

nb::list ranks_of(std::string_view name, const Case& of) {
  const Trace all = trace(choice_of(name), of);
  nb::list ranks;
  int rank = 0;
  for (const RankTrace& mine : all.ranks) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();  // Ctrl-C
    ranks.append(plain(mine, rank++));
  }
  return ranks;
}

}  // namespace

std::string_view name_of(Space space) {
  switch (space) {
    case Space::input: return "input";
    case Space::output: return "output";
    case Space::scratch: return "scratch";
  }
  return {};
}

void bind_trace(nb::module_& module) {
  module.def("trace", &ranks_of, nb::arg("name"), nb::arg("case"));
  module.def(
      "goal",
      [](std::string_view name, const Case& of, double nanoseconds_per_unit) {
        return goal(trace(choice_of(name), of), nanoseconds_per_unit);
      },
      nb::arg("name"), nb::arg("case"), nb::arg("nanoseconds_per_unit") = 0.0);
}

}  // namespace roundelay::python
