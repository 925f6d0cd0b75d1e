// SPDX-License-Identifier: Apache-2.0
#include "mpi/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace roundelay::mpi {

namespace {

int cores_of(pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(process, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

// In which launchers tell a rank its number; null: none has.
const char* variable_of_number() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (std::getenv(name) != nullptr) return name;
  }
  return nullptr;
}

std::string of_process(pid_t process, const char* what) {
  return "/proc/" + std::to_string(process) + "/" + what;
}

// Whether the process was started with this environment variable. False if its environment cannot
// be read, as for another user's process.
bool has_variable(pid_t process, const std::string& name) {
  std::ifstream variables(of_process(process, "environ"));
  for (std::string one; std::getline(variables, one, '\0');) {
    if (one.starts_with(name + "=")) return true;
  }
  return false;
}

// 0: unknown, or none.
pid_t parent_of(pid_t process) {
  std::ifstream file(of_process(process, "stat"));
  std::string line;  // "number (name) state parent ..", and the name may be anything
  std::getline(file, line);
  std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

// Cores that the group may use, as a fraction; 0: no limit.
double quota_of(const std::string& group, bool second_version) {
  double quota = 0;
  double period = 0;
  if (second_version) {
    std::ifstream both(group + "/cpu.max");  // "max 100000" without a limit
    if (!(both >> quota >> period)) return 0;
  } else {
    std::ifstream first(group + "/cpu.cfs_quota_us");  // -1 without a limit
    std::ifstream second(group + "/cpu.cfs_period_us");
    if (!(first >> quota) || !(second >> period)) return 0;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

}  // namespace

int cores_by_quota(const std::string& membership, const std::string& root) {
  double least = 0;
  std::ifstream lines(membership);
  // "0::/path", or "4:cpu,cpuacct:/path"
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool second_version = controllers == ",,";
    if (!second_version && controllers.find(",cpu,") == std::string::npos) continue;
    const std::string top = root + (second_version ? "" : "/cpu");
    for (std::string path = line.substr(second + 1);; path.erase(path.rfind('/'))) {
      const double cores = quota_of(top + path, second_version);
      if (cores > 0 && (least == 0 || cores < least)) least = cores;
      if (path.empty() || path.find('/') == std::string::npos) break;
    }
  }
  return static_cast<int>(std::ceil(least));
}

pid_t launcher() {
  const char* const number = variable_of_number();
  pid_t process = getppid();
  while (number != nullptr && process > 1 && has_variable(process, number)) {
    process = parent_of(process);
  }
  return process;
}

int usable_cores() {
  const int cores = std::max({1, cores_of(0), cores_of(launcher())});
  const int quota = cores_by_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  return quota > 0 ? std::min(cores, quota) : cores;
}

}  // namespace roundelay::mpi
