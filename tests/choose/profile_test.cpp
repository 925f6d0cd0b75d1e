// SPDX-License-Identifier: Apache-2.0
#include "choose/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choose/deterministic.hpp"

namespace roundelay::choose {
namespace {

std::string with_rules(const std::string& collective, const std::string& rules) {
  return "{\"version\": 1, \"name\": \"test\", \"collectives\": {\n\"" + collective + "\": [\n" +
         rules + "\n]}}";
}

Profile profile(const std::string& collective, const std::string& rules) {
  return Profile::parse(with_rules(collective, rules), "test.json");
}

std::string error(const std::string& text) {
  try {
    (void)Profile::parse(text, "test.json");
  } catch (const FileError& wrong) {
    return wrong.what();
  }
  return {};
}

std::string match(const Profile& from, const Facts& facts) {
  const Rule* rule = from.match(facts);
  return rule != nullptr ? rule->choice->text() : "";
}

TEST(Profile, TheFirstRuleThatMatchesWins) {
  const Profile some = profile("allgather",
                               R"({"algorithm": "bruck", "bytes": [0, "1K"], "ranks": [2, 4]},
                                  {"algorithm": "ring", "bytes": [512, "2K"]})");
  const auto of = [&](std::int64_t bytes, int ranks) {
    return match(some, {.collective = Collective::allgather, .bytes = bytes, .ranks = ranks});
  };
  EXPECT_EQ(of(1024, 4), "bruck");
  EXPECT_EQ(of(1025, 4), "ring");
  EXPECT_EQ(of(1024, 5), "ring");
  EXPECT_EQ(of(2048, 5), "ring");
  // What is below decides.
  EXPECT_EQ(of(2049, 5), "");
  EXPECT_EQ(of(511, 5), "");
  EXPECT_EQ(match(some, {.collective = Collective::bcast, .bytes = 600, .ranks = 4}), "");
}

TEST(Profile, ConditionsMayNameMoreRanksThanThereAre) {
  const Profile some =
      profile("allgather", R"({"algorithm": "hier", "ranks": [2000000000, "inf"]})");
  EXPECT_EQ(match(some, {.collective = Collective::allgather, .bytes = 8, .ranks = 4}), "");
}

TEST(Profile, EveryConditionIsAsked) {
  const auto matches = [](const std::string& condition, const Facts& facts) {
    return !match(profile("reduce_scatter", "{\"algorithm\": \"native\", " + condition + "}"),
                  facts)
                .empty();
  };
  Facts facts{.collective = Collective::reduce_scatter, .bytes = 600, .ranks = 6};
  facts.nodes = 2;
  facts.ranks_per_node = 3;
  EXPECT_TRUE(matches(R"("power_of_two": false)", facts));
  EXPECT_FALSE(matches(R"("power_of_two": true)", facts));
  EXPECT_TRUE(matches(R"("nodes": [2, "inf"])", facts));
  EXPECT_FALSE(matches(R"("nodes": [3, "inf"])", facts));
  EXPECT_TRUE(matches(R"("ranks_per_node": [1, 3])", facts));
  EXPECT_FALSE(matches(R"("ranks_per_node": [4, 9])", facts));
  EXPECT_FALSE(matches(R"("sites": [1, "inf"])", facts));
  const Topology two{.nodes = {}, .sites = Partition::by(std::vector{0, 0, 1, 0, 1, 1})};
  facts.topology = &two;
  EXPECT_TRUE(matches(R"("sites": [2, "inf"])", facts));
  EXPECT_FALSE(matches(R"("sites": [3, "inf"])", facts));
  EXPECT_TRUE(matches(R"("kind": "intra")", facts));
  EXPECT_FALSE(matches(R"("kind": "inter")", facts));
  // A block that is not filled counts as the one before.
  EXPECT_TRUE(matches(R"("block_bytes": [100, 100])", facts));
  facts.bytes = 605;
  EXPECT_TRUE(matches(R"("block_bytes": [100, 100])", facts));
  facts.bytes = 606;
  EXPECT_FALSE(matches(R"("block_bytes": [100, 100])", facts));
  facts.bytes = std::int64_t{6} << 30;
  EXPECT_TRUE(matches(R"("bytes": [4294967296, 9223372036854775807])", facts));
  EXPECT_FALSE(matches(R"("bytes": [0, 4294967296])", facts));
  // Unequal nodes have no number of ranks.
  facts.ranks_per_node = 0;
  EXPECT_FALSE(matches(R"("ranks_per_node": [1, "inf"])", facts));
  EXPECT_TRUE(matches(R"("nodes": [1, "inf"])", facts));

  EXPECT_TRUE(matches(R"("operation": "predefined")", facts));
  EXPECT_TRUE(matches(R"("operation": "commutative")", facts));
  EXPECT_FALSE(matches(R"("operation": "user_defined")", facts));
  facts.predefined = false;
  EXPECT_TRUE(matches(R"("operation": "commutative")", facts));
  EXPECT_TRUE(matches(R"("operation": "user_defined")", facts));
  EXPECT_FALSE(matches(R"("operation": "predefined")", facts));
  facts.commutative = false;
  EXPECT_TRUE(matches(R"("operation": "non_commutative")", facts));
  EXPECT_FALSE(matches(R"("operation": "commutative")", facts));
}

// Wherever two lengths are decided differently there is a boundary between them.
TEST(Profile, BoundariesAreAllThatCanMatter) {
  const Profile some = profile("allgather",
                               R"({"algorithm": "bruck", "bytes": [100, 300]},
                                  {"algorithm": "native", "block_bytes": [7, 90]},
                                  {"algorithm": "ring", "bytes": [700, "inf"]})");
  for (const int ranks : {2, 3, 7}) {
    const auto boundaries = some.boundaries(Collective::allgather, ranks);
    const auto of = [&](std::int64_t bytes) {
      return some.match({.collective = Collective::allgather, .bytes = bytes, .ranks = ranks});
    };
    for (std::int64_t bytes = 1; bytes < 1000; ++bytes) {
      const bool is_boundary = std::ranges::find(boundaries, bytes) != boundaries.end();
      EXPECT_TRUE(is_boundary || of(bytes) == of(bytes - 1)) << bytes;
    }
  }
  EXPECT_TRUE(some.boundaries(Collective::bcast, 4).empty());
}

TEST(Profile, UnitsArePowersOf1024) {
  const Profile some = profile("bcast", R"({"algorithm": "binomial", "bytes": ["1K", "3M"]},
                          {"algorithm": "native", "bytes": ["2G", "inf"]})");
  EXPECT_EQ(some.rules(Collective::bcast)[0].conditions.text(), "bytes 1K .. 3M");
  EXPECT_EQ(some.rules(Collective::bcast)[1].conditions.bytes.least, std::int64_t{2} << 30);
  EXPECT_FALSE(some.asks_for_nodes());
  EXPECT_TRUE(profile("bcast", R"({"algorithm": "native", "nodes": [2, 3]})").asks_for_nodes());
}

TEST(Profile, TheReasonNamesTheRuleAndItsLine) {
  const Profile some = profile("bcast",
                               "{\"algorithm\": \"binomial\", \"ranks\": [2, 3]},\n\n"
                               "{\"algorithm\": \"native\"}");
  const Rule* rule = some.match({.collective = Collective::bcast, .bytes = 1, .ranks = 4});
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(some.reason(*rule), "profile test: rule 2 (test.json:5)");
}

TEST(Profile, MistakesAreNamedWithTheirLine) {
  struct Mistake {
    std::string text;
    int line;
    std::vector<std::string> says;
  };
  const auto rule = [](const std::string& text, int line, std::vector<std::string> says,
                       const std::string& collective = "allgather") {
    return Mistake{with_rules(collective, text), line, std::move(says)};
  };
  const std::string head = "{\"version\": 1, \"name\": \"x\",\n";
  const std::vector<Mistake> mistakes{
      {"", 1, {"not JSON"}},
      {"[]", 1, {"a profile must be an object, not an array"}},
      {"{\"version\": 1,\n \"name\": }", 2, {"not JSON", "column 10"}},
      {"{\"version\": 1,\n\n \"version\": 1}", 3, {"\"version\" occurs twice", "line 1"}},
      {"{\"name\": \"x\", \"collectives\": {}}", 1, {"needs \"version\""}},
      {"{\"version\": 2, \"name\": \"x\", \"collectives\": {}}", 1, {"\"version\" must be 1"}},
      {"{\"version\": 1, \"name\": \"a b\", \"collectives\": {}}", 1, {"\"name\" must consist of"}},
      {head + "\"colectives\": {}}", 2, {"no key \"colectives\"", "collectives"}},
      {head + "\"machine\": 3, \"collectives\": {}}", 2, {"\"machine\" must be an object"}},
      {head + "\"collectives\": {\n\"allgahter\": []}}", 3, {"\"allgahter\"", "allgather, "}},
      {head + "\"collectives\": {\"bcast\":\n 3}}", 3, {"\"bcast\" must be an array"}},
      {head + std::string(1000, '['), 2, {"not JSON"}},
      {head + "\"machine\": " + std::string(1000, '['), 2, {"too many nested arrays"}},
      rule("3", 3, {"a rule must be an object"}),
      rule("\n\n{\"bytes\": [0, 1]}", 5, {"needs \"algorithm\""}),
      rule("{\"algorithm\": \"rign\"}", 3, {"no algorithm 'rign'", "ring"}),
      rule("{\"algorithm\": \"ring(size=3)\"}", 3, {"no parameter 'size'", "discipline"}),
      rule("{\"algorithm\": 3}", 3, {"\"algorithm\" must be a string, not a number"}),
      rule("{\"algorithm\": \"ring\",\n\"byte\": [0, 1]}", 4, {"\"byte\"", "bytes"}),
      rule("{\"algorithm\": \"ring\", \"bytes\": 7}", 3,
           {"a range, the smallest and the largest value"}),
      rule("{\"algorithm\": \"ring\", \"bytes\": [\"1X\", 9]}", 3, {"\"1X\"", "\"64K\""}),
      rule("{\"algorithm\": \"ring\", \"bytes\": [\"-1K\", 9]}", 3, {"\"-1K\""}),
      rule("{\"algorithm\": \"ring\", \"bytes\": [0, \"9999999999999G\"]}", 3, {"not a number"}),
      rule("{\"algorithm\": \"ring\", \"bytes\": [0, 9223372036854775808]}", 3,
           {"does not fit into 64 bits"}),
      rule("{\"algorithm\": \"ring\", \"bytes\": [0, 1.5]}", 3, {"whole number"}),
      rule("{\"algorithm\": \"ring\", \"bytes\": [9, 8]}", 3, {"the range is empty"}),
      rule("{\"algorithm\": \"ring\", \"ranks\": [0, 8]}", 3, {"at least 1"}),
      rule("{\"algorithm\": \"ring\", \"ranks\": [\"1K\", \"inf\"]}", 3, {"at least 1"}),
      rule("{\"algorithm\": \"ring\", \"ranks\": [1, 1]}", 3, {"never match", "one rank"}),
      rule("{\"algorithm\": \"ring\", \"bytes\": [0, 0]}", 3, {"never match", "without data"}),
      rule("{\"algorithm\": \"ring\", \"ranks\": [5, 7], \"power_of_two\": true}", 3,
           {"never match", "no number of ranks", "is a power of two"}),
      rule("{\"algorithm\": \"ring\", \"ranks\": [8, 8], \"power_of_two\": false}", 3,
           {"never match", "every number of ranks", "is a power of two"}),
      rule("{\"algorithm\": \"ring\", \"ranks\": [2, 7], \"nodes\": [8, 9]}", 3,
           {"never match", "more nodes than ranks"}),
      rule("{\"algorithm\": \"ring\", \"bytes\": [0, 15], \"block_bytes\": [8, 9]}", 3,
           {"never match", "blocks of this length"}),
      rule("{\"algorithm\": \"ring\"},\n{\"algorithm\": \"bruck\"}", 4,
           {"unreachable: rule 1 (line 3) already matches every call"}),
      rule("{\"algorithm\": \"ring\", \"operation\": \"commutative\"}", 3, {"combines no data"}),
      rule("{\"algorithm\": \"native\", \"bytes\": [0, 1]}", 3, {"length of the whole message"},
           "alltoallv"),
      rule("{\"algorithm\": \"native\", \"block_bytes\": [0, 1]}", 3, {"length of every block"},
           "bcast"),
      rule("{\"algorithm\": \"native\", \"kind\": \"inter\"}", 3, {"intercommunicators"}, "scan"),
      rule("{\"algorithm\": \"native\", \"kind\": \"both\"}", 3, {"intra, inter"}, "bcast"),
      rule("{\"algorithm\": \"ring\", \"operation\": \"non_commutative\"}", 3,
           {"allreduce=ring can never run here", "commutative"}, "allreduce"),
  };
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.text.substr(0, 200));
    const std::string found = error(mistake.text);
    const std::string place = "test.json:" + std::to_string(mistake.line) + ": ";
    EXPECT_EQ(found.substr(0, place.size()), place);
    for (const std::string& what : mistake.says) EXPECT_NE(found.find(what), found.npos) << found;
  }
}

TEST(Profile, FilesThatCannotBeReadAreNamed) {
  const auto why = [](const std::string& name) -> std::string {
    try {
      (void)Profile::load(name);
    } catch (const FileError& wrong) {
      return wrong.what();
    }
    return {};
  };
  EXPECT_NE(why("/no/such/profile").find("/no/such/profile: cannot be read: No such file"),
            std::string::npos);
  EXPECT_NE(why("/").find("/: cannot be read: Is a directory"), std::string::npos);
  EXPECT_NE(
      why("nonesuch").find("no built-in profile 'nonesuch'; the built-in profiles are: thakur2005"),
      std::string::npos);
}

TEST(Profile, WhatIsBuiltInLoadsUnderItsName) {
  for (const std::string_view name : Profile::built_in()) {
    const Profile one = Profile::load(std::string(name));
    EXPECT_EQ(one.name(), name);
    EXPECT_EQ(one.file(), "profiles/" + std::string(name) + ".json");
  }
}

// Thakur, Rabenseifner, Gropp 2005, section 4, sentence by sentence.
TEST(Profile, Thakur2005HasTheCutOffsOfThePaper) {
  const Profile paper = Profile::load("thakur2005");
  constexpr std::int64_t kib = 1024;
  enum Operation { predefined, user_defined, non_commutative };
  const auto of = [&](Collective collective, int ranks, std::int64_t bytes,
                      Operation operation = predefined) {
    Facts facts{.collective = collective, .bytes = bytes, .ranks = ranks};
    facts.predefined = operation == predefined;
    facts.commutative = operation != non_commutative;
    return match(paper, facts);
  };
  using enum Collective;
  EXPECT_EQ(of(allgather, 6, 80 * kib - 1), "bruck");
  EXPECT_EQ(of(allgather, 6, 80 * kib), "ring");
  EXPECT_EQ(of(allgather, 8, 512 * kib - 1), "recursive_doubling");
  EXPECT_EQ(of(allgather, 8, 512 * kib), "ring");
  EXPECT_EQ(of(bcast, 64, 12 * kib - 1), "binomial");
  EXPECT_EQ(of(bcast, 7, 1024 * kib), "binomial");
  EXPECT_EQ(of(alltoall, 5, 5 * 256), "bruck");
  EXPECT_EQ(of(alltoall, 5, 5 * 257), "scattered");
  EXPECT_EQ(of(alltoall, 5, 5 * 32 * kib), "scattered");
  EXPECT_EQ(of(alltoall, 5, 5 * (32 * kib + 1)), "pairwise");
  for (const Collective collective : {reduce_scatter, reduce_scatter_block}) {
    EXPECT_EQ(of(collective, 6, 512 * kib - 1), "recursive_halving");
    EXPECT_EQ(of(collective, 6, 512 * kib, user_defined), "pairwise");
    EXPECT_EQ(of(collective, 6, 511, non_commutative), "recursive_doubling");
    EXPECT_EQ(of(collective, 6, 512, non_commutative), "ordered");
  }
  EXPECT_EQ(of(reduce, 6, 2 * kib), "binomial");
  EXPECT_EQ(of(reduce, 6, 2 * kib + 1), "rabenseifner");
  EXPECT_EQ(of(reduce, 6, 2 * kib + 1, user_defined), "binomial");
  EXPECT_EQ(of(reduce, 6, 2 * kib + 1, non_commutative), "ordered");
  EXPECT_EQ(of(allreduce, 6, 2 * kib), "recursive_doubling");
  EXPECT_EQ(of(allreduce, 6, 2 * kib + 1), "rabenseifner");
  EXPECT_EQ(of(allreduce, 6, 2 * kib + 1, user_defined), "recursive_doubling");
}

TEST(Profile, IsAskedBetweenWhatIsForcedAndTheModel) {
  const Facts facts{.collective = Collective::allgather, .bytes = 64, .ranks = 4, .nodes = 4};
  Wishes wishes;
  wishes.profile = std::make_shared<const Profile>(
      profile("allgather", R"({"algorithm": "ring", "bytes": [0, 100]})"));
  EXPECT_EQ(choose(facts, wishes).reason, "profile test: rule 1 (test.json:3)");
  Facts longer = facts;
  longer.bytes = 101;
  EXPECT_EQ(choose(longer, wishes).reason, "model: cheapest");
  wishes.forced = parse_choices("allgather=bruck");
  EXPECT_EQ(choose(facts, wishes).reason, "forced");
}

TEST(Profile, ARuleWhoseAlgorithmCannotRunIsAnErrorOfTheCall) {
  Wishes wishes;
  wishes.profile =
      std::make_shared<const Profile>(profile("allreduce", R"({"algorithm": "ring"})"));
  Facts facts{.collective = Collective::allreduce, .bytes = 64, .ranks = 4};
  EXPECT_EQ(choose(facts, wishes).choice->text(), "ring");
  facts.commutative = false;
  facts.predefined = false;
  try {
    (void)choose(facts, wishes);
    ADD_FAILURE();
  } catch (const ImpossibleChoice& wrong) {
    const std::string text = wrong.what();
    EXPECT_NE(text.find("test.json:3"), text.npos) << text;
    EXPECT_NE(text.find("must be commutative"), text.npos) << text;
    EXPECT_NE(text.find("recursive_doubling"), text.npos) << text;
  }
}

TEST(Deterministic, OneAlgorithmWhateverElseIsSaid) {
  Wishes wishes;
  wishes.deterministic = true;
  wishes.profile =
      std::make_shared<const Profile>(profile("allreduce", R"({"algorithm": "ring"})"));
  for (const std::int64_t bytes : {8, 1 << 20}) {
    for (const bool oversubscribed : {false, true}) {
      const Facts facts{.collective = Collective::allreduce,
                        .bytes = bytes,
                        .ranks = 5,
                        .one_node = true,
                        .oversubscribed = oversubscribed};
      EXPECT_EQ(choose(facts, wishes).choice->text(), "recursive_doubling");
    }
  }
  // What moves data is chosen as ever.
  const Facts moving{.collective = Collective::bcast, .bytes = 8, .ranks = 5, .nodes = 5};
  EXPECT_EQ(choose(moving, wishes).reason, "model: cheapest");
}

TEST(Deterministic, WhatIsForcedHasToBe) {
  EXPECT_NO_THROW(require_deterministic(parse_choices("reduce=ordered; bcast=binomial")));
  try {
    require_deterministic(parse_choices("allreduce=ring"));
    ADD_FAILURE();
  } catch (const SpellingError& wrong) {
    const std::string text = wrong.what();
    EXPECT_NE(text.find("ROUNDELAY_DETERMINISTIC=1 does not allow allreduce=ring"), text.npos)
        << text;
    EXPECT_NE(text.find("recursive_doubling"), text.npos) << text;
  }
  EXPECT_THROW(require_deterministic(parse_choices("scan=native")), SpellingError);
}

}  // namespace
}  // namespace roundelay::choose
