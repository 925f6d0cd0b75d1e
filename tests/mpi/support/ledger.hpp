// SPDX-License-Identifier: Apache-2.0
// Ledger: runs cases, keeps what each rank found, and adds it up at the end by point-to-point
// messages (a collective would be tested by itself).
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace test {

// What one rank found in one case: trouble, or "" and a fingerprint that has to be the same on all
// ranks of the same case and group.
struct Finding {
  std::string trouble;
  std::uint64_t fingerprint = 0;
};

class Ledger {
 public:
  // `only` runs the case of that name alone; `keep` runs one case in so many.
  Ledger(std::string only, unsigned keep, bool verbose)
      : only_(std::move(only)), keep_(keep), verbose_(verbose) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    std::signal(SIGALRM, on_alarm);
  }

  // Whether the case with this number is one of those kept: as if drawn by lot, but alike on every
  // rank. `thin` thins the case's kind further; 0: it is not thinned at all.
  [[nodiscard]] bool is_turn(std::uint64_t number, unsigned thin) const {
    if (!only_.empty() || thin == 0) return true;
    return fingerprint(&number, sizeof number) / 7 % (keep_ * thin) == 0;
  }
  [[nodiscard]] bool is_wanted(const std::string& name) const {
    return only_.empty() || name == only_;
  }

  // `group` tells apart communicators that run a case of one name side by side.
  template <typename Body>
  void run(const std::string& name, int group, Body&& body) {
    watch(name, name);
    const Finding found = body();
    alarm(0);
    enter(name, group, found);
  }

  // Until alarm(0), something that hangs ends the program with this name.
  void watch(const std::string& name, const std::string& what) {
    std::strncpy(running.data(), name.c_str(), running.size() - 1);
    if (verbose_ && rank_ == 0) std::fprintf(stderr, "case %s\n", what.c_str());
    alarm(hang_seconds);
  }

  void enter(const std::string& name, int group, const Finding& found) {
    if (!found.trouble.empty()) {
      std::fprintf(stderr, "FAILED on rank %d: --only '%s': %s\n", rank_, name.c_str(),
                   found.trouble.c_str());
    }
    const std::uint64_t key = fingerprint(name.data(), name.size());
    names_.emplace(key, name);
    records_.push_back({key, static_cast<std::uint64_t>(group),
                        std::uint64_t{found.trouble.empty() ? 0U : 1U}, found.fingerprint});
  }

  // Prints "N passed, N failed" on rank 0; true, on rank 0, if all passed.
  bool settle() {
    if (rank_ != 0) {
      MPI_Send(records_.data(), words(records_), MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
      return true;
    }
    for (const Record& record : records_) add_up(record);
    for (int source = 1; source < size_; ++source) {
      for (const Record& record : received_from(source)) add_up(record);
    }
    std::size_t failed = 0;
    for (const auto& [key, outcome] : outcomes_) failed += outcome.failed ? 1 : 0;
    std::printf("%zu passed, %zu failed\n", outcomes_.size() - failed, failed);
    std::fflush(stdout);
    return failed == 0 && !outcomes_.empty();
  }

  [[nodiscard]] static std::uint64_t fingerprint(const void* data, std::size_t length) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (std::size_t i = 0; i < length; ++i) {
      hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3U;
    }
    return hash;
  }

 private:
  // Far beyond any case: only a hang gets there.
  static constexpr unsigned hang_seconds = 180;
  static inline std::array<char, 512> running{};

  static void on_alarm(int /*signal*/) {
    constexpr char text[] = "HANGS: --only '";
    [[maybe_unused]] ssize_t written = write(2, text, sizeof text - 1);
    written = write(2, running.data(), std::strlen(running.data()));
    written = write(2, "'\n", 2);
    _exit(3);
  }

  // One rank's finding: the case's key, its group, whether it failed, and the fingerprint.
  using Record = std::array<std::uint64_t, 4>;
  struct Outcome {
    bool failed = false;
    std::uint64_t fingerprint = 0;
  };

  [[nodiscard]] static int words(const std::vector<Record>& records) {
    return static_cast<int>(records.size() * std::tuple_size_v<Record>);
  }

  [[nodiscard]] static std::vector<Record> received_from(int source) {
    MPI_Status status;
    int length = 0;
    MPI_Probe(source, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &length);
    std::vector<Record> records(static_cast<std::size_t>(length) / std::tuple_size_v<Record>);
    MPI_Recv(records.data(), length, MPI_UINT64_T, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return records;
  }

  void add_up(const Record& record) {
    const auto [key, group, failed, print] = record;
    auto [known, is_new] = outcomes_.try_emplace({key, group}, Outcome{false, print});
    Outcome& outcome = known->second;
    if (failed != 0) outcome.failed = true;
    if (outcome.fingerprint == print) return;
    outcome.failed = true;
    std::fprintf(stderr, "FAILED: --only '%s': ranks have different bits\n", names_[key].c_str());
  }

  std::string only_;
  unsigned keep_;
  bool verbose_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<Record> records_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Outcome> outcomes_;
};

}  // namespace test
