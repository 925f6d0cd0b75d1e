// SPDX-License-Identifier: Apache-2.0
#include "choose/text_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "choose/json.hpp"

namespace roundelay::choose {
namespace {

std::string why(const std::string& path) {
  try {
    (void)content_of(path);
  } catch (const FileError& wrong) {
    return wrong.what();
  }
  return {};
}

TEST(TextFile, IsReadWithoutTheMarkOfItsEncoding) {
  const std::string path = ::testing::TempDir() + "text_file_test.txt";
  std::ofstream(path) << "\xEF\xBB\xBF{}\n";
  EXPECT_EQ(content_of(path), "{}\n");
}

TEST(TextFile, SaysWhyItCannotBeRead) {
  EXPECT_EQ(why("/no/such/file"), "/no/such/file: cannot be read: No such file or directory");
  EXPECT_EQ(why("/"), "/: cannot be read: Is a directory");
  EXPECT_EQ(why("/dev/zero"), "/dev/zero: cannot be read: it is longer than 64 MiB");
}

}  // namespace
}  // namespace roundelay::choose
