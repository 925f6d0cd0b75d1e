// SPDX-License-Identifier: Apache-2.0
#include "choose/spelling.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "choose/listed.hpp"

namespace roundelay::choose {
namespace {

std::string why(const std::string& text) {
  try {
    static_cast<void>(parse_choices(text));
  } catch (const SpellingError& error) {
    return error.what();
  }
  return "";
}

bool ends_with(const std::string& text, const std::string& end) { return text.ends_with(end); }

TEST(Spelling, EditsAreCounted) {
  EXPECT_EQ(edits_between("", ""), 0U);
  EXPECT_EQ(edits_between("ring", "ring"), 0U);
  EXPECT_EQ(edits_between("", "ring"), 4U);
  EXPECT_EQ(edits_between("binomal", "binomial"), 1U);
  EXPECT_EQ(edits_between("chian", "chain"), 1U);
  EXPECT_EQ(edits_between("abcd", "badc"), 2U);
  EXPECT_EQ(edits_between("kitten", "sitting"), 3U);
}

TEST(Spelling, TheNearestValidNameIsNamed) {
  const std::vector<std::string> names = {"bruck", "ring", "rings"};
  EXPECT_EQ(valid_for("rng", names), "bruck, ring, rings (did you mean 'ring'?)");
  EXPECT_EQ(valid_for("rnig", names), "bruck, ring, rings (did you mean 'ring'?)");
  EXPECT_EQ(valid_for("nonesuch", names), "bruck, ring, rings");
  EXPECT_EQ(valid_for("x", std::vector<std::string>{}), "none");
  const std::vector<std::string> settings{"ROUNDELAY_MPIS", "ROUNDELAY_TRACE"};
  EXPECT_EQ(valid_for("ROUNDELAY_FOO", settings), "ROUNDELAY_MPIS, ROUNDELAY_TRACE");
  EXPECT_EQ(valid_for("ROUNDELAY_TRAC", settings),
            "ROUNDELAY_MPIS, ROUNDELAY_TRACE (did you mean 'ROUNDELAY_TRACE'?)");
}

TEST(Spelling, ErrorsNameWhatIsNear) {
  EXPECT_PRED2(ends_with, why("bcast=binomal"), " (did you mean 'binomial'?)");
  EXPECT_PRED2(ends_with, why("bcst=binomial"), " (did you mean 'bcast'?)");
  EXPECT_PRED2(ends_with, why("bcast=binomial(dicipline=early)"), " (did you mean 'discipline'?)");
  EXPECT_PRED2(ends_with, why("bcast=binomial(discipline=erly)"), " (did you mean 'early'?)");
  EXPECT_EQ(why("bcast=gossip").find("did you mean"), std::string::npos);
}

TEST(Spelling, AParameterIsGivenOnce) {
  EXPECT_PRED2(ends_with, why("allgather=ring(group=1,group=2)"), "'group' is given twice");
  EXPECT_PRED2(ends_with, why("bcast=chain(discipline=early, discipline=paced)"),
               "'discipline' is given twice");
}

}  // namespace
}  // namespace roundelay::choose
