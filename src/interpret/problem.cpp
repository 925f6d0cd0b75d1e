// SPDX-License-Identifier: Apache-2.0
#include "interpret/problem.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace roundelay {

namespace {

void require(bool condition, const std::string& sentence) {
  if (!condition) throw std::invalid_argument(sentence);
}

}  // namespace

Call::Call(const Choice& choice, const Case& of) : choice_(choice), of_(of) {
  const std::string name =
      std::string(name_of(collective())) + "." + std::string(choice_.algorithm->name);
  require(of.p > 0, name + ": the number of ranks must be positive, not " + std::to_string(of.p));
  require(of.root >= 0 && of.root < of.p, name + ": root " + std::to_string(of.root) +
                                              " is not one of " + std::to_string(of.p) + " ranks");
  require(of.m >= 0, name + ": the length must not be negative: " + std::to_string(of.m));
  require(of.ports > 0,
          name + ": the number of ports must be positive, not " + std::to_string(of.ports));
  require(!choice_.algorithm->native(), name + ": the MPI library's own algorithm has no schedule");
  if (const Restriction* restriction = violated(choice_, of.p, of.commutative)) {
    throw std::invalid_argument(name + ": " + std::string(sentence_of(*restriction)));
  }

  scratch_ =
      static_cast<Units>(std::ceil(choice_.claims().scratch(of.p, static_cast<double>(of.m))));
  const Slice output(Space::output, 0, of.m);
  problems_.reserve(static_cast<std::size_t>(of.p));
  for (int rank = 0; rank < of.p; ++rank) {
    Problem problem;
    problem.group = Group(rank, of.p);
    problem.root = of.root;
    problem.commutative = of.commutative;
    problem.scratch = Slice(Space::scratch, 0, scratch_);
    problem.choice = &choice_;
    switch (collective()) {
      case Collective::allgather: problem.blocks = Blocks::even(output, of.p); break;
      case Collective::allreduce:
      case Collective::bcast: problem.data = output; break;
      case Collective::reduce:
        problem.data = output;
        problem.input = of.in_place && rank == of.root ? output : Slice(Space::input, 0, of.m);
        break;
      case Collective::barrier: break;
    }
    problems_.push_back(problem);
  }
}

Schedules Call::schedules() const {
  return [this](int rank) { return schedule(rank); };
}

Units Call::size(int rank, Space space) const {
  if (collective() == Collective::barrier) return 0;
  switch (space) {
    case Space::input:
      return problem(rank).input.space() == Space::input ? problem(rank).input.length() : 0;
    case Space::output: return of_.m;
    case Space::scratch: return scratch_;
  }
  return 0;
}

Slice Call::given(int rank) const {
  const Problem& x = problem(rank);
  switch (collective()) {
    case Collective::allgather: return x.blocks[rank];
    case Collective::allreduce: return x.data;
    case Collective::barrier: return {};
    case Collective::bcast: return rank == of_.root ? x.data : Slice();
    case Collective::reduce: return x.input;
  }
  return {};
}

Slice Call::wanted(int rank) const {
  const Problem& x = problem(rank);
  switch (collective()) {
    case Collective::allgather: return x.blocks.whole();
    case Collective::allreduce:
    case Collective::bcast: return x.data;
    case Collective::barrier: return {};
    case Collective::reduce: return rank == of_.root ? x.data : Slice();
  }
  return {};
}

}  // namespace roundelay
