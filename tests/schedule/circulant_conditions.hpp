// SPDX-License-Identifier: Apache-2.0
// What the paper demands of the schedules of all p ranks (its section 2): where these conditions
// hold, the pipelined broadcast is right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/circulant.hpp"

namespace roundelay {

struct CirculantFindings {
  std::string broken;  // the first condition that does not hold, and where
  int searches = 0;    // the most that the send schedule of a rank needed
};

class CirculantConditions {
 public:
  explicit CirculantConditions(int p) : p_(p), skip_(Skips::halving(p)), q_(skip_.rounds()) {
    int s = p_;
    for (int k = q_; k >= 0; s = s / 2 + s % 2, --k) {
      if (skip_[k] != s) fail(0, k, "has a wrong skip");
    }
    if (skip_[0] != 1) fail(0, 0, "does not reach its neighbour");
  }

  void check_all() {
    received_.resize(index(p_));
    for (int v = 0; v < p_; ++v) receive_schedule(skip_, v, received_[index(v)]);
    for (int v = 0; v < p_ && findings_.broken.empty(); ++v) {
      check(v, received_[index(v)], [&](int t, int k) { return received_[index(t)][index(k)]; });
    }
  }

  // The same of one rank of so many that a table of all would not fit.
  void check_alone(int v) {
    CirculantEntries own;
    receive_schedule(skip_, v, own);
    check(v, own, [&](int t, int k) {
      CirculantEntries theirs;
      receive_schedule(skip_, t, theirs);
      return theirs[index(k)];
    });
  }

  [[nodiscard]] const CirculantFindings& findings() const { return findings_; }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  // Of a set of entries, which lie in [-q, q].
  static std::uint64_t bit(int entry) { return std::uint64_t{1} << (entry + 31); }

  void check(int v, const CirculantEntries& receive, auto received_by) {
    CirculantEntries send;
    findings_.searches = std::max(findings_.searches, send_schedule(skip_, v, send));
    const int b = base_block(skip_, v);
    if (v == 0 ? b != q_ : b < 0 || b >= q_) fail(v, q_, "has a wrong base block");

    std::uint64_t received = 0;
    for (int k = 0; k < q_; ++k) {
      const int sent = send[index(k)];
      const std::int64_t t = std::int64_t{v} + skip_[k];
      if (sent != received_by(static_cast<int>(t % p_), k)) {
        fail(v, k, "sends another block than is received");
      }
      if (v == 0 ? sent != k : sent != b - q_ && (received & bit(sent)) == 0) {
        fail(v, k, "sends what it does not have");
      }
      received |= bit(receive[index(k)]);
    }
    std::uint64_t wanted = 0;
    for (int block = -q_; block < 0; ++block) wanted |= bit(block);
    if (v != 0) wanted ^= bit(b - q_) | bit(b);
    if (received != wanted) fail(v, q_, "does not receive every block once");
  }

  void fail(int v, int k, const char* what) {
    if (!findings_.broken.empty()) return;
    findings_.broken = "p = " + std::to_string(p_) + ": rank " + std::to_string(v) + " " + what +
                       " in round " + std::to_string(k);
  }

  int p_;
  Skips skip_;
  int q_;
  std::vector<CirculantEntries> received_;
  CirculantFindings findings_;
};

}  // namespace roundelay
