// SPDX-License-Identifier: Apache-2.0
#include "preload/known_network.hpp"

#include <mutex>
#include <string>

#include "mpi/network.hpp"
#include "preload/configuration.hpp"
#include "preload/events.hpp"
#include "preload/json.hpp"
#include "preload/places.hpp"
#include "preload/this_machine.hpp"

namespace roundelay::preload {

namespace {

constinit std::mutex network_mutex;
NetworkSpeed network_known;

void know_network(NetworkSpeed speed) {
  const std::lock_guard lock(network_mutex);
  network_known = speed;
}

// With the keys of a machine file.
void tell_network(const NetworkSpeed& speed) {
  const Machine machine = measured_machine(speed);
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  put(json, "event", "network");
  put(json, "startup", machine.alpha);
  put(json, "gap", machine.gap);
  put(json, "byte", machine.beta);
  put(json, "crowding", machine.crowding);
  put(json, "handshake", machine.handshake);
  json.Key("taper");
  json.StartArray();
  for (const double factor : machine.taper) json.Double(factor);
  json.EndArray();
  put(json, "combined_byte", machine.gamma);
  if (speed.near_known()) {
    put(json, "near_startup", machine.near_alpha);
    put(json, "near_byte", machine.near_beta);
  }
  put(json, "short_pipelines", machine.short_pipelines);
  json.EndObject();
  tell(std::string(text.GetString()) + "\n");
}

NetworkSpeed measured(Communicator& comm, NetworkSpeed speed) {
  const bool known = speed.known();
  if (!known) speed = mpi::measure_network(comm, node_of_process());
  if (!comm.inter() && comm.topology().sites.count() > 1 && !speed.far_known()) {
    mpi::measure_between_sites(comm, speed);
  }
  if (!comm.inter() && comm.topology().nodes.count() > 1 && !speed.near_known()) {
    mpi::measure_inside_a_node(comm, speed);
  }
  if (!known && comm.rank() == 0 && speed.known()) tell_network(speed);
  know_network(speed);
  return speed;
}

}  // namespace

NetworkSpeed known_network() {
  const std::lock_guard lock(network_mutex);
  return network_known;
}

NetworkSpeed measured_or_said(Communicator& comm, NetworkSpeed speed) {
  const choose::MachineFile* said = Configuration::instance().machine();
  const bool several_sites = comm.topology().sites.count() > 1;
  if (said != nullptr && said->knows_network() && !several_sites) return speed;
  return measured(comm, speed);
}

}  // namespace roundelay::preload
