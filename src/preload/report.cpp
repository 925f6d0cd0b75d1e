// SPDX-License-Identifier: Apache-2.0
#include "preload/report.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iomanip>
#include <limits>
#include <locale>
#include <mutex>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "mpi/pending.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/put_window.hpp"
#include "mpi/scratch.hpp"
#include "mpi/self_communicator.hpp"
#include "preload/chunks.hpp"
#include "preload/communicator_state.hpp"
#include "preload/configuration.hpp"
#include "preload/events.hpp"
#include "preload/file.hpp"
#include "preload/record.hpp"
#include "preload/saving.hpp"
#include "preload/summary.hpp"

namespace roundelay::preload {

namespace {

// What this process recorded, to be sent: numbers as text, names that end in a zero.
std::string packed() {
  std::ostringstream text;
  text.imbue(std::locale::classic());  // the program's may write numbers otherwise
  text << std::setprecision(std::numeric_limits<double>::max_digits10) << mpi::Scratch::high_water()
       << ' ' << setup_seconds() << ' ' << device_calls();
  const std::vector<Learned> all = learned();
  text << ' ' << all.size();
  for (const Learned& of : all) {
    text << ' ' << static_cast<int>(of.collective) << ' ' << of.least_bytes << ' ' << of.most_bytes
         << ' ' << of.commutative << ' ' << of.predefined << ' ' << of.even << ' ' << of.ranks
         << ' ' << of.nodes << ' ' << of.ranks_per_node << ' ' << of.seconds << ' ' << of.spent
         << ' ' << of.algorithm << '\0';
  }
  for (const Row& row : rows()) {
    text << ' ' << static_cast<int>(row.outcome.collective) << ' '
         << static_cast<int>(row.outcome.form) << ' ' << row.calls << ' ' << row.bytes << ' '
         << row.least_bytes << ' ' << row.most_bytes << ' ' << row.expected_calls << ' '
         << row.expected_seconds << ' ' << row.own_calls << ' ' << row.timed_calls << ' '
         << row.seconds << ' ' << row.outcome.algorithm << '\0' << row.outcome.reason << '\0';
  }
  return text.str();
}

void add_packed(Summary& summary, const std::string& packed) {
  std::istringstream text(packed);
  text.imbue(std::locale::classic());
  std::int64_t scratch = 0;
  double setup = 0;
  std::uint64_t on_device = 0;
  text >> scratch >> setup >> on_device;
  summary.scratch = std::max(summary.scratch, scratch);
  summary.setup = std::max(summary.setup, setup);
  summary.device_calls = std::max(summary.device_calls, on_device);
  int collective = 0;
  std::size_t count = 0;
  text >> count;
  for (; count > 0; --count) {
    Learned of;
    text >> collective >> of.least_bytes >> of.most_bytes >> of.commutative >> of.predefined >>
        of.even >> of.ranks >> of.nodes >> of.ranks_per_node >> of.seconds >> of.spent;
    of.collective = static_cast<Collective>(collective);
    text.get();  // the space
    std::getline(text, of.algorithm, '\0');
    summary.learned.push_back(std::move(of));
  }
  Row row;
  int form = 0;
  while (text >> collective >> form >> row.calls >> row.bytes >> row.least_bytes >>
         row.most_bytes >> row.expected_calls >> row.expected_seconds >> row.own_calls >>
         row.timed_calls >> row.seconds) {
    row.outcome.collective = static_cast<Collective>(collective);
    row.outcome.form = static_cast<Form>(form);
    text.get();  // the space
    std::getline(text, row.outcome.algorithm, '\0');
    std::getline(text, row.outcome.reason, '\0');
    summary.add(row);
  }
}

// Collective over MPI_COMM_WORLD: what all ranks recorded, at its rank 0; elsewhere nothing. So
// many ranks at once that MPI can count their bytes and rank 0 has room for them.
Summary gather(int rank, int ranks) {
  constexpr std::int64_t most_at_once = 1 << 26;
  const std::string mine = packed();
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  Summary summary;
  summary.ranks = ranks;
  for (const auto [first, last] : chunks_of_at_most(most_at_once, lengths)) {
    std::vector<int> counts(lengths.size());
    std::copy(lengths.begin() + first, lengths.begin() + last, counts.begin() + first);
    std::vector<int> offsets(lengths.size());
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::string all(rank == 0 ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0, '\0');
    PMPI_Gatherv(mine.data(), counts[static_cast<std::size_t>(rank)], MPI_CHAR, all.data(),
                 counts.data(), offsets.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (std::ptrdiff_t i = first; rank == 0 && i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      add_packed(summary, all.substr(static_cast<std::size_t>(offsets[at]),
                                     static_cast<std::size_t>(counts[at])));
    }
  }
  summary.sort();
  return summary;
}

// Writes what was learned to where the user wants it.
void save(const Summary& summary) {
  const std::string path = Configuration::save_file();
  if (path.empty()) return;
  const std::string profile = as_profile(summary.learned);
  if (profile.empty()) {
    std::fprintf(stderr,
                 "roundelay: ROUNDELAY_SAVE: nothing was learned that a profile can express; "
                 "%s was not written\n",
                 path.c_str());
  } else if (!write_file(path, WriteMode::replace, profile)) {
    std::fprintf(stderr, "roundelay: ROUNDELAY_SAVE: cannot write %s: %s; here is the profile\n%s",
                 path.c_str(), std::strerror(errno), profile.c_str());
  }
}

void publish(const Summary& summary) {
  const Configuration& configuration = Configuration::instance();
  save(summary);
  for (const std::string& sentence : unknown_settings()) {
    std::fprintf(stderr, "roundelay: %s\n", sentence.c_str());
  }
  tell(as_json(summary, "report"));
  if (configuration.report() == ReportForm::off) return;
  const std::string text =
      configuration.report() == ReportForm::json ? as_json(summary) : as_text(summary);
  const std::string& path = configuration.report_file();
  if (!path.empty()) {
    if (write_file(path, WriteMode::replace, text)) return;
    std::fprintf(stderr, "roundelay: cannot write the report to %s: %s; here it is\n", path.c_str(),
                 std::strerror(errno));
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::atomic<bool> concluded{false};

// Adds what was counted on the communicators that were not freed.
void settle_all() {
  PerCommunicator<CommunicatorState>::instance().for_each(
      [](CommunicatorState& state) { state.settle(); });
}

// Where something fails, such as for want of memory, the program ends all the same.
void catch_all(void (*conclude)()) noexcept {
  try {
    conclude();
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "roundelay: there is no report: %s\n", reason.what());
  }
}

// Nothing is run any more. The communicators are those that no call frees.
void stop(std::span<const MPI_Comm> never_freed) {
  settle_all();
  mpi::free_kept_arguments();
  mpi::leave_progress();
  auto& communicators = PerCommunicator<CommunicatorState>::instance();
  communicators.close();
  for (const MPI_Comm comm : never_freed) communicators.end(comm);
  mpi::close_put_windows();
  mpi::SelfCommunicator::free();
}

void conclude_of_this_rank() {
  // MPI calls this where it frees MPI_COMM_SELF, and so that one ends by itself.
  stop(std::array{MPI_COMM_WORLD});
  int rank = 0;
  Summary summary;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &summary.ranks);
  if (rank != 0) return;
  summary.alone = summary.ranks > 1;
  add_packed(summary, packed());
  summary.sort();
  publish(summary);
}

int conclude_alone(MPI_Comm /*self*/, int /*key*/, void* /*attribute*/, void* /*extra*/) {
  if (!concluded.exchange(true)) catch_all(conclude_of_this_rank);
  return MPI_SUCCESS;
}

void conclude_of_all_ranks() {
  stop(std::array{MPI_COMM_WORLD, MPI_COMM_SELF});
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Summary summary = gather(rank, ranks);
  if (rank == 0) publish(summary);
}

}  // namespace

void conclude() noexcept {
  int initialized = 0;
  int finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0 || concluded.exchange(true)) return;
  catch_all(conclude_of_all_ranks);
}

void arrange_conclusion() {
  static std::once_flag once;
  std::call_once(once, [] {
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, conclude_alone, &key, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    PMPI_Comm_free_keyval(&key);
  });
}

}  // namespace roundelay::preload
