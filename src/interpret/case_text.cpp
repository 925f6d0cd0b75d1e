// SPDX-License-Identifier: Apache-2.0
#include "interpret/case_text.hpp"

#include <cmath>
#include <string_view>

namespace roundelay::interpret {

namespace {

std::string_view name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::even: return "even";
    case Distribution::uneven: return "uneven";
    case Distribution::degenerate: return "degenerate";
  }
  return {};
}

std::string network_text(const NetworkLengths& network) {
  const auto units = [](const char* name, double number, double usual) {
    return number == usual
               ? ""
               : std::string(", ") + name + " = " + std::to_string(std::llround(number));
  };
  return units("start-up", network.startup, NetworkLengths().startup) +
         units("gap", network.gap, NetworkLengths().gap) +
         units("longest message", network.longest_message, NetworkLengths().longest_message);
}

}  // namespace

std::string ranks_text(const Case& of) {
  std::string all = "p = " + std::to_string(of.p);
  if (of.q > 0) all += ", q = " + std::to_string(of.q);
  if (of.topology.nodes.known()) all += ", nodes " + of.topology.nodes.text();
  if (of.topology.sites.known()) all += ", sites " + of.topology.sites.text();
  if (of.graph != nullptr) all += ", graph " + of.graph->text();
  return all;
}

std::string case_text(const Case& of) {
  return ranks_text(of) + ", root = " + std::to_string(of.root) + ", m = " + std::to_string(of.m) +
         network_text(of.network) + (of.commutative ? "" : ", not commutative") +
         (of.in_place ? ", in place" : "") +
         (of.distribution == Distribution::even
              ? ""
              : ", " + std::string(name_of(of.distribution)) + " blocks") +
         (of.apart ? " with gaps" : "");
}

}  // namespace roundelay::interpret
