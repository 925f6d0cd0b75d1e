// SPDX-License-Identifier: Apache-2.0
#include "preload/file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <string>
#include <vector>

namespace roundelay::preload {
namespace {

class File : public testing::Test {
 protected:
  ~File() override { unlink(path.c_str()); }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::ifstream file(path);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  std::string path = testing::TempDir() + "roundelay_file_test." + std::to_string(getpid());
};

TEST_F(File, IsReplacedOrContinued) {
  EXPECT_TRUE(write_file(path, WriteMode::append, "one\n"));
  EXPECT_TRUE(write_file(path, WriteMode::append, "two\n"));
  EXPECT_EQ(lines(), (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(write_file(path, WriteMode::replace, "three\n"));
  EXPECT_EQ(lines(), std::vector<std::string>{"three"});
}

TEST_F(File, SaysWhyItCannotBeWritten) {
  EXPECT_FALSE(write_file("/no/such/folder", WriteMode::replace, "text"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(write_file("/dev/full", WriteMode::append, "text"));
  EXPECT_EQ(errno, ENOSPC);
}

// Processes that their launcher does not know together all write a report of several KiB at their
// end.
TEST_F(File, TextsOfSeveralProcessesDoNotMix) {
  constexpr int processes = 4;
  constexpr int texts = 200;
  constexpr std::size_t length = 20000;
  for (int i = 0; i < processes; ++i) {
    if (fork() == 0) {
      const std::string text = std::string(length, static_cast<char>('a' + i)) + '\n';
      bool written = true;
      for (int k = 0; k < texts; ++k)
        written = write_file(path, WriteMode::append, text) && written;
      _exit(written ? 0 : 1);
    }
  }
  for (int i = 0; i < processes; ++i) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  const std::vector<std::string> all = lines();
  ASSERT_EQ(all.size(), processes * texts);
  for (const std::string& line : all) {
    EXPECT_EQ(line.size(), length);
    EXPECT_EQ(line.find_first_not_of(line.front()), std::string::npos);
  }
}

}  // namespace
}  // namespace roundelay::preload
