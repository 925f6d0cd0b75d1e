// SPDX-License-Identifier: Apache-2.0
// The matrix: every algorithm of a list x communicators x layouts x operations x counts x roots x
// in-place, against results computed by definition.
//
//   mpiexec -n P env LD_PRELOAD=libroundelay.so matrix --ranks P [--specs FILE] [--keep N]
//           [--times N] [--only CASE] [--verbose]
//
// A line of FILE is collective, algorithm as it would be forced, and restrictions with commas
// between them, each ended by a tab. Without a file every collective runs as the library chooses.
// --keep runs one case in N, --times each of them N times in a row. Ends with "N passed, N failed";
// each failure is printed as the --only that runs it alone.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "support/case.hpp"
#include "support/ledger.hpp"
#include "support/roundelay_api.hpp"
#include "support/spec.hpp"

namespace test {
namespace {

struct Options {
  int ranks = 0;
  unsigned keep = 1;
  int times = 1;
  bool verbose = false;
  std::string only;
  std::vector<Spec> specs;
};

Options read_options(int argc, char** argv) {
  Options options;
  options.specs = chosen_specs();
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    const std::string value = ++i < argc ? argv[i] : "";
    if (name == "--ranks") options.ranks = std::atoi(value.c_str());
    if (name == "--keep") options.keep = static_cast<unsigned>(std::atoi(value.c_str()));
    if (name == "--times") options.times = std::atoi(value.c_str());
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
    // Each stage keeps others.
    number_ = Ledger::fingerprint(stage.name.data(), stage.name.size());
    at_ = seat_in(stage.comm);
    places_ = Places::of(stage.comm);
    definitions_.forget();
    for (const Spec& spec : options_.specs) {
      spec_ = &spec;
      forced_ = false;
      if (spec.collective == "barrier") {
        barriers();
      } else if (combines(spec.collective)) {
        for (const Operand& operand : operands_.all()) calls({&spec, nullptr, &operand, {}});
      } else {
        for (const Cast& cast : casts_) calls({&spec, &cast, nullptr, {}});
      }
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

  // The long ones have as many items in all where a buffer has a block for each rank.
  [[nodiscard]] std::vector<MPI_Aint> lengths() const {
    const bool blocks = has_blocks(spec_->collective);
    std::vector<MPI_Aint> lengths{0, 1, 7, 1000};
    if (!combines(spec_->collective) || is_one_of(spec_->collective, {"allreduce", "reduce"})) {
      lengths.push_back(blocks ? long_items / at_.size | 1 : long_items);
    }
    return lengths;
  }

  // Every length x root x in-place.
  void calls(Case each) {
    for (const MPI_Aint items : lengths()) {
      for (const int root : is_rooted(spec_->collective) ? roots() : std::vector{0}) {
        for (const bool in_place : {false, true}) {
          if (in_place && spec_->collective == "bcast") continue;
          each.arguments = {items, root, in_place, false};
          call(each, stage_->keep);
        }
      }
    }
  }

  // Of barriers there are few cases, and each says something: none is left out.
  void barriers() {
    for (const int late : roots()) call({spec_, nullptr, nullptr, {0, late, false, false}}, 0);
  }

  void call(Case one, unsigned keep) {
    if (!one.is_possible(at_.shape(), places_) || !ledger_.is_turn(number_++, keep)) return;
    const auto name = [&] { return one.text() + " comm=" + stage_->name; };
    // Half of the cases, for the library's choice is the same.
    const std::string plain = name();
    one.arguments.form.large =
        has_large && Ledger::fingerprint(plain.data(), plain.size()) % 2 == 1;
    if (!ledger_.is_wanted(name())) return;
    ledger_.run(name(), stage_->group, [&]() -> Finding {
      force();
      Finding finding = one.run(at_, definitions_);
      for (int again = 1; again < options_.times && finding.trouble.empty(); ++again) {
        finding = one.run(at_, definitions_);
      }
      if (finding.trouble.empty() && roundelay_.present()) {
        finding.trouble = spec_->other_than(roundelay_.last(), one.may_be_idle(at_.shape()));
      }
      return finding;
    });
  }

  void force() {
    if (std::exchange(forced_, true)) return;
    roundelay_.force_or_end(spec_->text());
  }

  const Options& options_;
  Ledger ledger_;
  Layouts layouts_;
  Operands operands_;
  std::vector<Cast> casts_ = casts_of(layouts_);
  Definitions definitions_;
  Roundelay roundelay_;
  const Stage* stage_ = nullptr;
  std::uint64_t number_ = 0;  // of the next possible case, kept or not
  const Spec* spec_ = nullptr;
  Seat at_{};
  Places places_;
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
