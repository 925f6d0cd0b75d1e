// SPDX-License-Identifier: Apache-2.0
#include "choose/machine_file.hpp"

#include <gtest/gtest.h>

#include <string>

namespace roundelay::choose {
namespace {

MachineFile parsed(const std::string& text) { return MachineFile::parse(text, "machine.json"); }

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parsed(text));
  } catch (const FileError& wrong) {
    return wrong.what();
  }
  return "none";
}

TEST(MachineFile, ChangesWhatItSays) {
  const MachineFile file = parsed(R"({
    "version": 1, "description": "a test",
    "network": {"startup": 2e-6, "byte": 8e-11, "drift": 1, "torus": [8, 4], "hop": 1e-7,
                "taper": [1, 2.5]},
    "memory": {"startup": 3e-7},
    "node": {"combined_byte": 2e-10},
    "mpi": {"floods": false}})");
  Machine between{.gap = 5, .pairing = 7, .native_floods = true};
  file.apply_between_nodes(between);
  EXPECT_EQ(between.alpha, 2e-6);
  EXPECT_EQ(between.oversubscribed_alpha, 2e-6);
  EXPECT_EQ(between.beta, 8e-11);
  EXPECT_EQ(between.drift, 1);
  EXPECT_EQ(between.torus, (std::vector{8, 4}));
  EXPECT_EQ(between.hop, 1e-7);
  EXPECT_EQ(between.taper, (std::vector{1, 2.5}));
  EXPECT_EQ(between.gap, 5);
  EXPECT_EQ(between.pairing, 7);
  EXPECT_EQ(between.gamma, 2e-10);
  EXPECT_FALSE(between.native_floods);
  Machine memory{.beta = 4};
  file.apply_in_memory(memory);
  EXPECT_EQ(memory.alpha, 3e-7);
  EXPECT_EQ(memory.beta, 4);
  EXPECT_EQ(memory.gamma, 2e-10);
  EXPECT_TRUE(file.knows_network());
  EXPECT_FALSE(parsed(R"({"version": 1, "network": {"startup": 1}})").knows_network());
}

TEST(MachineFile, NamesWhatIsWrong) {
  EXPECT_EQ(error_of("[]"), "machine.json:1: a machine file must be an object, not an array");
  EXPECT_EQ(error_of("{}"), "machine.json:1: \"version\" is missing; it must be 1");
  EXPECT_EQ(error_of(R"({"version": 2})"), "machine.json:1: \"version\" must be 1");
  EXPECT_EQ(error_of("{\"version\": 1,\n\"netwrk\": {}}"),
            "machine.json:2: a machine file has no key \"netwrk\"; it has version, description, "
            "network, memory, node, mpi (did you mean 'network'?)");
  EXPECT_EQ(error_of(R"({"version": 1, "memory": {"drift": 1}})"),
            "machine.json:1: \"memory\" has no key \"drift\"; it has startup, "
            "oversubscribed_startup, gap, byte");
  EXPECT_EQ(error_of(R"({"version": 1, "network": {"drift": 0.5}})"),
            "machine.json:1: \"drift\" must be a number that is at least 1");
  EXPECT_EQ(error_of(R"({"version": 1, "network": {"byte": "fast"}})"),
            "machine.json:1: \"byte\" must be a number that is more than 0");
  EXPECT_EQ(error_of(R"({"version": 1, "memory": {"startup": 0}})"),
            "machine.json:1: \"startup\" must be a number that is more than 0");
  EXPECT_EQ(error_of(R"({"version": 1, "network": {"gap": -1}})"),
            "machine.json:1: \"gap\" must be a number that is at least 0");
  EXPECT_EQ(error_of(R"({"version": 1, "network": {"startup": 1e308}})"),
            "machine.json:1: \"startup\" must be at most 1e18");
  EXPECT_EQ(error_of(R"({"version": 1, "network": {"taper": [1, 1e19]}})"),
            "machine.json:1: \"taper\" must be at most 1e18");
  EXPECT_EQ(error_of(R"({"version": 1, "mpi": {"floods": 1}})"),
            "machine.json:1: \"floods\" must be true or false");
  EXPECT_EQ(error_of(R"({"version": 1, "network": 3})"),
            "machine.json:1: \"network\" must be an object, not a number");
  for (const char* const torus : {"8", "[]", "[8, 0]", "[8, 2.5]", "[[8]]"}) {
    EXPECT_EQ(
        error_of(R"({"version": 1, "network": {"torus": )" + std::string(torus) + "}}"),
        "machine.json:1: \"torus\" must be an array of the lengths of its dimensions, such as "
        "[8, 8, 4]");
  }
  EXPECT_EQ(error_of(R"({"version": 1, "network": {"torus": [1024, 1024, 1024]}})"),
            "machine.json:1: \"torus\" has more than a million nodes");
  for (const char* const taper : {"0.25", "[0.5]", "[1, \"2\"]", "[[1]]"}) {
    EXPECT_EQ(error_of(R"({"version": 1, "network": {"taper": )" + std::string(taper) + "}}"),
              "machine.json:1: \"taper\" must be an array of factors that are at least 1, for "
              "nodes 2, 4, 8 and so on further on, such as [1, 2, 2]");
  }
  EXPECT_THROW(static_cast<void>(MachineFile::load("/missing.json")), FileError);
}

}  // namespace
}  // namespace roundelay::choose
