// SPDX-License-Identifier: Apache-2.0
// Case: one call of any collective, as a value; what the matrix enumerates and the fuzzer draws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/barrier.hpp"
#include "support/block_cases.hpp"
#include "support/cases.hpp"
#include "support/neighbour_cases.hpp"
#include "support/spec.hpp"

namespace test {

// Layouts for one rank each: all the same, or one family in turn.
struct Cast {
  std::string name;
  std::vector<const Layout*> layouts;
  [[nodiscard]] const Layout& of(int rank) const {
    return *layouts[static_cast<std::size_t>(rank) % layouts.size()];
  }
};

inline std::vector<Cast> casts_of(const Layouts& l) {
  std::vector<Cast> casts;
  for (const Layout* layout :
       {&l.int_, &l.double_, &l.vector, &l.resized, &l.negative, &l.descending, &l.padded}) {
    casts.push_back({layout->name, {layout}});
  }
  casts.push_back(
      {"mixed", {&l.two_ints, &l.vector, &l.negative, &l.contiguous, &l.resized, &l.descending}});
  casts.push_back({"mixed_struct", {&l.padded, &l.packed, &l.shuffled}});
  return casts;
}

inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}
inline bool is_rooted(std::string_view collective) {
  return is_one_of(collective, {"bcast", "gather", "gatherv", "reduce", "scatter", "scatterv"});
}
inline bool combines(std::string_view collective) {
  return is_one_of(collective, {"allreduce", "exscan", "reduce", "reduce_scatter",
                                "reduce_scatter_block", "scan"});
}
inline bool among_neighbours(std::string_view collective) {
  return collective.starts_with("neighbor_");
}
// Whether each of two groups gives data to the other.
inline bool goes_both_ways(std::string_view collective) {
  return is_one_of(collective, {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"});
}
// Whether a buffer has a block for each rank, each as long as the case says.
inline bool has_blocks(std::string_view collective) {
  return !is_one_of(collective, {"allreduce", "barrier", "bcast", "exscan", "reduce", "scan"});
}

struct Case {
  const Spec* spec = nullptr;
  const Cast* cast = nullptr;        // where the collective moves data
  const Operand* operand = nullptr;  // where it combines them
  Arguments arguments;

  [[nodiscard]] const std::string& collective() const { return spec->collective; }

  // The same with a root that a communicator of this shape has.
  [[nodiscard]] Case seated(const Shape& shape) const {
    Case seated = *this;
    seated.arguments.root %= shape.size_of(arguments.root_group);
    return seated;
  }

  [[nodiscard]] std::string text() const {
    std::string what = spec->collective + "=" + spec->algorithm;
    if (cast != nullptr) what += " type=" + cast->name;
    if (operand != nullptr) what += " op=" + operand->name + " type=" + operand->layout->name;
    const Arguments& a = arguments;
    if (among_neighbours(spec->collective)) what += " graph=" + std::to_string(a.graph);
    what += " items=" + std::to_string(a.items);
    if (spec->between()) {
      if (goes_both_ways(spec->collective)) what += " back=" + std::to_string(a.items_back);
      what += " root_group=" + std::to_string(a.root_group);
    }
    return what + " root=" + std::to_string(a.root) +
           " in_place=" + std::to_string(static_cast<int>(a.in_place)) +
           " large=" + std::to_string(static_cast<int>(a.form.large)) +
           " nonblocking=" + std::to_string(static_cast<int>(a.form.nonblocking)) +
           " starts=" + std::to_string(a.form.starts);
  }

  // Whether the algorithm can do it. The MPI library's own cannot do all; some are wrong, crash or
  // never end: those of Open MPI 4.1.4 with negative lower bounds, and allgatherv where ranks have
  // different types; those of MPICH 4.0.2 where MPI_Reduce is in place at a root other than 0,
  // alltoall and reduce_scatter in place with types that are not basic, gather and scatter of
  // long structs, and reduce_scatter where an operation does not commute and its type
  // has gaps. MPICH gives the ranks zeros of different signs. Between two groups also gatherv and
  // scatterv of Open MPI find messages truncated where ranks have different types, and so does
  // allgather of MPICH with long structs.
  [[nodiscard]] bool is_possible(const Shape& shape, const Places& at = {}) const {
    const bool commutative = operand == nullptr || operand->commutative;
    if (!spec->allows(shape.ranks(), commutative, at)) return false;
    if (among_neighbours(spec->collective)) return is_possible_among_neighbours(shape.ranks());
    if (!spec->may_be_native()) return true;
    const std::string& name = collective();
    const bool in_place = arguments.in_place;
    if (operand != nullptr) {
      const Layout& layout = *operand->layout;
      if (layout.lowest() < 0 || operand->ordered_bits) return false;
      if (name == "reduce") return !in_place || arguments.root == 0;
      if (name == "allreduce") return true;
      const bool gaps = layout.extent != static_cast<MPI_Aint>(layout.size());
      const bool scatters = name.starts_with("reduce_scatter");
      return !(in_place && layout.map.size() > 1) && !(scatters && gaps && !operand->commutative);
    }
    if (cast == nullptr || name == "bcast") return true;
    const std::size_t places = cast->of(0).map.size();
    if (name == "allgather") return !(spec->between() && places > 2);
    return cast->layouts.size() == 1 && !(in_place && places > 1) &&
           !(is_one_of(name, {"gather", "scatter"}) && places > 2);
  }

  // Whether perhaps nothing has to move: of few items, blocks of different lengths may have none.
  [[nodiscard]] bool may_be_idle(const Shape& shape) const {
    const std::string& name = collective();
    const int ranks = shape.ranks();
    if (ranks == 1 || name == "barrier") return ranks == 1;
    if (among_neighbours(name)) {
      const Graph graph(arguments.graph, ranks);
      return arguments.items <= 1 || graph.empty() || graph.has_parallel_edges();
    }
    const bool whole = is_one_of(name, {"allgather", "allreduce", "bcast", "reduce"});
    return std::max(arguments.items, arguments.items_back) <= (whole ? 0 : 1);
  }

  [[nodiscard]] Finding run(const Seat& at, Definitions& definitions) const {
    const std::string& name = collective();
    const Arguments& a = arguments;
    if (name == "barrier") return barrier_case(at, a);
    if (name == "allreduce") return reduction_case(at, *operand, a, true, definitions);
    if (name == "reduce") return reduction_case(at, *operand, a, false, definitions);
    if (name == "scan") return scan_case(at, *operand, a, false, definitions);
    if (name == "exscan") return scan_case(at, *operand, a, true, definitions);
    if (name == "reduce_scatter") return reduce_scatter_case(at, *operand, a, true, definitions);
    if (name == "reduce_scatter_block") {
      return reduce_scatter_case(at, *operand, a, false, definitions);
    }
    const Layout& sent = cast->of(at.rank);
    if (name == "bcast") return bcast_case(at, sent, a);
    const Layout& received = cast->of(at.rank + 1);
    if (name == "allgather") return allgather_case(at, sent, received, a);
    if (name == "neighbor_allgather") {
      return neighbours_case(at, sent, received, a, Exchange::even, true);
    }
    if (name == "neighbor_allgatherv") {
      return neighbours_case(at, sent, received, a, Exchange::counts, true);
    }
    if (name == "neighbor_alltoall") {
      return neighbours_case(at, sent, received, a, Exchange::even, false);
    }
    if (name == "neighbor_alltoallv") {
      return neighbours_case(at, sent, received, a, Exchange::counts, false);
    }
    if (name == "neighbor_alltoallw") {
      return neighbours_case(at, sent, received, a, Exchange::types, false);
    }
    if (name == "allgatherv") return gather_case(at, sent, received, a, true, true);
    if (name == "gather") return gather_case(at, sent, received, a, false, false);
    if (name == "gatherv") return gather_case(at, sent, received, a, true, false);
    if (name == "scatter") return scatter_case(at, sent, received, a, false);
    if (name == "scatterv") return scatter_case(at, sent, received, a, true);
    if (name == "alltoall") return alltoall_case(at, sent, received, a, Exchange::even);
    if (name == "alltoallv") return alltoall_case(at, sent, received, a, Exchange::counts);
    if (name == "alltoallw") return alltoall_case(at, sent, received, a, Exchange::types);
    return {"there is no collective " + name};
  }

 private:
  // What MPICH 4.0.2 does wrong is left out: where several edges lead from one rank to another, its
  // own runs, which takes blocks of such edges for one another; and its own alltoallw loses
  // messages where others of the rank are empty.
  [[nodiscard]] bool is_possible_among_neighbours([[maybe_unused]] int ranks) const {
#ifdef OPEN_MPI
    return true;
#else
    const std::string& name = collective();
    if (!name.starts_with("neighbor_alltoall")) return true;
    if (Graph(arguments.graph, ranks).has_parallel_edges()) return false;
    return name != "neighbor_alltoallw" || !(spec->may_be_native() || ranks == 1);
#endif
  }
};

}  // namespace test
