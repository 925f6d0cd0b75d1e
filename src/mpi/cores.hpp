// SPDX-License-Identifier: Apache-2.0
// How many cores the ranks of this node may use.
#pragma once

#include <sys/types.h>

#include <string>

namespace roundelay::mpi {

// By the affinity of this process or of its launcher, for a rank may be bound to one core, and by
// the quota of its control groups. At least 1.
[[nodiscard]] int usable_cores();

// The process that started the ranks: the nearest one above this one in whose environment is no
// variable that tells a rank its number. What is in between, such as a script, has it too.
[[nodiscard]] pid_t launcher();

// By quotas alone: of the group that `membership` (as /proc/self/cgroup) names below `root` (as
// /sys/fs/cgroup) and of those above it, in either version of control groups. Rounded up; 0: there
// is no limit.
[[nodiscard]] int cores_by_quota(const std::string& membership, const std::string& root);

}  // namespace roundelay::mpi
