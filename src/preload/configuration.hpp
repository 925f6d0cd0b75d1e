// SPDX-License-Identifier: Apache-2.0
// What the user asked for: the environment, and what the program says through the C API.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "choose/chooser.hpp"
#include "choose/machine_file.hpp"
#include "choose/placement.hpp"
#include "preload/names.hpp"

namespace roundelay::preload {

// FNV-1a
[[nodiscard]] std::uint64_t fingerprint_of(std::string_view text) noexcept;

enum class ReportForm : std::uint8_t { text, json, off };

// What carries messages. automatic: memory inside a node, where it can be shared, and messages
// else. memory: the same, but the program ends where memory cannot be shared. put: puts between
// ranks of several nodes that share no memory, and between all ranks of one node, if the MPI
// library has windows for it.
enum class CarriedBy : std::uint8_t { automatic, messages, memory, put };

// Where the ranks learn which algorithm is fastest. automatic: where the model decides. on: also
// where a profile does.
enum class Learn : std::uint8_t { automatic, off, on };

// Whether calls that do not wait are run as those that do, where that is possible, or left to the
// MPI library. `automatic`: where they are expected to gain (choose::nonblocking_gains).
enum class NonblockingCalls : std::uint8_t { automatic, off, on };

// What decisions depend on. Never changes and is never destroyed; what is forced for the first time
// makes another one.
struct Settings {
  Wishes wishes;
  CarriedBy carried_by = CarriedBy::automatic;
  Learn learn = Learn::automatic;
  NonblockingCalls nonblocking = NonblockingCalls::automatic;
  std::string text;  // as environment variables, for messages
  // Equal on two ranks if and only if they decide alike (up to collisions of 64 bits): it covers
  // all that is here, the build and its version.
  std::uint64_t fingerprint = 0;

  // Whether what comes from there is only the first guess.
  [[nodiscard]] bool learns(choose::Verdict::Source source) const noexcept {
    using Source = choose::Verdict::Source;
    return learn != Learn::off &&
           (source == Source::model || (source == Source::profile && learn == Learn::on));
  }
};

// The settings of the calling thread. Until it first asks for them they are `no_settings`, which no
// communicator ever has, so that the first comparison always fails.
extern const Settings no_settings;
inline constinit thread_local const Settings* settings_of_thread = &no_settings;

// A sentence for each variable of the environment that begins with ROUNDELAY_ and is no setting.
[[nodiscard]] std::vector<std::string> unknown_settings();

class Configuration {
 public:
  // Reads the environment when it is first asked for. Never destroyed: collectives may be called
  // while the process ends.
  static Configuration& instance();

  // Not empty: what was asked for is wrong, and how. The same on every rank, or the ranks differ.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  [[nodiscard]] ReportForm report() const noexcept { return report_; }
  [[nodiscard]] const std::string& report_file() const noexcept { return report_file_; }
  // Where what was learned is to be written; empty if nowhere.
  [[nodiscard]] static std::string save_file();
  [[nodiscard]] static bool trace_is_wanted();
  // Where `roundelay run` looks for what happened; empty if nobody does.
  [[nodiscard]] static std::string status_file();

  // What holds for the calling thread: what it forced last; until it forces anything, what held for
  // the process when it first asked.
  [[nodiscard]] const Settings& settings() {
    return settings_of_thread != &no_settings ? *settings_of_thread : adopt_settings();
  }
  // For the calling thread, and for threads that have not called a collective yet. Throws
  // SpellingError; then nothing has changed.
  void force(const std::string& text);
  // What the user says of the machine; null if nothing.
  [[nodiscard]] const choose::MachineFile* machine() const noexcept { return machine_.get(); }
  // Where the processes are, if the user says so.
  [[nodiscard]] const Placement& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const Placement& sites() const noexcept { return sites_; }

 private:
  Configuration();
  void add_error(const std::string& error);
  void read_placement(const char* name, Placement& placement);
  const Settings& adopt_settings();
  void add_settings(Wishes wishes);

  std::string error_;
  std::unique_ptr<const choose::MachineFile> machine_;
  Placement nodes_;
  Placement sites_;
  CarriedBy carried_by_ = CarriedBy::automatic;
  Learn learn_ = Learn::automatic;
  NonblockingCalls nonblocking_ = NonblockingCalls::automatic;
  std::uint64_t profile_fingerprint_ = 0;
  ReportForm report_ = ReportForm::text;
  std::string report_file_;
  std::mutex mutex_;
  std::list<Settings> settings_;  // the last ones hold; references to all of them are given away
};

}  // namespace roundelay::preload
