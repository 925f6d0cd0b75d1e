// SPDX-License-Identifier: Apache-2.0
// The matrix: every algorithm of a list x communicators x layouts x operations x counts x roots x
// in-place, against results computed by definition.
//
//   mpiexec -n P env LD_PRELOAD=libroundelay.so matrix --ranks P [--specs FILE] [--keep N]
//           [--only CASE] [--verbose]
//
// A line of FILE is collective, algorithm as it would be forced, and restrictions with commas
// between them, each ended by a tab. Without a file every collective runs as the library chooses.
// --keep runs one case in N. Ends with "N passed, N failed"; each failure is printed as the --only
// that runs it alone.
#include <mpi.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/barrier.hpp"
#include "support/cases.hpp"
#include "support/ledger.hpp"
#include "support/roundelay_api.hpp"

namespace test {
namespace {

struct Spec {
  std::string collective;
  std::string algorithm;  // "": whatever the library chooses
  std::string restrictions;

  [[nodiscard]] bool allows(int ranks, bool commutative) const {
    const auto has = [&](const char* name) { return restrictions.find(name) != std::string::npos; };
    return (commutative || !has("commutative")) &&
           (std::has_single_bit(static_cast<unsigned>(ranks)) || !has("power_of_two"));
  }
  // Whether the MPI library's own algorithm may run. Some are wrong, and crash: Open MPI 4.1.4 with
  // negative lower bounds, MPICH 4.0.2 where MPI_Reduce is in place at a root other than 0. MPICH
  // gives the ranks zeros of different signs.
  [[nodiscard]] bool may_be_native() const { return algorithm.empty() || algorithm == "native"; }
};

struct Options {
  int ranks = 0;
  unsigned keep = 1;
  bool verbose = false;
  std::string only;
  std::vector<Spec> specs;
};

std::vector<Spec> read_specs(const std::string& path) {
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

Options read_options(int argc, char** argv) {
  Options options;
  for (const char* collective : {"bcast", "allgather", "allreduce", "reduce", "barrier"}) {
    options.specs.push_back({collective, "", ""});
  }
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    const std::string value = ++i < argc ? argv[i] : "";
    if (name == "--ranks") options.ranks = std::atoi(value.c_str());
    if (name == "--keep") options.keep = static_cast<unsigned>(std::atoi(value.c_str()));
    if (name == "--only") options.only = value;
    if (name == "--specs") options.specs = read_specs(value);
  }
  return options;
}

// A communicator that the matrix runs over. `keep` thins its cases further.
struct Stage {
  std::string name;
  MPI_Comm comm;
  int group;  // communicators of one name that exist side by side
  unsigned keep;
};

class Matrix {
 public:
  explicit Matrix(const Options& options)
      : options_(options),
        ledger_(options.only, options.keep, options.verbose),
        operands_(layouts_) {}

  void run(const Stage& stage) {
    stage_ = &stage;
    at_ = seat_in(stage.comm);
    definitions_.forget();
    for (const Spec& spec : options_.specs) {
      spec_ = &spec;
      forced_ = false;
      if (spec.collective == "bcast") bcasts();
      if (spec.collective == "allgather") allgathers();
      if (spec.collective == "allreduce") reductions(true);
      if (spec.collective == "reduce") reductions(false);
      if (spec.collective == "barrier") barriers();
    }
  }

  bool settle() { return ledger_.settle(); }

 private:
  static constexpr MPI_Aint long_items = 12345;

  [[nodiscard]] std::vector<int> roots() const {
    std::vector<int> roots{0};
    if (at_.size > 2) roots.push_back(at_.size / 2);
    if (at_.size > 1) roots.push_back(at_.size - 1);
    return roots;
  }

  // Layouts for one rank each: all the same, or one family in turn.
  struct Cast {
    std::string name;
    std::vector<const Layout*> layouts;
    [[nodiscard]] const Layout& of(int rank) const {
      return *layouts[static_cast<std::size_t>(rank) % layouts.size()];
    }
  };
  [[nodiscard]] std::vector<Cast> casts() const {
    const Layouts& l = layouts_;
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

  void bcasts() {
    for (const Cast& cast : casts()) {
      for (const MPI_Aint items : {0, 1, 7, 1000, 12345}) {
        for (const int root : roots()) {
          const Layout& layout = cast.of(at_.rank);
          each("type=" + cast.name, {items, root, false, false}, items > 0,
               [&](const Arguments& a) { return bcast_case(at_, layout, a); });
        }
      }
    }
  }

  void allgathers() {
    const MPI_Aint longest = long_items / at_.size | 1;
    for (const Cast& cast : casts()) {
      for (const MPI_Aint items :
           {MPI_Aint{0}, MPI_Aint{1}, MPI_Aint{7}, MPI_Aint{1000}, longest}) {
        for (const bool in_place : {false, true}) {
          const Layout& sent = cast.of(at_.rank);
          const Layout& received = cast.of(at_.rank + 1);
          each("type=" + cast.name, {items, 0, in_place, false}, items > 0,
               [&](const Arguments& a) { return allgather_case(at_, sent, received, a); });
        }
      }
    }
  }

  void reductions(bool everywhere) {
    for (const Operand& operand : operands_.all()) {
      if (!spec_->allows(at_.size, operand.commutative)) continue;
      if (spec_->may_be_native() && (operand.layout->lowest() < 0 || operand.ordered_bits))
        continue;
      for (const MPI_Aint items : {0, 1, 7, 1000, 12345}) {
        for (const bool in_place : {false, true}) {
          for (const int root : everywhere ? std::vector{0} : roots()) {
            if (spec_->may_be_native() && in_place && root != 0) continue;
            each("op=" + operand.name + " type=" + operand.layout->name,
                 {items, root, in_place, false}, items > 0, [&](const Arguments& a) {
                   return reduction_case(at_, operand, a, everywhere, definitions_);
                 });
          }
        }
      }
    }
  }

  void barriers() {
    for (const int late : roots()) {
      each("late=" + std::to_string(late), {}, true,
           [&](const Arguments&) { return barrier_case(at_, late); });
    }
  }

  template <typename Body>
  void each(const std::string& what, Arguments a, bool moves, Body body) {
    if (!spec_->allows(at_.size, true)) return;
    std::string name = spec_->collective + "=" + spec_->algorithm + " comm=" + stage_->name + " " +
                       what + " items=" + std::to_string(a.items) +
                       " root=" + std::to_string(a.root) +
                       " in_place=" + std::to_string(static_cast<int>(a.in_place));
    // Half of the cases, for the library's choice is the same.
    a.large = has_large && Ledger::fingerprint(name.data(), name.size()) % 2 == 1;
    name += " large=" + std::to_string(static_cast<int>(a.large));
    // Of barriers there are few cases, and each says something.
    const bool thinned = spec_->collective != "barrier";
    if (!ledger_.wanted(name, thinned ? stage_->keep : 0)) return;
    ledger_.run(name, stage_->group, [&]() -> Finding {
      force();
      Finding finding = body(a);
      if (finding.trouble.empty()) finding.trouble = ran_another(moves);
      return finding;
    });
  }

  void force() {
    if (std::exchange(forced_, true)) return;
    const std::string text =
        spec_->algorithm.empty() ? "" : spec_->collective + "=" + spec_->algorithm;
    if (!roundelay_.force(text)) {
      std::fprintf(stderr, "FAILED: cannot force '%s': %s\n", text.c_str(),
                   roundelay_.error().c_str());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }

  // "" if the forced algorithm ran, or nothing had to move.
  [[nodiscard]] std::string ran_another(bool moves) const {
    if (!roundelay_.present() || spec_->algorithm.empty()) return {};
    const std::string last = roundelay_.last();
    if (last.starts_with(spec_->collective + "." + spec_->algorithm + ":")) return {};
    const bool idle = at_.size == 1 || !moves;
    for (const char* other : {".native:", ".nothing:"}) {
      if (idle && last.starts_with(spec_->collective + other)) return {};
    }
    return "ran '" + last + "'";
  }

  const Options& options_;
  Ledger ledger_;
  Layouts layouts_;
  Operands operands_;
  Definitions definitions_;
  Roundelay roundelay_;
  const Stage* stage_ = nullptr;
  const Spec* spec_ = nullptr;
  Seat at_{};
  bool forced_ = false;
};

MPI_Comm split(MPI_Comm of, int colour, int key) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(of, colour, key, &comm);
  return comm;
}

// World, a duplicate of it that outlives it in use, its reverse and halves; freed in two orders.
void run_stages(Matrix& matrix, int rank, int size) {
  matrix.run({"world", MPI_COMM_WORLD, 0, 1});
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm twin_of_twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  matrix.run({"dup", twin, 0, 24});
  MPI_Comm_dup(twin, &twin_of_twin);
  MPI_Comm reversed = split(MPI_COMM_WORLD, 0, size - rank);
  MPI_Comm halves = split(reversed, rank % 2, rank);
  matrix.run({"reversed", reversed, 0, 8});
  MPI_Comm_free(&twin);
  matrix.run({"dup_of_freed", twin_of_twin, 0, 24});
  matrix.run({"halves", halves, rank % 2, 8});
  MPI_Comm_free(&reversed);
  matrix.run({"halves_of_freed", halves, rank % 2, 24});
  matrix.run({"self", MPI_COMM_SELF, rank, 24});
  MPI_Comm_free(&halves);
  MPI_Comm_free(&twin_of_twin);
}

int run(const Options& options) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != options.ranks) {
    std::fprintf(stderr, "started with %d ranks instead of %d: wrong mpiexec?\n", size,
                 options.ranks);
    return 2;
  }
  Matrix matrix(options);
  run_stages(matrix, rank, size);
  return matrix.settle() ? 0 : 1;
}

}  // namespace
}  // namespace test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int failed = test::run(test::read_options(argc, argv));
  MPI_Finalize();
  return failed;
}
