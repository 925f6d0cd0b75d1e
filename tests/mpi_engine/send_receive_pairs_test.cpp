// SPDX-License-Identifier: Apache-2.0
// Which rounds become send-receive pairs.
#include "mpi/send_receive_pairs.hpp"

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"

namespace roundelay::mpi {
namespace {

Slice part(Units offset, Units length) { return {Space::input, offset, length}; }

class PairsOfRounds : public testing::Test {
 protected:
  PairsOfRounds() { memory_.type.size = 1; }
  bool add(const RoundList& list, bool deferred = false) {
    return pairs_.add(list.view(), deferred, memory_);
  }

  Memory memory_;
  SendReceivePairs pairs_;
};

TEST_F(PairsOfRounds, HaveOneMessageEachWay) {
  ASSERT_TRUE(add(RoundList()
                      .add(send(part(0, 4), 1))
                      .add(recv(part(8, 4), 5))
                      .add(send(part(4, 4), 2))
                      .add(recv_token(6))
                      .add(send(part(0, 0), 3))));
  const auto all = pairs_.all();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].goes_on);
  EXPECT_EQ(all[0].to, 1);
  EXPECT_EQ(all[0].sent, part(0, 4));
  EXPECT_EQ(all[0].from, 5);
  EXPECT_EQ(all[0].received, part(8, 4));
  EXPECT_FALSE(all[1].goes_on);
  EXPECT_EQ(all[1].to, 2);
  EXPECT_EQ(all[1].from, 6);
  EXPECT_TRUE(all[1].received.empty());
}

TEST_F(PairsOfRounds, AreOneAtLeast) {
  ASSERT_TRUE(add(RoundList()));
  ASSERT_EQ(pairs_.all().size(), 1U);
  EXPECT_EQ(pairs_.all()[0].to, SendReceivePair::nobody);
  EXPECT_EQ(pairs_.all()[0].from, SendReceivePair::nobody);
}

TEST_F(PairsOfRounds, AreShort) {
  EXPECT_TRUE(add(RoundList().add(send(part(0, short_message), 1))));
  EXPECT_FALSE(add(RoundList().add(send(part(0, short_message + 1), 2))));
  Slices two;
  two.add(part(0, 1));
  two.add(part(2, 1));
  EXPECT_FALSE(add(RoundList().add(send(two, 2))));
}

TEST_F(PairsOfRounds, AreNotTooMany) {
  const int many = static_cast<int>(SendReceivePair::most_at_once);
  for (int i = 0; i < many; ++i) EXPECT_TRUE(add(RoundList().add(recv(part(0, 1), i))));
  EXPECT_FALSE(add(RoundList().add(recv(part(0, 1), many))));
  EXPECT_TRUE(add(RoundList().add(send(part(0, 1), many))));
}

// Of two receives from a rank, which comes first could not be told.
TEST_F(PairsOfRounds, HaveEachPeerOnceEachWay) {
  EXPECT_FALSE(add(RoundList().add(send(part(0, 1), 4)).add(send(part(1, 1), 4))));
  EXPECT_FALSE(add(RoundList().add(recv(part(0, 1), 1 << 20))));
  EXPECT_FALSE(add(RoundList().add(recv(part(0, 1), 4)).add(recv(part(1, 1), 4))));
  EXPECT_TRUE(add(RoundList().add(recv(part(0, 1), 4)).add(send(part(1, 1), 4))));
  EXPECT_FALSE(add(RoundList().add(recv(part(0, 1), 4))));
}

TEST_F(PairsOfRounds, AreAllDeferredOrNone) {
  const Transfer later = deferred(recv(part(0, 1), 1));
  EXPECT_FALSE(add(RoundList().add(later)));
  EXPECT_FALSE(add(RoundList().add(later).add(send(part(1, 1), 1)), true));
  EXPECT_TRUE(add(RoundList().add(later).add(deferred(send(part(1, 1), 1), 3)), true));
}

TEST_F(PairsOfRounds, OfARoundThatIsNotAddedAreNotKept) {
  ASSERT_TRUE(add(RoundList().add(send(part(0, 1), 1))));
  ASSERT_FALSE(add(RoundList()
                       .add(recv(part(1, 1), 2))
                       .add(send(part(2, 1), 3))
                       .add(send(part(0, short_message + 1), 4))));
  ASSERT_EQ(pairs_.all().size(), 1U);
  EXPECT_EQ(pairs_.all()[0].from, SendReceivePair::nobody);
  EXPECT_TRUE(add(RoundList().add(recv(part(1, 1), 2))));
  EXPECT_EQ(pairs_.all().size(), 1U);
  EXPECT_EQ(pairs_.all()[0].from, 2);
}

TEST_F(PairsOfRounds, AreOneIfThereIsOneMessageEachWay) {
  SendReceivePair pair;
  const auto is_one = [&](const RoundList& list) {
    return is_one_pair(list.view(), memory_, pair);
  };
  EXPECT_TRUE(is_one(RoundList()));
  EXPECT_TRUE(is_one(RoundList().add(send(part(0, 1), 1)).add(recv(part(1, 1), 1 << 20))));
  EXPECT_EQ(pair.to, 1);
  EXPECT_EQ(pair.from, 1 << 20);
  EXPECT_FALSE(is_one(RoundList().add(send(part(0, 1), 1)).add(send(part(1, 1), 2))));
  EXPECT_FALSE(is_one(RoundList().add(deferred(send(part(0, 1), 1)))));
  EXPECT_FALSE(is_one(RoundList().add(send(part(0, short_message + 1), 1))));
}

}  // namespace
}  // namespace roundelay::mpi
