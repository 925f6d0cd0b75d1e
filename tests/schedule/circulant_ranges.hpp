// SPDX-License-Identifier: Apache-2.0
// The conditions for many p, on all cores.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "schedule/circulant_conditions.hpp"

namespace roundelay {

// The paper's theorem 3.
constexpr int most_searches = 4;

inline std::vector<int> every(int step, int first, int last) {
  std::vector<int> all;
  for (int p = first; p <= last; p += step) all.push_back(p);
  return all;
}

// `done` is told each p that has been looked at, one call at a time.
inline CirculantFindings check_circulants(
    const std::vector<int>& all, const std::function<void(int p)>& done = [](int /*p*/) {}) {
  CirculantFindings findings;
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      CirculantConditions conditions(all[i]);
      conditions.check_all();
      const std::scoped_lock lock(mutex);
      const CirculantFindings& these = conditions.findings();
      findings.searches = std::max(findings.searches, these.searches);
      if (findings.broken.empty()) findings.broken = these.broken;
      if (!findings.broken.empty()) next = all.size();
      done(all[i]);
    }
  };
  std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
  for (std::jthread& thread : threads) thread = std::jthread(work);
  for (std::jthread& thread : threads) thread.join();
  return findings;
}

}  // namespace roundelay
