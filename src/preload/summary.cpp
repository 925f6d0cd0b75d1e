// SPDX-License-Identifier: Apache-2.0
#include "preload/summary.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <vector>

#include "mpi/library.hpp"
#include "mpi/waiting.hpp"
#include "preload/json.hpp"
#include "preload/version.hpp"

namespace roundelay::preload {

namespace {

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

void write(JsonWriter& json, const Total& total) {
  json.StartObject();
  put(json, "collective", total.outcome.call());
  put(json, "algorithm", total.outcome.algorithm);
  put(json, "reason", total.outcome.reason);
  put(json, "calls", total.calls);
  put(json, "bytes", total.bytes);
  put(json, "least_bytes", total.least_bytes);
  put(json, "most_bytes", total.most_bytes);
  put(json, "ranks", total.ranks);
  put(json, "timed_calls", total.timed_calls);
  put(json, "mean_seconds", total.mean_seconds());
  if (total.expected_calls > 0) put(json, "model_seconds", total.model_seconds());
  put(json, "seconds", total.seconds());
  put(json, "slowest_seconds", total.slowest_seconds);
  json.EndObject();
}

std::string bytes_of(const Total& total) {
  if (total.calls == 0) return "-";
  const std::string least = bytes_text(total.least_bytes);
  const std::string most = bytes_text(total.most_bytes);
  return least == most ? least : least + " .. " + most;
}

}  // namespace

void Total::add(const Row& row) {
  if (row.calls > 0) {
    least_bytes = calls == 0 ? row.least_bytes : std::min(least_bytes, row.least_bytes);
    most_bytes = std::max(most_bytes, row.most_bytes);
    calls += row.calls;
    bytes += row.bytes;
  }
  expected_calls += row.expected_calls;
  expected_seconds += row.expected_seconds;
  ++ranks;
  rank_calls += row.own_calls;
  timed_calls += row.timed_calls;
  rank_seconds += row.seconds;
  slowest_seconds = std::max(slowest_seconds, row.seconds);
}

void Summary::add(const Row& row) {
  auto same = std::ranges::find(totals, row.outcome, &Total::outcome);
  if (same == totals.end()) same = totals.insert(same, Total{.outcome = row.outcome});
  same->add(row);
}

double Summary::learned_seconds() const {
  return std::transform_reduce(learned.begin(), learned.end(), 0.0, std::plus(),
                               [](const Learned& of) { return of.seconds; });
}
double Summary::learning_seconds() const {
  return std::transform_reduce(learned.begin(), learned.end(), 0.0, std::plus(),
                               [](const Learned& of) { return of.spent; });
}

void Summary::sort() { std::ranges::sort(totals, std::greater(), &Total::seconds); }

std::string as_json(const Summary& summary, std::string_view event) {
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  if (!event.empty()) put(json, "event", event);
  put(json, "roundelay", version);
  put(json, "mpi", mpi::library_name());
  put(json, "ranks", summary.ranks);
  put(json, "complete", !summary.alone);
  put(json, "waiting", waiting_name());
  put(json, "scratch_high_water", summary.scratch);
  put(json, "setup_seconds", summary.setup);
  put(json, "device_calls", summary.device_calls);
  put(json, "learned_seconds", summary.learned_seconds());
  put(json, "learning_seconds", summary.learning_seconds());
  json.Key("calls");
  json.StartArray();
  for (const Total& total : summary.totals) write(json, total);
  json.EndArray();
  json.EndObject();
  return std::string(text.GetString()) + "\n";
}

std::string as_text(const Summary& summary) {
  using Cells = std::vector<std::string>;
  const bool asked = std::ranges::any_of(
      summary.totals, [](const Total& total) { return total.expected_calls > 0; });
  std::vector<Cells> table{
      {"collective", "algorithm", "calls", "bytes", "mean time", "time", "slowest rank", "why"}};
  for (const Total& total : summary.totals) {
    table.push_back({total.outcome.call(), total.outcome.algorithm, std::to_string(total.calls),
                     bytes_of(total), time_text(total.mean_seconds()), time_text(total.seconds()),
                     time_text(total.slowest_seconds), total.outcome.reason});
  }
  if (asked) {
    const auto insert = [](Cells& cells, const std::string& model) {
      cells.insert(cells.begin() + 5, model);
    };
    insert(table.front(), "model");
    for (std::size_t i = 0; i < summary.totals.size(); ++i) {
      const Total& total = summary.totals[i];
      insert(table[i + 1], total.expected_calls > 0 ? time_text(total.model_seconds()) : "-");
    }
  }
  std::vector<std::size_t> widths(table.front().size());
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::ostringstream text;
  text << "roundelay " << version << ": " << summary.ranks
       << (summary.ranks == 1 ? " rank, " : " ranks, ") << mpi::library_name()
       << ", waiting: " << waiting_name() << "; at most per rank: scratch "
       << bytes_text(static_cast<std::uint64_t>(summary.scratch)) << ", set-up "
       << time_text(summary.setup);
  if (summary.device_calls > 0) {
    text << ", " << summary.device_calls << " calls on copies of device memory";
  }
  if (const double all = summary.learned_seconds(); all > 0) {
    text << ", learning " << std::fixed << std::setprecision(1)
         << 100 * summary.learning_seconds() / all << "% of " << time_text(all);
  }
  text << '\n';
  if (summary.alone) text << "  (only of rank 0: MPI_Finalize was not intercepted)\n";
  if (summary.totals.empty()) text << "  the program called no collective that Roundelay can run\n";
  for (const Cells& cells : table) {
    if (summary.totals.empty()) break;
    std::string line = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool number = i >= 2 && i + 1 < cells.size();
      const std::string space(widths[i] - cells[i].size(), ' ');
      line += " " + (number ? space + cells[i] : cells[i] + space) + " ";
    }
    text << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
  return text.str();
}

}  // namespace roundelay::preload
