// SPDX-License-Identifier: Apache-2.0
// The program that `roundelay simulate` runs under SMPI, SimGrid's MPI:
//
//   simulation PAGES PORTS CELL..
//
// PAGES is real (results are checked) or shared (they cannot be). PORTS is a regular expression of
// the links that let one flow pass at a time. A CELL is COLLECTIVE[/DISTRIBUTION]:BYTES, where
// BYTES are the whole message: the vector, or all blocks of a rank together. Where the collective
// is allgather_between, the first DISTRIBUTION ranks send to the others. The environment says what
// Roundelay does, as anywhere.
//
// Rank 0 prints a line of JSON for each cell: simulated seconds from the common start of all ranks
// to the end of the last one, what ran, and the network by which it chose what is left to it.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "preload/communicator_state.hpp"
#include "preload/json.hpp"
#include "preload/trace.hpp"
#include "roundelay/roundelay.h"
#include "simulate/calls.hpp"
#include "simulate/message.hpp"
#include "simulate/ports.hpp"
#include "simulate/rendezvous.hpp"
#include "simulate/shared_pages.hpp"

namespace roundelay::simulate {
namespace {

struct Cell {
  std::string_view collective;
  std::string_view distribution = "regular";
  std::size_t bytes = 0;

  explicit Cell(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      throw std::invalid_argument("'" + std::string(text) + "' is not like bcast:1024");
    }
    bytes = std::stoull(std::string(text.substr(colon + 1)));
    const std::string_view what = text.substr(0, colon);
    collective = what.substr(0, what.find('/'));
    if (collective.size() < what.size()) distribution = what.substr(collective.size() + 1);
  }
};

// What the last collective ran, e.g. "bcast.circulant: forced".
std::string what_ran() {
  std::array<char, 512> text{};
  roundelay_last(text.data(), text.size());
  return text.data();
}

// By which the last collective chose what its algorithm leaves open; none if the MPI library ran
// it. Collective.
std::optional<NetworkLengths> network_of_last(const SimulatedCall& call, const Message& message) {
  const auto bytes = static_cast<std::int64_t>(message.count) * sizeof(unsigned);
  preload::CommunicatorState* const state = preload::CommunicatorState::of(MPI_COMM_WORLD);
  const preload::Decision& made = state->decide(call.collective, bytes);
  if (!made.may_run_schedule() || made.outcome != preload::last_outcome) return std::nullopt;
  return made.plan.network();
}

void put(preload::JsonWriter& json, const NetworkLengths& network) {
  json.Key("network");
  json.StartObject();
  preload::put(json, "startup", network.startup);
  preload::put(json, "gap", network.gap);
  if (network.longest_message < no_limit) {
    preload::put(json, "longest_message", network.longest_message);
  }
  json.EndObject();
}

class Simulation {
 public:
  Simulation(int rank, int ranks, Pages pages) : rank_(rank), ranks_(ranks), pages_(pages) {}

  void measure(const Cell& cell) const {
    const SimulatedCall& call = simulated_call(cell.collective);
    const Message message = message_of(cell, call);
    if (pages_ == Pages::real) message.fill();
    // What the first call of a kind prepares, in the MPI library or in this one, is not measured.
    if (pages_ == Pages::shared) call.call(message);
    const double start = start_together();
    call.call(message);
    const double end = now();
    const bool wrong = pages_ == Pages::real && !is_right(call, message);
    std::array<double, 2> all{end, wrong ? 1.0 : 0.0};
    agree_on_maxima(all);
    const auto network = network_of_last(call, message);
    if (rank_ != 0) return;
    rapidjson::StringBuffer text;
    preload::JsonWriter json(text);
    json.StartObject();
    preload::put(json, "bytes", static_cast<std::uint64_t>(cell.bytes));
    preload::put(json, "seconds", all[0] - start);
    preload::put(json, "ran", what_ran());
    preload::put(json, "wrong", all[1] > 0);
    if (network) put(json, *network);
    json.EndObject();
    std::puts(text.GetString());
    std::fflush(stdout);
  }

 private:
  [[nodiscard]] Message message_of(const Cell& cell, const SimulatedCall& call) const {
    if (call.groups == Groups::two) {
      const int senders = std::stoi(std::string(cell.distribution));
      if (senders < 1 || senders >= ranks_) throw std::invalid_argument("groups may not be empty");
      return {"regular", cell.bytes, rank_, senders, pages_};
    }
    if (!irregular(call.collective) && cell.distribution != "regular") {
      throw std::invalid_argument("all blocks are alike in " + std::string(cell.collective));
    }
    return {cell.distribution, cell.bytes, rank_, ranks_, pages_};
  }

  int rank_;
  int ranks_;
  Pages pages_;
};

void run(std::span<char*> arguments) {
  if (arguments.size() < 4) throw std::invalid_argument("usage: simulation PAGES PORTS CELL..");
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) give_ports_one_flow(arguments[2]);
  const Pages pages = std::string_view(arguments[1]) == "real" ? Pages::real : Pages::shared;
  if (pages == Pages::shared) share_large_memory();
  const Simulation simulation(rank, ranks, pages);
  for (const char* cell : arguments.subspan(3)) simulation.measure(Cell(cell));
}

}  // namespace
}  // namespace roundelay::simulate

__attribute__((visibility("default"))) int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    roundelay::simulate::run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "simulation: %s\n", wrong.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}
