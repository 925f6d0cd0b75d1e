// SPDX-License-Identifier: Apache-2.0
#include "choose/length_class.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace roundelay::choose {
namespace {

TEST(LengthClass, EveryLengthIsOfOneClass) {
  std::int64_t next = 0;
  for (std::size_t index = 0; index < LengthClass::count; ++index) {
    const LengthClass lengths(next);
    ASSERT_EQ(lengths.index(), index);
    EXPECT_EQ(lengths.least(), next);
    EXPECT_EQ(LengthClass(lengths.most()).index(), index);
    next = index + 1 < LengthClass::count ? lengths.most() + 1 : 0;
  }
  EXPECT_EQ(LengthClass(std::numeric_limits<std::int64_t>::max()).most(),
            std::numeric_limits<std::int64_t>::max());
}

TEST(LengthClass, APowerOfTwoIsInTheMiddle) {
  for (int power = 1; power < 62; ++power) {
    const std::int64_t bytes = std::int64_t{1} << power;
    const LengthClass lengths(bytes);
    EXPECT_EQ(lengths.least() + (lengths.most() - lengths.least() + 1) / 2, bytes);
  }
}

}  // namespace
}  // namespace roundelay::choose
