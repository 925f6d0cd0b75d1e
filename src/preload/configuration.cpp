// SPDX-License-Identifier: Apache-2.0
#include "preload/configuration.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include "mpi/waiting.hpp"
#include "preload/version.hpp"

namespace roundelay {

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
  std::string names;
  std::size_t index = 0;
  for (const std::string_view each : valid) {
    if (each == value) return index;
    names += (names.empty() ? "" : ", ") + std::string(each);
    ++index;
  }
  error +=
      (error.empty() ? "" : "; ") + std::string(name) + "=" + value + ": must be one of " + names;
  return 0;
}

}  // namespace

Configuration& Configuration::instance() {
  static Configuration one;
  return one;
}

Configuration::Configuration() : report_file_(variable("ROUNDELAY_REPORT_FILE")) {
  try {
    forced_ = parse_choices(variable("ROUNDELAY"));
  } catch (const SpellingError& wrong) {
    error_ = "ROUNDELAY=" + std::string(wrong.what());
  }
  constexpr std::array forms{ReportForm::text, ReportForm::json, ReportForm::off};
  report_ = forms.at(one_of("ROUNDELAY_REPORT", {"text", "json", "off"}, error_));
  one_of("ROUNDELAY_TRACE", {"0", "1"}, error_);
  switch (one_of("ROUNDELAY_WAIT", {"auto", "spin", "sleep"}, error_)) {
    case 1: set_waiting(Waiting::spin); break;
    case 2: set_waiting(Waiting::sleep); break;
    default: set_waiting(suitable(occupancy()));
  }
}

bool Configuration::trace_is_wanted() { return variable("ROUNDELAY_TRACE") == "1"; }
std::string Configuration::status_file() { return variable("ROUNDELAY_STATUS"); }

Choices Configuration::forced() const {
  const std::lock_guard lock(mutex_);
  return forced_;
}

void Configuration::force(const std::string& text) {
  Choices choices = parse_choices(text);
  const std::lock_guard lock(mutex_);
  forced_ = std::move(choices);
  epoch.fetch_add(1, std::memory_order_release);
}

std::uint64_t Configuration::fingerprint() const {
  return fingerprint_of(std::string(version) + "\n" + forced().text() + "\n" + error_);
}

std::uint64_t fingerprint_of(std::string_view text) noexcept {
  std::uint64_t hash = 14695981039346656037U;
  for (const char character : text)
    hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211U;
  return hash;
}

}  // namespace roundelay
