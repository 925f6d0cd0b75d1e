// SPDX-License-Identifier: Apache-2.0
// Where shared memory comes from. This process opens it twice, as two ranks.
#include "shared/segment.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <optional>
#include <utility>

namespace roundelay::shared {
namespace {

constexpr Layout two{2};

class SegmentBy : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(EachWay, SegmentBy, testing::Values(Way::number, Way::name));

TEST_P(SegmentBy, IsTheSameMemoryForAll) {
  Segment first = Segment::make(two, GetParam());
  ASSERT_TRUE(first.usable());
  Segment second = Segment::open(first.origin(), two, GetParam());
  ASSERT_TRUE(second.usable());
  EXPECT_TRUE(first.take_area(0));
  EXPECT_FALSE(first.all_signed());
  EXPECT_TRUE(second.take_area(1));
  EXPECT_TRUE(first.all_signed());
  EXPECT_TRUE(second.all_signed());
  EXPECT_TRUE(first.may_read_from(1));
  EXPECT_NE(&first.view().bell(1), &second.view().bell(1));
}

TEST_P(SegmentBy, ThatIsNotThereIsNotUsable) {
  std::optional<Segment> first(Segment::make(two, GetParam()));
  const Origin origin = first->origin();
  EXPECT_FALSE(Segment::open(origin, Layout(3), GetParam()).usable()) << "of another size";
  first.reset();
  EXPECT_FALSE(Segment::open(origin, two, GetParam()).usable());
  EXPECT_FALSE(Segment::open({}, two, GetParam()).usable());
  EXPECT_FALSE(Segment::open({}, two, GetParam()).take_area(0));
}

// In another pid namespace the number of a process is that of another.
TEST(Segment, IsNotReadFromAnotherProcessThatSharesIt) {
  Segment first = Segment::make(two, Way::number);
  Segment second = Segment::open(first.origin(), two, Way::number);
  ASSERT_TRUE(first.take_area(0));
  ASSERT_TRUE(second.take_area(1));
  second.view().bell(1).nonce_address = first.view().bell(0).nonce_address;
  EXPECT_FALSE(first.may_read_from(1));
}

TEST(Segment, HasNoNameWhenAllHaveOpenedIt) {
  Segment first = Segment::make(two, Way::name);
  ASSERT_TRUE(first.usable());
  Segment moved = std::move(first);
  const Origin origin = moved.origin();
  moved.close_file();
  EXPECT_FALSE(Segment::open(origin, two, Way::name).usable());
  EXPECT_TRUE(moved.usable());
}

// The descriptor may be another file by then.
TEST(Segment, OfAnotherNonceIsNotSigned) {
  Segment first = Segment::make(two, Way::number);
  Origin origin = first.origin();
  ++origin.nonce;
  Segment second = Segment::open(origin, two, Way::number);
  EXPECT_TRUE(first.take_area(0));
  EXPECT_TRUE(second.take_area(1));
  EXPECT_FALSE(first.all_signed());
  EXPECT_FALSE(second.all_signed());
}

// To write beyond it would be a deadly signal.
TEST(Segment, KeepsToTheLimitOfFiles) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit little = before;
  little.rlim_cur = two.bytes() - 1;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  EXPECT_FALSE(Segment::make(two, Way::number).usable());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
}

}  // namespace
}  // namespace roundelay::shared
