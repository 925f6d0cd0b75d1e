// SPDX-License-Identifier: Apache-2.0
#include "simulate/ports.hpp"

#include <regex>
#include <simgrid/s4u.hpp>

namespace roundelay::simulate {

void give_ports_one_flow(const std::string& links) {
  const std::regex port(links);
  for (simgrid::s4u::Link* link : simgrid::s4u::Engine::get_instance()->get_all_links()) {
    if (std::regex_search(link->get_cname(), port)) link->set_concurrency_limit(1);
  }
}

}  // namespace roundelay::simulate
