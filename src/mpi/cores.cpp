// SPDX-License-Identifier: Apache-2.0
#include "mpi/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace roundelay::mpi {

namespace {

int cores_of(pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(process, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

// Microseconds of processor time in a period; 0: no limit.
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

int usable_cores() {
  const int cores = std::max({1, cores_of(0), cores_of(getppid())});
  const int quota = cores_by_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  return quota > 0 ? std::min(cores, quota) : cores;
}

}  // namespace roundelay::mpi
