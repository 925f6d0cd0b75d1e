// SPDX-License-Identifier: Apache-2.0
#include "preload/summary.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "mpi/waiting.hpp"
#include "preload/version.hpp"

namespace roundelay::preload {

namespace {

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  // "Open MPI v4.1.4, package: .."; "MPICH Version:<tab>4.0.2<newline>.."
  std::string all(text.data());
  all = all.substr(0, all.find_first_of(",\n"));
  if (const auto label = all.find(" Version:"); label != std::string::npos) {
    all.replace(label, all.find_last_of(" \t") + 1 - label, " ");
  }
  return all;
}

const char* waiting_name() { return mpi::waiting() == mpi::Waiting::sleep ? "sleep" : "spin"; }

std::string amount(double value, std::array<const char*, 4> units, double step) {
  std::size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), value < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", value,
                units[unit]);
  return text.data();
}

std::string bytes_text(std::uint64_t bytes) {
  return amount(static_cast<double>(bytes), {"B", "KiB", "MiB", "GiB"}, 1024);
}

std::string time_text(double seconds) {
  return amount(seconds * 1e9, {"ns", "us", "ms", "s"}, 1000);
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string json = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') json += '\\';
    if (static_cast<unsigned char>(character) >= ' ') json += character;
  }
  return json + "\"";
}

std::string as_json(const Summary& summary, std::string_view event) {
  std::ostringstream json;
  json << "{";
  if (!event.empty()) json << "\"event\": " << quoted(event) << ", ";
  json << "\"roundelay\": " << quoted(version) << ", \"mpi\": " << quoted(mpi_library())
       << ", \"ranks\": " << summary.ranks
       << ", \"complete\": " << (summary.alone ? "false" : "true") << ", \"waiting\": \""
       << waiting_name() << "\", \"scratch_high_water\": " << summary.scratch << ", \"calls\": [";
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    const Row& row = summary.rows[i];
    json << (i == 0 ? "" : ", ") << "{\"collective\": " << quoted(name_of(row.outcome.collective))
         << ", \"algorithm\": " << quoted(row.outcome.algorithm)
         << ", \"reason\": " << quoted(row.outcome.reason) << ", \"calls\": " << row.calls
         << ", \"bytes\": " << row.bytes << ", \"least_bytes\": " << row.least_bytes
         << ", \"most_bytes\": " << row.most_bytes << ", \"timed_calls\": " << row.timed_calls
         << ", \"seconds\": " << row.seconds << "}";
  }
  json << "]}\n";
  return json.str();
}

std::string as_text(const Summary& summary) {
  using Cells = std::array<std::string, 7>;
  std::vector<Cells> table{
      {"collective", "algorithm", "calls", "bytes", "mean time", "time", "why"}};
  for (const Row& row : summary.rows) {
    const std::string least = bytes_text(row.least_bytes);
    const std::string most = bytes_text(row.most_bytes);
    table.push_back({std::string(name_of(row.outcome.collective)), row.outcome.algorithm,
                     std::to_string(row.calls), least == most ? least : least + " .. " + most,
                     time_text(row.seconds / static_cast<double>(row.calls)),
                     time_text(row.seconds), row.outcome.reason});
  }
  std::array<std::size_t, 7> widths{};
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::ostringstream text;
  text << "roundelay " << version << ": " << summary.ranks
       << (summary.ranks == 1 ? " rank, " : " ranks, ") << mpi_library()
       << ", waiting: " << waiting_name() << "; at most a rank: scratch "
       << bytes_text(static_cast<std::uint64_t>(summary.scratch)) << ", set-up "
       << time_text(summary.setup) << '\n';
  if (summary.alone) text << "  (of rank 0 alone: MPI_Finalize was not intercepted)\n";
  if (summary.rows.empty()) text << "  no collective was called that this library runs\n";
  for (const Cells& cells : table) {
    if (summary.rows.empty()) break;
    std::string line = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool number = i >= 2 && i <= 5;
      const std::string space(widths[i] - cells[i].size(), ' ');
      line += " " + (number ? space + cells[i] : cells[i] + space) + " ";
    }
    text << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
  return text.str();
}

}  // namespace roundelay::preload
