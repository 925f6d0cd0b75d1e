// SPDX-License-Identifier: Apache-2.0
#include "interpret/verify.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue_cases.hpp"
#include "interpret/cases.hpp"
#include "interpret/exact_length.hpp"
#include "interpret/mutants.hpp"
#include "interpret/prove.hpp"
#include "interpret/rehearsal.hpp"

namespace roundelay::interpret {
namespace {

// Of two groups together: more ranks are of no other kind.
constexpr int most_ranks_between = 7;

class OfCatalogue : public testing::TestWithParam<Choice> {};

TEST_P(OfCatalogue, IsProvenForUpToFortyRanks) {
  for (const int p : ranks_tried(GetParam())) {
    const Proof proof = prove(GetParam(), p);
    EXPECT_TRUE(proof.ok) << proof.error;
  }
}

// Two judges that know nothing of each other.
TEST_P(OfCatalogue, RehearsesRight) {
  for (const int p : slow ? ranks_tried(GetParam()) : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    for (const Case& of : cases_of(GetParam(), p)) {
      if (of.q > 0 && of.ranks() > most_ranks_between) continue;
      // Every unit has its contents here. What is longer is cut in ways that shorter ones are, too.
      if (of.m > 1000) continue;
      const Call call(GetParam(), of);
      EXPECT_TRUE(rehearse(call, call.schedules(), DeliveryTime::as_soon_as_matched)) << p;
      EXPECT_TRUE(rehearse(call, call.schedules(), DeliveryTime::at_the_last_moment)) << p;
    }
  }
}

TEST_P(OfCatalogue, NoMutantSurvives) {
  const Algorithm& algorithm = *GetParam().algorithm;
  // What is composed of others over nodes and sites breaks as these do: once is enough, and few
  // ranks.
  const bool composed = algorithm.uses_topology();
  const bool between = algorithm.groups == Groups::two;
  if ((composed || (between && slow)) && GetParam().text() != algorithm.name) GTEST_SKIP();
  // What is between two parts is the same for more ranks.
  const bool few = between && is_of_parts(GetParam());
  const std::vector<int> ranks = slow ? std::vector{2, 3, 5} : std::vector{2, 3, 5, 6, 8};
  for (const int p : few ? std::vector{2, 3} : ranks) {
    if (composed && p > 5) break;
    for (const Case& of : cases_of(GetParam(), p)) {
      const bool some_root = of.root == 0 || of.root == p - 1;
      if (of.m != exact_length(GetParam(), p) || !some_root) continue;
      if (of.q > 0 && of.ranks() > (few ? 5 : most_ranks_between)) continue;
      const Mutants result = mutants(GetParam(), of);
      // Of other blocks there may be none that go anywhere.
      if (of.distribution == Distribution::even) {
        EXPECT_GT(result.count, 0);
      }
      EXPECT_EQ(result.killed, result.count)
          << "p = " << p << ": " << testing::PrintToString(result.survivors);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OfCatalogue, testing::ValuesIn(all_variants()), test_name);

// What verify says of schedules in place of an algorithm's.
std::string error_of(Collective collective, std::string_view name, const Case& of,
                     Schedule (*schedule)(int rank)) {
  const Call call(Choice(*find(collective, name)), of);
  const Proof proof = verify(call, schedule);
  EXPECT_EQ(proof.ok, proof.error.empty());
  return proof.error;
}

std::string bcast_error(Schedule (*schedule)(int rank), Case of = {.p = 2, .m = 4}) {
  return error_of(Collective::bcast, "binomial", of, schedule);
}

// Has m = 4 elements of scratch, as many as there are elsewhere.
std::string reduce_error(Schedule (*schedule)(int rank), Case of = {.p = 2, .m = 4}) {
  return error_of(Collective::reduce, "ordered", of, schedule);
}

// Contributions are in the output.
std::string allreduce_error(Schedule (*schedule)(int rank),
                            Case of = {.p = 2, .m = 4, .in_place = true}) {
  return error_of(Collective::allreduce, "recursive_doubling", of, schedule);
}

std::string barrier_error(Schedule (*schedule)(int rank), int p = 2) {
  return error_of(Collective::barrier, "dissemination", {.p = p}, schedule);
}

constexpr Slice input(Units offset, Units length) { return {Space::input, offset, length}; }
constexpr Slice output(Units offset, Units length) { return {Space::output, offset, length}; }
constexpr Slice scratch(Units offset, Units length) { return {Space::scratch, offset, length}; }

TEST(Verify, RejectsAPeerThatDoesNotExist) {
  EXPECT_EQ(bcast_error([](int) -> Schedule { co_yield round(send(output(0, 4), 2)); }),
            "rank 0, round 0: the send to rank 2: there is no such rank");
  EXPECT_EQ(bcast_error([](int rank) -> Schedule { co_yield round(send(output(0, 4), rank)); }),
            "rank 0, round 0: the send to rank 0: a rank must not send to itself");
}

TEST(Verify, RejectsATransferWithoutItsOther) {
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 0) co_yield round(send(output(0, 4), 1));
            }),
            "rank 0, round 0: the send to rank 1 is never matched: rank 1 has ended");
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 0) co_yield round(deferred(recv(output(0, 4), 1)));
            }),
            "rank 0, round 0: the receive from rank 1 is never matched: rank 1 has ended");
}

TEST(Verify, RejectsADeadlock) {
  EXPECT_EQ(allreduce_error([](int rank) -> Schedule {
              co_yield round(send(output(0, 4), 1 - rank));
              co_yield round(recv(scratch(0, 4), 1 - rank), combine(scratch(0, 4), output(0, 4)));
            }),
            "rank 0, round 0: the send to rank 1 is never matched: rank 1 waits in its round 0");
}

// Rank 1 has its block only when rank 2 takes it, too, and rank 2 waits for rank 1 first. As two
// messages it would do.
TEST(Verify, RejectsABlockThatIsNotTakenByAllTogether) {
  const auto error = [](bool exposed) {
    const auto schedule = [](int rank, bool as_one) -> Schedule {
      const auto give = [&](int to) {
        return as_one ? expose(output(0, 4), to) : send(output(0, 4), to);
      };
      const auto get = [&] { return as_one ? take(output(0, 4), 0) : recv(output(0, 4), 0); };
      if (rank == 0) co_yield round(give(1), give(2));
      if (rank == 1) {
        co_yield round(get());
        co_yield round(send_token(2));
      }
      if (rank == 2) {
        co_yield round(recv_token(1));
        co_yield round(get());
      }
    };
    const Case of{.p = 3, .m = 4};
    const Call call(Choice(*find(Collective::bcast, "linear")), of);
    return verify(call, [&](int rank) { return schedule(rank, exposed); }).error;
  };
  EXPECT_EQ(
      error(true),
      "rank 0, round 0: the exposure to rank 2 is never matched: rank 2 waits in its round 0");
  EXPECT_EQ(error(false), "");
}

TEST(Verify, RejectsMessagesOfOtherLengthOrKind) {
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 0) co_yield round(send(output(0, 4), 1));
              if (rank == 1) co_yield round(recv(output(0, 3), 0));
            }),
            "rank 1, round 0: the receive from rank 0 is of 3 units, but rank 0 sends 4 units in "
            "its round 0");
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 0) co_yield round(send_token(1));
              if (rank == 1) co_yield round(recv(output(0, 4), 0));
            }),
            "rank 1, round 0: the receive from rank 0 is of 4 units, but rank 0 sends a token in "
            "its round 0");
}

TEST(Verify, RejectsSlicesOutsideTheirSpace) {
  EXPECT_EQ(bcast_error([](int) -> Schedule { co_yield round(send(output(1, 4), 1)); }),
            "rank 0, round 0: output[1, 5) is not inside its space, which has 4 units");
  EXPECT_EQ(bcast_error([](int) -> Schedule { co_yield round(copy(output(0, 4), scratch(0, 4))); }),
            "rank 0, round 0: scratch[0, 4) is not inside its space, which has 0 units");
}

TEST(Verify, RejectsWritingTheInput) {
  EXPECT_EQ(reduce_error([](int rank) -> Schedule {
              if (rank == 0) co_yield round(recv(input(0, 4), 1));
              if (rank == 1) co_yield round(send(input(0, 4), 0));
            }),
            "rank 0, round 0: input[0, 4) would be written, but the input must not change");
}

// Nobody is before rank 0: MPI leaves its output as it was.
TEST(Verify, RejectsWritingTheOutputOfTheFirstRankOfAnExscan) {
  const auto error = [](bool in_place) {
    return error_of(Collective::exscan, "chain", {.p = 2, .m = 4, .in_place = in_place},
                    [](int rank) -> Schedule {
                      if (rank == 0) co_yield round(recv(output(0, 4), 1));
                      if (rank == 1) co_yield round(send(input(0, 4), 0));
                    });
  };
  for (const bool in_place : {false, true}) {
    EXPECT_EQ(
        error(in_place),
        "rank 0, round 0: output[0, 4) would be written, but output[0, 4) must be left alone");
  }
}

TEST(Verify, RejectsUseOfWhatIsNotThere) {
  EXPECT_EQ(
      bcast_error([](int rank) -> Schedule {
        if (rank == 0) co_yield round(recv(output(0, 4), 1));
        if (rank == 1) co_yield round(send(output(0, 4), 0));
      }),
      "rank 1, round 0: the send to rank 0 takes output[0, 4), but output[0, 1) was never filled");
  EXPECT_EQ(
      reduce_error([](int) -> Schedule { co_yield round(copy(scratch(0, 2), output(0, 2))); }),
      "rank 0, round 0: copies scratch[0, 2), but scratch[0, 1) was never filled");
  EXPECT_EQ(reduce_error([](int) -> Schedule {
              co_yield round(copy(input(0, 2), output(0, 2)), combine(input(0, 4), output(0, 4)));
            }),
            "rank 0, round 0: combines with output[0, 4), but output[2, 3) was never filled");
}

TEST(Verify, RejectsOverlapInOneRound) {
  EXPECT_EQ(allreduce_error([](int rank) -> Schedule {
              co_yield round(send(output(0, 3), 1 - rank), recv(output(2, 2), 1 - rank));
            }),
            "rank 0, round 0: output[2, 4) of the receive from rank 1 of round 0 overlaps "
            "output[0, 3) of the "
            "send to rank 1 of round 0");
}

TEST(Verify, RejectsTouchingWhatIsInFlight) {
  EXPECT_EQ(allreduce_error([](int rank) -> Schedule {
              co_yield round(deferred(send(output(0, 4), 1 - rank)),
                             deferred(recv(scratch(0, 4), 1 - rank), 1),
                             copy(output(0, 4), scratch(0, 4)));
            }),
            "rank 0, round 0: a local step uses scratch[0, 4) while the receive from rank 1 of "
            "round 0 is in "
            "flight on scratch[0, 4)");
  EXPECT_EQ(allreduce_error([](int rank) -> Schedule {
              co_yield round(deferred(send(output(0, 2), 1 - rank)),
                             deferred(recv(scratch(0, 2), 1 - rank), 1));
              co_yield fence(1);
              co_yield round(combine(scratch(0, 2), output(0, 2)));
            }),
            "rank 1, round 2: a local step uses output[0, 2) while the send to rank 0 of round 0 "
            "is in flight "
            "on output[0, 2)");
  EXPECT_EQ(
      bcast_error(
          [](int rank) -> Schedule {
            if (rank == 0) co_yield round(send(output(0, 4), 1));
            if (rank == 1) {
              co_yield round(deferred(recv(output(0, 4), 0)));
              co_yield round(send(output(0, 4), 2));
            }
          },
          {.p = 3, .m = 4, .ports = 2}),
      "rank 1, round 1: output[0, 4) of the send to rank 2 of round 1 overlaps output[0, 4) of the "
      "receive from rank 0 of round 0");
}

TEST(Verify, ReadingTogetherIsNoOverlap) {
  EXPECT_EQ(bcast_error(
                [](int rank) -> Schedule {
                  if (rank == 0) co_yield round(send(output(0, 4), 1), send(output(0, 4), 2));
                  if (rank != 0) co_yield round(recv(output(0, 4), 0));
                },
                {.p = 3, .m = 4, .ports = 2}),
            "");
}

TEST(Verify, RejectsMorePortsThanThereAre) {
  EXPECT_EQ(bcast_error(
                [](int rank) -> Schedule {
                  if (rank == 0) co_yield round(send(output(0, 4), 1), send(output(0, 4), 2));
                  if (rank != 0) co_yield round(recv(output(0, 4), 0));
                },
                {.p = 3, .m = 4}),
            "rank 0, round 0: the send to rank 2 would need more than 1 port");
  EXPECT_EQ(bcast_error(
                [](int rank) -> Schedule {
                  if (rank == 0) {
                    co_yield round(deferred(send(output(0, 4), 1)));
                    co_yield round(send(output(0, 4), 2));
                  }
                  if (rank != 0) co_yield round(recv(output(0, 4), 0));
                },
                {.p = 3, .m = 4}),
            "rank 0, round 1: the send to rank 2 would need more than 1 port");
}

TEST(Verify, RejectsStepsThatDoNotFit) {
  EXPECT_EQ(reduce_error([](int) -> Schedule {
              const LocalStep step{LocalStep::Kind::copy, input(0, 3), output(0, 4)};
              co_yield round(step);
            }),
            "rank 0, round 0: a local step takes input[0, 3) into output[0, 4), which has "
            "another length");
  EXPECT_EQ(
      allreduce_error([](int) -> Schedule { co_yield round(copy(output(0, 2), output(1, 2))); }),
      "rank 0, round 0: a local step takes output[0, 2) into output[1, 3), which overlap");
}

TEST(Verify, RejectsAWrongResult) {
  EXPECT_EQ(bcast_error([](int) -> Schedule { co_return; }),
            "rank 1, at the end: unit 0 of output[0, 4) was never filled");
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 0) {
                co_yield round(send(output(0, 2), 1));
                co_yield round(send(output(0, 2), 1));
              } else {
                co_yield round(recv(output(0, 2), 0));
                co_yield round(recv(output(2, 2), 0));
              }
            }),
            "rank 1, at the end: unit 2 of output[0, 4) holds unit 0 of the message");
  EXPECT_EQ(reduce_error([](int) -> Schedule { co_yield round(copy(input(0, 4), output(0, 4))); }),
            "rank 0, at the end: unit 0 of output[0, 4) holds the contributions of rank 0 only");
}

TEST(Verify, RejectsAContributionThatCountsTwice) {
  EXPECT_EQ(reduce_error([](int) -> Schedule {
              co_yield round(copy(input(0, 4), output(0, 4)), combine(input(0, 4), output(0, 4)));
            }),
            "rank 0, round 0: combines input[0, 4) with output[0, 4), which hold the contributions "
            "of rank 0 "
            "and of rank 0");
}

TEST(Verify, RejectsAWrongOrder) {
  EXPECT_EQ(reduce_error(
                [](int rank) -> Schedule {
                  if (rank == 1) co_yield round(send(input(0, 4), 0));
                  if (rank == 0)
                    co_yield round(recv(output(0, 4), 1), copy(input(0, 4), scratch(0, 4)),
                                   combine(output(0, 4), scratch(0, 4)));
                },
                {.p = 2, .m = 4, .commutative = false}),
            "rank 0, round 0: combines output[0, 4) with scratch[0, 4), which hold the "
            "contributions of rank 1 "
            "and of rank 0, not in rank order");
}

TEST(Verify, RejectsOtherElements) {
  EXPECT_EQ(reduce_error([](int rank) -> Schedule {
              if (rank == 1) co_yield round(send(input(1, 2), 0));
              if (rank == 0)
                co_yield round(recv(output(0, 2), 1), combine(input(0, 2), output(0, 2)));
            }),
            "rank 0, round 0: combines input[0, 2) with output[0, 2), but the first holds element "
            "0 of the "
            "vector where the second holds element 1");
}

TEST(Verify, RejectsResultsOfOtherBits) {
  EXPECT_EQ(allreduce_error([](int rank) -> Schedule {
              co_yield round(send(output(0, 4), 1 - rank), recv(scratch(0, 4), 1 - rank),
                             combine(scratch(0, 4), output(0, 4)));
            }),
            "rank 1, at the end: unit 0 of output[0, 4) was combined in another order than on rank "
            "0, so its "
            "bits may differ");
}

TEST(Verify, RejectsABarrierThatLetsGoTooEarly) {
  EXPECT_EQ(barrier_error([](int) -> Schedule { co_return; }),
            "rank 0 leaves the barrier without knowing that rank 1 has entered it");
  // A ring of tokens that all leave at once: each says only that its sender is there.
  EXPECT_EQ(barrier_error(
                [](int rank) -> Schedule {
                  co_yield round(send_token((rank + 1) % 3), recv_token((rank + 2) % 3));
                },
                3),
            "rank 0 leaves the barrier without knowing that rank 1 has entered it");
  EXPECT_EQ(barrier_error([](int rank) -> Schedule {
              co_yield round(deferred(send_token(1 - rank)), recv_token(1 - rank));
            }),
            "rank 1, round 0: a token must not be deferred");
}

TEST(Verify, RejectsRoundsAndVolumeBeyondTheClaims) {
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              for (Units half = 0; half < 4; half += 2) {
                if (rank == 0) co_yield round(send(output(half, 2), 1));
                if (rank == 1) co_yield round(recv(output(half, 2), 0));
              }
            }),
            "it takes 2 rounds, but claims ceil_log2(p) = 1");
}

TEST(Verify, FollowsFences) {
  EXPECT_EQ(allreduce_error([](int rank) -> Schedule {
              co_yield round(deferred(send(output(0, 4), 1 - rank), 2),
                             deferred(recv(scratch(0, 4), 1 - rank), 1));
              co_yield fence(1);
              co_yield fence(2);
              if (rank == 1) co_yield round(combine(scratch(0, 4), output(0, 4)));
              if (rank == 0)
                co_yield round(combine(output(0, 4), scratch(0, 4)),
                               copy(scratch(0, 4), output(0, 4)));
            }),
            "");
}

TEST(Verify, RejectsFencesThatAreNone) {
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 0) co_yield round(deferred(send(output(0, 4), 1), -7));
              if (rank == 1) co_yield round(recv(output(0, 4), 0));
            }),
            "rank 0, round 0: the send to rank 1 is deferred to fence -7, but fences are 1, 2, .. "
            "32767 and at_the_end");
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 0) co_yield round(send(output(0, 4), 1));
              if (rank == 1) co_yield round(recv(output(0, 4), 0));
              co_yield fence(static_cast<Fence>(40'000));
            }),
            "rank 1, round 1: waits at fence -25536, but fences are 1, 2, .. 32767 and at_the_end");
}

TEST(Verify, RejectsAScheduleThatNeverEnds) {
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              while (rank == 1) co_yield round();
            }),
            "rank 1, round 1000000: 1000000 rounds in a row have no transfer: it seems never to "
            "end");
}

TEST(Verify, RejectsAScheduleThatThrows) {
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 1) throw std::runtime_error("not for rank 1");
              co_yield round(send(output(0, 4), 1));
            }),
            "rank 1, round 0: the schedule throws an exception: not for rank 1");
  EXPECT_EQ(bcast_error([](int rank) -> Schedule {
              if (rank == 0) throw 3;
              co_return;
            }),
            "rank 0, round 0: the schedule throws what is no std::exception");
}

TEST(Verify, MatchesMessagesOfAPairInOrder) {
  EXPECT_EQ(bcast_error(
                [](int rank) -> Schedule {
                  if (rank == 0) {
                    co_yield round(deferred(send(output(0, 1), 1)),
                                   deferred(send(output(1, 3), 1)));
                  } else {
                    co_yield round(recv(output(0, 1), 0));
                    co_yield round(recv(output(1, 3), 0));
                  }
                },
                {.p = 2, .m = 4, .ports = 2}),
            "it takes 2 rounds, but claims ceil_log2(p) = 1");
}

TEST(Verify, RefusesCasesThatAreNone) {
  const Choice ring(*find(Collective::allreduce, "ring"));
  EXPECT_THROW((void)verify(ring, {.p = 0}), std::invalid_argument);
  EXPECT_THROW((void)verify(ring, {.p = 2, .root = 2}), std::invalid_argument);
  EXPECT_THROW((void)verify(ring, {.p = 2, .m = -1}), std::invalid_argument);
  EXPECT_THROW((void)verify(ring, {.p = 2, .m = 2, .commutative = false}), std::invalid_argument);
  const Choice native(*find(Collective::allreduce, "native"));
  EXPECT_THROW((void)verify(native, {.p = 2, .m = 2}), std::invalid_argument);
}

}  // namespace
}  // namespace roundelay::interpret
