// SPDX-License-Identifier: Apache-2.0
// A profile: rules that say which algorithm to run where; docs/reference/profiles.md has its form.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "choose/facts.hpp"
#include "choose/json.hpp"

namespace roundelay::choose {

// Both ends included.
struct Range {
  static constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

  std::int64_t least = 0;
  std::int64_t most = no_end;

  [[nodiscard]] bool has(std::int64_t value) const noexcept {
    return least <= value && value <= most;
  }
  [[nodiscard]] bool covers(Range other) const noexcept {
    return least <= other.least && other.most <= most;
  }
  // If these are bytes of a block: the bytes of a message of so many blocks.
  [[nodiscard]] Range of_message(int blocks) const noexcept;
  friend bool operator==(Range, Range) = default;
};

// Which calls a rule is for: all conditions hold.
struct Conditions {
  enum class Operation : std::uint8_t { predefined, user_defined, commutative, non_commutative };

  Range bytes = {};        // of the whole message
  Range block_bytes = {};  // of a block, of which there is one for each rank
  Range ranks = {};
  Range nodes = {};
  Range ranks_per_node = {};
  Range sites = {};                       // 0 where nobody says where they are
  std::optional<bool> power_of_two = {};  // whether the number of ranks is
  std::optional<Operation> operation = {};
  bool inter = false;  // for intercommunicators, else for the others

  [[nodiscard]] bool hold(const Facts& facts) const noexcept;
  // Whether they hold wherever those of the other do.
  [[nodiscard]] bool cover(const Conditions& other) const noexcept;
  // Whether somebody has to count nodes.
  [[nodiscard]] bool ask_for_nodes() const noexcept;
  // As in a profile, those that leave something out: "bytes 0 .. 80K, power_of_two false".
  [[nodiscard]] std::string text() const;
};

struct Rule {
  std::shared_ptr<const Choice> choice;
  Conditions conditions;
  int number = 0;  // among those of its collective, from 1 on
  int line = 0;
};

class Profile {
 public:
  // What ROUNDELAY_PROFILE says: a file, if there is a '/' in it or it ends in ".json", else one
  // that is built in. Throws FileError.
  [[nodiscard]] static Profile load(const std::string& name);
  // `file` is for errors and reasons.
  [[nodiscard]] static Profile parse(std::string text, const std::string& file);
  // What the library brings along.
  [[nodiscard]] static std::vector<std::string_view> built_in();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::span<const Rule> rules(Collective collective) const noexcept {
    return rules_[static_cast<std::size_t>(collective)];
  }

  // The first rule whose conditions hold, or nullptr.
  [[nodiscard]] const Rule* match(const Facts& facts) const noexcept;
  // Lengths of messages from which on another rule may match than for one byte less, ascending.
  [[nodiscard]] std::vector<std::int64_t> boundaries(Collective collective, int ranks) const;
  [[nodiscard]] bool asks_for_nodes() const noexcept;
  // "profile thakur2005: rule 2 (profiles/thakur2005.json:14)"
  [[nodiscard]] std::string reason(const Rule& rule) const;

 private:
  Profile() = default;

  std::string name_;
  std::string file_;
  std::string text_;
  std::array<std::vector<Rule>, collectives.size()> rules_;
};

}  // namespace roundelay::choose
