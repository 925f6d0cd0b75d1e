// SPDX-License-Identifier: Apache-2.0
#include "mpi/cores.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace roundelay::mpi {
namespace {

class Quotas : public testing::Test {
 protected:
  Quotas() { std::filesystem::create_directories(root_); }
  ~Quotas() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  [[nodiscard]] int cores(const std::string& membership) const {
    write("membership", membership);
    return cores_by_quota(root_ / "membership", root_);
  }

 private:
  const std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("roundelay-quotas-" + std::to_string(getpid()));
};

TEST_F(Quotas, OfTheSecondVersionAreOfAnyGroupAbove) {
  EXPECT_EQ(cores("0::/job/step"), 0);
  write("job/step/cpu.max", "max 100000");
  EXPECT_EQ(cores("0::/job/step"), 0);
  write("job/cpu.max", "250000 100000");
  EXPECT_EQ(cores("0::/job/step"), 3) << "two and a half";
  write("cpu.max", "200000 100000");
  EXPECT_EQ(cores("0::/job/step"), 2);
  EXPECT_EQ(cores("0::/"), 2);
}

TEST_F(Quotas, OfTheFirstVersionAreOfTheProcessorController) {
  write("cpu/job/cpu.cfs_quota_us", "400000");
  write("cpu/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cores("4:memory:/job\n3:cpu,cpuacct:/job\n2:cpuset:/job"), 4);
  EXPECT_EQ(cores("4:memory:/job\n3:cpuset:/job"), 0);
  write("cpu/job/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(cores("3:cpu,cpuacct:/job"), 0);
}

TEST_F(Quotas, ThatNobodyCanReadAreNone) {
  EXPECT_EQ(cores_by_quota("/no/such/file", "/no/such/folder"), 0);
  EXPECT_EQ(cores("nonsense"), 0);
  EXPECT_GE(usable_cores(), 1);
}

}  // namespace
}  // namespace roundelay::mpi
