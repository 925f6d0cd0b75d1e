// SPDX-License-Identifier: Apache-2.0
#include "preload/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
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
  EXPECT_TRUE(append_to_file(path, "one\n"));
  EXPECT_TRUE(append_to_file(path, "two\n"));
  EXPECT_EQ(lines(), (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(replace_file(path, "three\n"));
  EXPECT_EQ(lines(), std::vector<std::string>{"three"});
}

TEST_F(File, SaysWhyItCannotBeWritten) {
  EXPECT_FALSE(replace_file("/no/such/folder", "text"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(append_to_file("/dev/full", "text"));
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_FALSE(replace_file("/dev/full", "text"));
  EXPECT_EQ(errno, ENOSPC);
}

// At the limit of a process's files it is as on a full disk.
TEST_F(File, StaysAsItWasIfItCannotBeReplaced) {
  ASSERT_TRUE(replace_file(path, "old\n"));
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1024, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_FALSE(replace_file(path, std::string(2048, 'x')));
  EXPECT_EQ(errno, EFBIG);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(lines(), std::vector<std::string>{"old"});
  const std::filesystem::path file(path);
  for (const auto& one : std::filesystem::directory_iterator(file.parent_path())) {
    const std::string name = one.path().filename().string();
    EXPECT_TRUE(name == file.filename() || name.find(file.filename()) == std::string::npos) << name;
  }
  EXPECT_TRUE(replace_file(path, "new\n"));
  EXPECT_EQ(lines(), std::vector<std::string>{"new"});
  struct stat after{};
  ASSERT_EQ(stat(path.c_str(), &after), 0);
  EXPECT_EQ(after.st_mode & 0777U, 0640U);
}

TEST_F(File, IsReplacedWhereALinkLeads) {
  ASSERT_TRUE(replace_file(path, "old\n"));
  const std::string link = path + ".link";
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  EXPECT_TRUE(replace_file(link, "new\n"));
  EXPECT_EQ(lines(), std::vector<std::string>{"new"});
  struct stat after{};
  ASSERT_EQ(lstat(link.c_str(), &after), 0);
  EXPECT_TRUE(S_ISLNK(after.st_mode));
  unlink(link.c_str());
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
      for (int k = 0; k < texts; ++k) written = append_to_file(path, text) && written;
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
