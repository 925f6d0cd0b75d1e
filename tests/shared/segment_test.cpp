// SPDX-License-Identifier: Apache-2.0
// Where shared memory comes from. This process opens it twice, as two ranks.
#include "shared/segment.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <optional>

namespace roundelay::shared {
namespace {

constexpr Layout two{2};

TEST(Segment, IsTheSameMemoryForAll) {
  Segment first = Segment::make(two);
  ASSERT_TRUE(first.usable());
  Segment second = Segment::open(first.origin(), two);
  ASSERT_TRUE(second.usable());
  EXPECT_TRUE(first.take_area(0));
  EXPECT_FALSE(first.all_signed());
  EXPECT_TRUE(second.take_area(1));
  EXPECT_TRUE(first.all_signed());
  EXPECT_TRUE(second.all_signed());
  EXPECT_TRUE(first.may_read_from(1));
  EXPECT_NE(&first.view().bell(1), &second.view().bell(1));
}

// The descriptor may be another file by then.
TEST(Segment, OfAnotherNonceIsNotSigned) {
  Segment first = Segment::make(two);
  Origin origin = first.origin();
  ++origin.nonce;
  Segment second = Segment::open(origin, two);
  EXPECT_TRUE(first.take_area(0));
  EXPECT_TRUE(second.take_area(1));
  EXPECT_FALSE(first.all_signed());
  EXPECT_FALSE(second.all_signed());
}

TEST(Segment, ThatIsNotThereIsNotUsable) {
  std::optional<Segment> first(Segment::make(two));
  const Origin origin = first->origin();
  EXPECT_FALSE(Segment::open(origin, Layout(3)).usable()) << "of another size";
  first.reset();
  EXPECT_FALSE(Segment::open(origin, two).usable());
  EXPECT_FALSE(Segment::open({}, two).usable());
  EXPECT_FALSE(Segment::open({}, two).take_area(0));
}

// To write beyond it would be a deadly signal.
TEST(Segment, KeepsToTheLimitOfFiles) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit little = before;
  little.rlim_cur = two.bytes() - 1;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  EXPECT_FALSE(Segment::make(two).usable());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
}

}  // namespace
}  // namespace roundelay::shared
