// SPDX-License-Identifier: Apache-2.0
// What the user asked for: the environment, and what the program says through the C API.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "choose/chooser.hpp"
#include "choose/placement.hpp"
#include "preload/names.hpp"

namespace roundelay::preload {

// FNV-1a
[[nodiscard]] std::uint64_t fingerprint_of(std::string_view text) noexcept;

enum class ReportForm : std::uint8_t { text, json, off };

// Counts up with every change of what is forced: decisions of another epoch are void.
inline std::atomic<std::uint32_t> epoch{1};

class Configuration {
 public:
  // Reads the environment when it is first asked for.
  static Configuration& instance();

  // Not empty: what was asked for is wrong, and how. The same on every rank, or the ranks differ.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  [[nodiscard]] ReportForm report() const noexcept { return report_; }
  [[nodiscard]] const std::string& report_file() const noexcept { return report_file_; }
  [[nodiscard]] static bool trace_is_wanted();
  // Where `roundelay run` looks for what happened; empty if nobody does.
  [[nodiscard]] static std::string status_file();

  [[nodiscard]] Wishes wishes() const;
  // Throws SpellingError; then nothing has changed.
  void force(const std::string& text);
  // Where the processes are, if the user says so.
  [[nodiscard]] const Placement& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const Placement& sites() const noexcept { return sites_; }
  // The same as variables, for messages.
  [[nodiscard]] std::string text() const;
  // Equal on two ranks if and only if they will decide alike (up to collisions of 64 bits).
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  Configuration();
  void add_error(const std::string& error);
  void read_placement(const char* name, Placement& placement);

  std::string error_;
  Placement nodes_;
  Placement sites_;
  std::uint64_t profile_fingerprint_ = 0;
  ReportForm report_ = ReportForm::text;
  std::string report_file_;
  mutable std::mutex mutex_;
  Wishes wishes_;
};

}  // namespace roundelay::preload
