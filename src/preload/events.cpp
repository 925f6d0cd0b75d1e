// SPDX-License-Identifier: Apache-2.0
#include "preload/events.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "preload/configuration.hpp"
#include "preload/file.hpp"
#include "preload/json.hpp"

namespace roundelay::preload {

namespace {

// How many ranks the process belongs to, as its launcher says; 0 if it does not.
int launched_ranks() {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE"}) {
    if (const char* value = std::getenv(name); value != nullptr) return std::atoi(value);
  }
  return 0;
}

// That the library was in a process at all.
[[gnu::constructor]] void tell_loaded() {
  std::array<char, 4096> program{};
  if (Configuration::status_file().empty() ||
      readlink("/proc/self/exe", program.data(), program.size() - 1) < 0) {
    return;
  }
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  put(json, "event", "loaded");
  put(json, "pid", static_cast<int>(getpid()));
  put(json, "exe", program.data());
  put(json, "launched", launched_ranks());
  json.EndObject();
  tell(std::string(text.GetString()) + "\n");
}

}  // namespace

void tell(std::string_view line) {
  if (const std::string status = Configuration::status_file(); !status.empty()) {
    // Where it cannot be written, `roundelay run` knows less; the program has nothing to do with
    // it.
    static_cast<void>(append_to_file(status, line));
  }
}

void tell_error(std::string_view why) {
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  put(json, "event", "error");
  put(json, "message", why);
  json.EndObject();
  tell(std::string(text.GetString()) + "\n");
}

}  // namespace roundelay::preload
