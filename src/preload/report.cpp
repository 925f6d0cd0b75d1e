// SPDX-License-Identifier: Apache-2.0
#include "preload/report.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "mpi/alone.hpp"
#include "mpi/scratch.hpp"
#include "preload/configuration.hpp"
#include "preload/record.hpp"
#include "preload/station.hpp"
#include "preload/summary.hpp"

namespace roundelay::preload {

namespace {

// Rows travel as lines of tab-separated fields, after a line of what concerns the whole process.
std::string packed_rows() {
  std::ostringstream lines;
  lines << mpi::Scratch::high_water() << ' ' << setup_seconds() << '\n';
  for (const Row& row : rows()) {
    lines << static_cast<int>(row.outcome.collective) << '\t' << row.outcome.algorithm << '\t'
          << row.outcome.reason << '\t' << row.calls << '\t' << row.bytes << '\t' << row.least_bytes
          << '\t' << row.most_bytes << '\t' << row.timed_calls << '\t' << row.seconds << '\n';
  }
  return lines.str();
}

void add(std::vector<Row>& rows, const Row& row) {
  const auto same = std::ranges::find_if(rows, [&](const Row& known) {
    return known.outcome.collective == row.outcome.collective &&
           known.outcome.algorithm == row.outcome.algorithm &&
           known.outcome.reason == row.outcome.reason;
  });
  if (same == rows.end()) {
    rows.push_back(row);
    return;
  }
  same->calls += row.calls;
  same->bytes += row.bytes;
  same->least_bytes = std::min(same->least_bytes, row.least_bytes);
  same->most_bytes = std::max(same->most_bytes, row.most_bytes);
  same->timed_calls += row.timed_calls;
  same->seconds += row.seconds;
}

void add_packed(Summary& summary, const std::string& packed) {
  std::istringstream lines(packed);
  std::string line;
  std::getline(lines, line);
  std::int64_t scratch = 0;
  double setup = 0;
  std::istringstream(line) >> scratch >> setup;
  summary.scratch = std::max(summary.scratch, scratch);
  summary.setup = std::max(summary.setup, setup);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    Row row;
    std::string collective;
    std::getline(fields, collective, '\t');
    std::getline(fields, row.outcome.algorithm, '\t');
    std::getline(fields, row.outcome.reason, '\t');
    fields >> row.calls >> row.bytes >> row.least_bytes >> row.most_bytes >> row.timed_calls >>
        row.seconds;
    row.outcome.collective = static_cast<Collective>(std::stoi(collective));
    add(summary.rows, row);
  }
}

// The parts of all ranks, at rank 0 of the world.
Summary gather(int rank, int ranks) {
  const std::string mine = packed_rows();
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(rank == 0 ? static_cast<std::size_t>(offsets.back() + lengths.back()) : 0, '\0');
  PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR,
               0, MPI_COMM_WORLD);
  Summary summary;
  summary.ranks = ranks;
  if (rank != 0) return summary;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    add_packed(summary, all.substr(static_cast<std::size_t>(offsets[i]),
                                   static_cast<std::size_t>(lengths[i])));
  }
  std::ranges::sort(summary.rows, std::greater(), &Row::seconds);
  return summary;
}

// Whether all of it was written.
bool write_file(const std::string& path, const char* mode, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

void publish(const Summary& summary) {
  const Configuration& configuration = Configuration::instance();
  if (const std::string status = Configuration::status_file(); !status.empty()) {
    write_file(status, "a", as_json(summary, "report"));
  }
  if (configuration.report() == ReportForm::off) return;
  const std::string text =
      configuration.report() == ReportForm::json ? as_json(summary) : as_text(summary);
  const std::string& path = configuration.report_file();
  if (!path.empty()) {
    if (write_file(path, "w", text)) return;
    std::fprintf(stderr, "roundelay: cannot write the report to %s: %s; here it is\n", path.c_str(),
                 std::strerror(errno));
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::atomic<bool> concluded{false};

// What was counted on communicators that still are.
void settle_all() {
  PerCommunicator<Station>::instance().for_each([](Station& station) { station.settle(); });
}

int conclude_alone(MPI_Comm /*self*/, int /*key*/, void* /*attribute*/, void* /*extra*/) {
  if (concluded.exchange(true)) return MPI_SUCCESS;
  settle_all();
  PerCommunicator<Station>::instance().close();
  // MPI_COMM_SELF is about to end by itself.
  PerCommunicator<Station>::instance().end(MPI_COMM_WORLD);
  int rank = 0;
  Summary summary;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &summary.ranks);
  if (rank != 0) return MPI_SUCCESS;
  summary.alone = summary.ranks > 1;
  add_packed(summary, packed_rows());
  publish(summary);
  return MPI_SUCCESS;
}

// `roundelay run` learns from this that the library was in the process at all.
[[gnu::constructor]] void note_loaded() {
  const std::string status = Configuration::status_file();
  if (status.empty()) return;
  std::array<char, 4096> program{};
  if (readlink("/proc/self/exe", program.data(), program.size() - 1) < 0) return;
  std::ostringstream line;
  line << "{\"event\": \"loaded\", \"pid\": " << getpid() << ", \"exe\": " << quoted(program.data())
       << "}\n";
  write_file(status, "a", line.str());
}

}  // namespace

void conclude() {
  int initialized = 0;
  int finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0 || concluded.exchange(true)) return;
  settle_all();
  PerCommunicator<Station>::instance().close();
  for (const MPI_Comm never_freed : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    PerCommunicator<Station>::instance().end(never_freed);
  }
  mpi::Alone::free();
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Summary summary = gather(rank, ranks);
  if (rank == 0) publish(summary);
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
