// SPDX-License-Identifier: Apache-2.0
#include "preload/configuration.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "choose/deterministic.hpp"
#include "choose/listed.hpp"
#include "choose/profile.hpp"
#include "mpi/waiting.hpp"
#include "preload/build.hpp"
#include "preload/version.hpp"

namespace roundelay::preload {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The index of the variable's value among `valid`; the first if it is not set. What is wrong is
// added to `error`.
std::size_t one_of(const char* name, std::initializer_list<std::string_view> valid,
                   std::string& error) {
  const std::string value = variable(name);
  if (value.empty()) return 0;
  const auto* const found = std::ranges::find(valid, value);
  if (found != valid.end()) return static_cast<std::size_t>(found - valid.begin());
  error += (error.empty() ? "" : "; ") + std::string(name) + "=" + value + ": must be one of " +
           choose::valid_for(value, valid);
  return 0;
}

// All that Roundelay, its command and its tests read.
constexpr std::array<std::string_view, 16> names_of_settings{
    "ROUNDELAY_DETERMINISTIC", "ROUNDELAY_LEARN",   "ROUNDELAY_LIBRARY_DIR",
    "ROUNDELAY_MACHINE",       "ROUNDELAY_MPIS",    "ROUNDELAY_NODES",
    "ROUNDELAY_NONBLOCKING",   "ROUNDELAY_PROFILE", "ROUNDELAY_REPORT",
    "ROUNDELAY_REPORT_FILE",   "ROUNDELAY_SAVE",    "ROUNDELAY_SITES",
    "ROUNDELAY_STATUS",        "ROUNDELAY_TRACE",   "ROUNDELAY_TRANSPORT",
    "ROUNDELAY_WAIT"};

}  // namespace

std::vector<std::string> unknown_settings() {
  std::vector<std::string> sentences;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("ROUNDELAY_") &&
        std::ranges::find(names_of_settings, name) == names_of_settings.end()) {
      sentences.push_back(std::string(name) + " is not a setting; there are: ROUNDELAY, " +
                          choose::valid_for(name, names_of_settings));
    }
  }
  return sentences;
}

const Settings no_settings;

Configuration& Configuration::instance() {
  static auto* const one = new Configuration;
  return *one;
}

Configuration::Configuration() : report_file_(variable("ROUNDELAY_REPORT_FILE")) {
  Wishes wishes;
  try {
    wishes.forced = choose::parse_choices(variable("ROUNDELAY"));
  } catch (const SpellingError& wrong) {
    add_error("ROUNDELAY=" + std::string(wrong.what()));
  }
  try {
    if (const std::string profile = variable("ROUNDELAY_PROFILE"); !profile.empty()) {
      wishes.profile = std::make_shared<const Profile>(Profile::load(profile));
      profile_fingerprint_ = fingerprint_of(wishes.profile->text());
    }
  } catch (const FileError& wrong) {
    add_error("ROUNDELAY_PROFILE: " + std::string(wrong.what()));
  }
  try {
    if (const std::string machine = variable("ROUNDELAY_MACHINE"); !machine.empty()) {
      machine_ = std::make_unique<const choose::MachineFile>(choose::MachineFile::load(machine));
    }
  } catch (const FileError& wrong) {
    add_error("ROUNDELAY_MACHINE: " + std::string(wrong.what()));
  }
  wishes.deterministic = one_of("ROUNDELAY_DETERMINISTIC", {"0", "1"}, error_) == 1;
  try {
    if (wishes.deterministic) choose::require_deterministic(wishes.forced);
  } catch (const SpellingError& wrong) {
    add_error(wrong.what());
  }
  read_placement("ROUNDELAY_NODES", nodes_);
  read_placement("ROUNDELAY_SITES", sites_);
  // In the order of the enumerations.
  report_ = static_cast<ReportForm>(one_of("ROUNDELAY_REPORT", {"text", "json", "off"}, error_));
  one_of("ROUNDELAY_TRACE", {"0", "1"}, error_);
  carried_by_ = static_cast<CarriedBy>(
      one_of("ROUNDELAY_TRANSPORT", {"auto", "messages", "memory", "put"}, error_));
  learn_ = static_cast<Learn>(one_of("ROUNDELAY_LEARN", {"auto", "off", "on"}, error_));
  nonblocking_ =
      static_cast<NonblockingCalls>(one_of("ROUNDELAY_NONBLOCKING", {"auto", "off", "on"}, error_));
  // A simulated program's clock is not the one of this library.
  if (ROUNDELAY_SIMGRID) learn_ = Learn::off;
  switch (one_of("ROUNDELAY_WAIT", {"auto", "spin", "sleep"}, error_)) {
    case 1: mpi::set_waiting(Waiting::spin); break;
    case 2: mpi::set_waiting(Waiting::sleep); break;
    default: mpi::set_waiting(mpi::suitable(mpi::occupancy()));
  }
  add_settings(std::move(wishes));
}

void Configuration::read_placement(const char* name, Placement& placement) {
  try {
    placement = Placement::read(variable(name));
  } catch (const std::invalid_argument& wrong) {
    add_error(std::string(name) + ": " + wrong.what());
  }
}

std::string Configuration::save_file() { return variable("ROUNDELAY_SAVE"); }
bool Configuration::trace_is_wanted() { return variable("ROUNDELAY_TRACE") == "1"; }
std::string Configuration::status_file() { return variable("ROUNDELAY_STATUS"); }

void Configuration::add_error(const std::string& error) {
  error_ += (error_.empty() ? "" : "; ") + error;
}

const Settings& Configuration::adopt_settings() {
  const std::lock_guard lock(mutex_);
  settings_of_thread = &settings_.back();
  return *settings_of_thread;
}

void Configuration::force(const std::string& text) {
  Wishes wishes = settings().wishes;
  wishes.forced = choose::parse_choices(text);
  if (wishes.deterministic) choose::require_deterministic(wishes.forced);
  const std::lock_guard lock(mutex_);
  add_settings(std::move(wishes));
  settings_of_thread = &settings_.back();
}

void Configuration::add_settings(Wishes wishes) {
  std::string text = "ROUNDELAY=\"" + wishes.forced.text() + "\"";
  if (wishes.profile != nullptr) text += ", ROUNDELAY_PROFILE=" + wishes.profile->file();
  if (machine_ != nullptr) text += ", ROUNDELAY_MACHINE=" + machine_->file();
  if (wishes.deterministic) text += ", ROUNDELAY_DETERMINISTIC=1";
  if (nodes_.given()) text += ", ROUNDELAY_NODES=" + nodes_.text();
  if (sites_.given()) text += ", ROUNDELAY_SITES=" + sites_.text();
  if (carried_by_ != CarriedBy::automatic) {
    text += ", ROUNDELAY_TRANSPORT=" + variable("ROUNDELAY_TRANSPORT");
  }
  if (learn_ != Learn::automatic) text += ", ROUNDELAY_LEARN=" + variable("ROUNDELAY_LEARN");
  if (nonblocking_ != NonblockingCalls::automatic) {
    text += ", ROUNDELAY_NONBLOCKING=" + variable("ROUNDELAY_NONBLOCKING");
  }
  text += ", build " + build_text();
  const std::uint64_t fingerprint =
      fingerprint_of(std::string(version) + "\n" + build_text() + "\n" + wishes.forced.text() +
                     "\n" + std::to_string(static_cast<int>(wishes.deterministic)) + "\n" +
                     std::to_string(profile_fingerprint_) + "\n" + nodes_.text() + "\n" +
                     sites_.text() + "\n" + std::to_string(static_cast<int>(carried_by_)) + "\n" +
                     std::to_string(static_cast<int>(learn_)) + "\n" +
                     std::to_string(static_cast<int>(nonblocking_)) + "\n" +
                     (machine_ != nullptr ? machine_->text() : "") + "\n" + error_);
  // Communicators for which the ranks agreed on the same before need not do so again.
  const auto known = std::ranges::find(settings_, fingerprint, &Settings::fingerprint);
  if (known != settings_.end()) {
    settings_.splice(settings_.end(), settings_, known);
  } else {
    settings_.push_back(
        {std::move(wishes), carried_by_, learn_, nonblocking_, std::move(text), fingerprint});
  }
}

std::uint64_t fingerprint_of(std::string_view text) noexcept {
  std::uint64_t hash = 14695981039346656037U;
  for (const char character : text)
    hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211U;
  return hash;
}

}  // namespace roundelay::preload
