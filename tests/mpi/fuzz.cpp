// SPDX-License-Identifier: Apache-2.0
// The fuzzer: collectives, algorithms, arguments and communicators drawn at random from a seed,
// against results computed by definition.
//
//   mpiexec -n P env LD_PRELOAD=libroundelay.so fuzz --ranks P --seed S --cases N --specs FILE
//           [--threads] [--nonblocking] [--only BATCH | --only BATCH.CASE] [--verbose]
//
// FILE is that of the matrix. A batch of cases runs under one forced text; with --threads most have
// three lanes, each a thread with a communicator of its own; with --nonblocking some calls do not
// wait, or are started several times, or are made while others are pending. Some communicators are
// between two groups. Every rank draws the same. --only runs one batch or one case of it as it was
// drawn. Ends with "N passed, N failed", where a case counts once for each group that it ran on.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/batch.hpp"
#include "support/ledger.hpp"
#include "support/roundelay_api.hpp"

namespace test {
namespace {

struct Options {
  int ranks = 0;
  std::uint64_t seed = 0;
  int cases = 1000;
  bool threads = false;
  bool nonblocking = false;
  bool verbose = false;
  std::string only;
  std::vector<Spec> specs = chosen_specs();
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") options.verbose = true;
    if (name == "--threads") options.threads = true;
    if (name == "--nonblocking") options.nonblocking = true;
    if (name == "--verbose" || name == "--threads" || name == "--nonblocking") continue;
    const std::string value = ++i < argc ? argv[i] : "";
    if (name == "--ranks") options.ranks = std::atoi(value.c_str());
    if (name == "--seed") options.seed = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "--cases") options.cases = std::atoi(value.c_str());
    if (name == "--only") options.only = value;
    if (name == "--specs") options.specs = read_specs(value);
  }
  return options;
}

// The communicator of a lane, if the rank has one, and which group of its family the rank is in.
struct Place {
  MPI_Comm comm = MPI_COMM_NULL;
  int group = 0;
  int number_of_group = 0;
};

int sum_of_ranks(const Seat& at) { return at.peers() * (at.peers() - 1) / 2; }

// What a rank gives. Between two groups nothing can be done in place.
const void* given(const Seat& at, const int* numbers) {
  return at.between() ? static_cast<const void*>(numbers) : MPI_IN_PLACE;
}

// A call that goes on meanwhile: its sum is known.
class PendingCall {
 public:
  explicit PendingCall(const Seat& at) : sum_(sum_of_ranks(at)) {
    std::ranges::fill(given_, at.rank);
    numbers_ = given_;
    MPI_Iallreduce(given(at, given_.data()), numbers_.data(), static_cast<int>(numbers_.size()),
                   MPI_INT, MPI_SUM, at.comm, &request_);
  }
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  ~PendingCall() = default;

  // Waits for it. Whether it was right.
  bool ended() {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    return std::ranges::all_of(numbers_, [this](int number) { return number == sum_; });
  }

 private:
  int sum_;
  std::array<int, 3000> given_{};
  std::array<int, 3000> numbers_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class Fuzzer {
 public:
  Fuzzer(const Options& options, bool threads)
      : options_(options),
        lanes_(threads ? most_lanes : 1),
        world_(seat_in(MPI_COMM_WORLD)),
        ledger_("", 1, options.verbose),
        drawing_(options.seed, world_.size, options.specs, options.nonblocking) {}

  bool run() {
    for (int number = 0, cases = 0; cases < options_.cases; ++number) {
      const Batch batch = drawing_.batch(number, lanes_);
      for (const auto& steps : batch.lanes) cases += static_cast<int>(steps.size());
      if (is_wanted(number)) run(batch, number);
    }
    free_places();
    return ledger_.settle();
  }

 private:
  static constexpr int most_lanes = 3;

  // A step that is to run, and what it found.
  struct Entry {
    const Step* step;
    std::string name;
    Finding finding;
  };

  [[nodiscard]] bool is_wanted(int batch) const {
    return options_.only.empty() || std::atoi(options_.only.c_str()) == batch;
  }
  [[nodiscard]] bool is_wanted(const std::string& name) const {
    return options_.only.find('.') == std::string::npos || options_.only == name;
  }

  void run(const Batch& batch, int number) {
    take_places(number);
    roundelay_.force_or_end(batch.forced);
    std::vector<std::vector<Entry>> lanes;
    std::string what = std::to_string(number) + ": force \"" + batch.forced + "\"";
    int counted = 0;
    for (const auto& steps : batch.lanes) {
      std::vector<Entry>& entries = lanes.emplace_back();
      const auto lane = static_cast<int>(lanes.size()) - 1;
      what += (lane > 0 ? "\n and beside it" : "") + drawing_.family(number, lane).text();
      for (const Step& step : steps) {
        const std::string name = std::to_string(number) + "." + std::to_string(counted++);
        if (!is_wanted(name)) continue;
        entries.push_back({&step, name, {}});
        what += "\n  " + name + ": " + step.one.text() + (step.fresh ? " on a duplicate" : "") +
                (step.amidst ? " amidst another" : "") + (step.over ? " over another" : "");
      }
    }
    ledger_.watch(std::to_string(number), what);
    std::vector<std::thread> beside;
    for (std::size_t lane = 1; lane < lanes.size(); ++lane) {
      beside.emplace_back([&, lane] { run(lanes[lane], places_[lane]); });
    }
    run(lanes[0], places_[0]);
    for (std::thread& thread : beside) thread.join();
    alarm(0);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (places_[lane].comm == MPI_COMM_NULL) continue;
      for (const Entry& entry : lanes[lane]) {
        ledger_.enter(entry.name, places_[lane].number_of_group, entry.finding);
      }
    }
  }

  void run(std::vector<Entry>& entries, const Place& place) const {
    if (place.comm == MPI_COMM_NULL) return;
    for (Entry& entry : entries) {
      if (entry.step->late == world_.rank) usleep(300);
      MPI_Comm comm = place.comm;
      if (entry.step->fresh) MPI_Comm_dup(place.comm, &comm);
      const Arguments& arguments = entry.step->one.arguments;
      if (among_neighbours(entry.step->one.collective())) {
        MPI_Comm whole = std::exchange(comm, graph_over(comm, arguments.graph));
        if (entry.step->fresh) MPI_Comm_free(&whole);
      }
      // Calls that do not wait stay native until one that does has made the ranks agree.
      if (!arguments.form.blocking() || entry.step->amidst) MPI_Barrier(comm);
      std::optional<PendingCall> other;
      const Seat at = seat_in(comm, place.group);
      if (entry.step->amidst) other.emplace(at);
      entry.finding = found_by(*entry.step, at);
      if (other.has_value() && !other->ended()) entry.finding.trouble += " another call failed";
      if (comm != place.comm) MPI_Comm_free(&comm);
    }
  }

  static MPI_Comm graph_over(MPI_Comm comm, std::uint64_t seed) {
    return Graph(seed, seat_in(comm).size).over(comm);
  }

  [[nodiscard]] Finding found_by(const Step& step, const Seat& at) const {
    Definitions definitions;
    Case one = step.one.seated(at.shape());
    std::string ran;
    bool others_passed = true;
    if (step.over) {
      one.arguments.form.meanwhile = [&] {
        if (ran.empty()) ran = roundelay_.last();
        int sum = at.rank;
        MPI_Allreduce(given(at, &at.rank), &sum, 1, MPI_INT, MPI_SUM, at.comm);
        others_passed = others_passed && sum == sum_of_ranks(at);
      };
    }
    Finding finding = one.run(at, definitions);
    if (finding.trouble.empty() && roundelay_.present()) {
      if (!step.over) ran = roundelay_.last();
      finding.trouble = one.spec->other_than(ran, one.may_be_idle(at.shape()));
    }
    if (!others_passed) finding.trouble += " a call meanwhile failed";
    if (!finding.trouble.empty()) {
      finding.trouble += " in " + one.text() + " " + at.shape().text() + " ranks";
    }
    return finding;
  }

  void take_places(int batch) {
    const int group = batch / Drawing::batches_of_family;
    if (std::exchange(group_, group) == group) return;
    free_places();
    for (int lane = 0; lane < lanes_; ++lane) {
      const Family family = drawing_.family(batch, lane);
      MPI_Comm parent = MPI_COMM_WORLD;
      if (family.of_freed) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
      places_.push_back(place_in(family, parent));
      if (family.of_freed) MPI_Comm_free(&parent);
    }
    // Now and then the world itself, which nobody frees.
    const Family first = drawing_.family(batch, 0);
    if (!first.of_freed && !first.between() && first.shapes().size() == 1) {
      MPI_Comm_free(&places_[0].comm);
      places_[0].comm = MPI_COMM_WORLD;
    }
  }

  // A communicator of the family that is made from one of all ranks.
  [[nodiscard]] Place place_in(const Family& family, MPI_Comm parent) const {
    const auto me = static_cast<std::size_t>(world_.rank);
    const int number = family.number_of_group(me);
    Place place{MPI_COMM_NULL, family.group(me), number};
    const int colour = number == Family::outside ? MPI_UNDEFINED : number;
    MPI_Comm_split(parent, colour, family.keys[me], &place.comm);
    if (!family.between() || place.comm == MPI_COMM_NULL) return place;
    MPI_Comm own = std::exchange(place.comm, MPI_COMM_NULL);
    MPI_Intercomm_create(own, 0, parent, family.leader_of_others(me), family.colours[me],
                         &place.comm);
    MPI_Comm_free(&own);
    return place;
  }

  void free_places() {
    for (Place& place : places_) {
      if (place.comm != MPI_COMM_WORLD && place.comm != MPI_COMM_NULL) MPI_Comm_free(&place.comm);
    }
    places_.clear();
  }

  const Options& options_;
  int lanes_;
  Seat world_;
  Ledger ledger_;
  Drawing drawing_;
  Roundelay roundelay_;
  std::vector<Place> places_;
  int group_ = -1;
};

// Open MPI 4.1.4 dies now and then where two threads make the first one of the process at once.
void make_first_graph() {
  MPI_Comm graph = Graph(0, 1).over(MPI_COMM_SELF);
  MPI_Comm_free(&graph);
}

int run(const Options& options, bool threads) {
  const int size = seat_in(MPI_COMM_WORLD).size;
  if (size != options.ranks) {
    std::fprintf(stderr, "started with %d ranks instead of %d: wrong mpiexec?\n", size,
                 options.ranks);
    return 2;
  }
  if (threads) make_first_graph();
  return Fuzzer(options, threads).run() ? 0 : 1;
}

}  // namespace
}  // namespace test

int main(int argc, char** argv) {
  const test::Options options = test::read_options(argc, argv);
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, options.threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  const int failed = test::run(options, options.threads && level == MPI_THREAD_MULTIPLE);
  MPI_Finalize();
  return failed;
}
