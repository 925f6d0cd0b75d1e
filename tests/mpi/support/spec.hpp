// SPDX-License-Identifier: Apache-2.0
// Spec: a collective with the algorithm that it is to run, as the files of tests name it.
#pragma once

#include <bit>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/places.hpp"

namespace test {

struct Spec {
  std::string collective;
  std::string algorithm;  // "": whatever the library chooses
  std::string restrictions;

  [[nodiscard]] bool allows(int ranks, bool commutative, const Places& places) const {
    const auto has = [&](const char* name) { return restrictions.find(name) != std::string::npos; };
    const bool of_sites = has("several_sites") || algorithm.find("level=sites") < algorithm.size();
    const std::string& parts = of_sites ? places.sites : places.nodes;
    return (commutative || !has("commutative")) &&
           (std::has_single_bit(static_cast<unsigned>(ranks)) || !has("power_of_two")) &&
           (Places::several(parts) || !has("several_")) &&
           (commutative || Places::ordered(parts) || !has("ordered_parts"));
  }
  // Whether it is for intercommunicators.
  [[nodiscard]] bool between() const {
    return restrictions.find("two_groups") != std::string::npos;
  }
  [[nodiscard]] bool may_be_native() const { return algorithm.empty() || algorithm == "native"; }
  // The algorithm without what its parameters are.
  [[nodiscard]] std::string name() const { return algorithm.substr(0, algorithm.find('(')); }
  // As roundelay_force takes it.
  [[nodiscard]] std::string text() const {
    return algorithm.empty() ? "" : collective + "=" + algorithm;
  }
  // What another algorithm than this one ran, or "". Where nothing has to move, none need run.
  [[nodiscard]] std::string other_than(const std::string& last, bool idle) const {
    // What is native between two groups need not pass through the library.
    if (algorithm.empty() || (between() && may_be_native())) return {};
    if (last.starts_with(collective + "." + algorithm + ":")) return {};
    for (const char* other : {".native:", ".nothing:"}) {
      if (idle && last.starts_with(collective + other)) return {};
    }
    return "ran '" + last + "'";
  }
};

// Every collective, as the library chooses.
inline std::vector<Spec> chosen_specs() {
  std::vector<Spec> specs;
  for (const char* collective :
       {"bcast", "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw",
        "barrier", "exscan", "gather", "gatherv", "reduce", "reduce_scatter",
        "reduce_scatter_block", "scan", "scatter", "scatterv"}) {
    specs.push_back({collective, "", ""});
  }
  return specs;
}

// A line is collective, algorithm as it would be forced, and restrictions with commas between them,
// each ended by a tab.
inline std::vector<Spec> read_specs(const std::string& path) {
  std::vector<Spec> specs;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Spec spec;
    std::getline(fields, spec.collective, '\t');
    std::getline(fields, spec.algorithm, '\t');
    std::getline(fields, spec.restrictions, '\t');
    specs.push_back(spec);
  }
  return specs;
}

}  // namespace test
