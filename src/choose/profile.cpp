// SPDX-License-Identifier: Apache-2.0
#include "choose/profile.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>
#include <system_error>

#include "choose/built_in_files.hpp"
#include "choose/listed.hpp"
#include "choose/profile_reader.hpp"
#include "choose/text_file.hpp"

namespace roundelay::choose {

Profile Profile::load(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".json")) {
    return parse(content_of(name), name);
  }
  for (const BuiltInFile& each : built_in_profiles()) {
    if (each.name == name) return parse(std::string(each.text), std::string(each.file));
  }
  std::error_code not_found;
  throw FileError(
      "there is no built-in profile '" + name + "'; the built-in profiles are: " +
      valid_for(name, built_in()) + ". The name of a file has a '/' in it or ends in .json" +
      (std::filesystem::exists(name, not_found) ? "; there is a file of that name: write ./" + name
                                                : std::string()));
}

std::vector<std::string_view> Profile::built_in() {
  std::vector<std::string_view> names;
  for (const BuiltInFile& each : built_in_profiles()) names.push_back(each.name);
  return names;
}

Profile Profile::parse(std::string text, const std::string& file) {
  Profile profile;
  profile.text_ = std::move(text);
  profile.file_ = file;
  // Reasons go into tables and lines.
  std::ranges::replace_if(profile.file_, [](unsigned char c) { return c < ' '; }, '?');
  ProfileReader reader(profile.text_, profile.file_);
  profile.name_ = reader.name();
  for (const Collective collective : collectives) {
    profile.rules_[static_cast<std::size_t>(collective)] = reader.rules(collective);
  }
  return profile;
}

const Rule* Profile::match(const Facts& facts) const noexcept {
  const std::span<const Rule> of = rules(facts.collective);
  const auto found =
      std::ranges::find_if(of, [&](const Rule& rule) { return rule.conditions.hold(facts); });
  return found != of.end() ? &*found : nullptr;
}

std::vector<std::int64_t> Profile::boundaries(Collective collective, int ranks) const {
  std::set<std::int64_t> lengths;
  for (const Rule& rule : rules(collective)) {
    for (const Range range :
         {rule.conditions.bytes, rule.conditions.block_bytes.of_message(ranks)}) {
      lengths.insert(range.least);
      if (range.most != Range::no_end) lengths.insert(range.most + 1);
    }
  }
  lengths.erase(0);
  return {lengths.begin(), lengths.end()};
}

bool Profile::asks_for_nodes() const noexcept {
  return std::ranges::any_of(rules_ | std::views::join,
                             [](const Rule& rule) { return rule.conditions.ask_for_nodes(); });
}

std::string Profile::reason(const Rule& rule) const {
  return "profile " + name_ + ": rule " + std::to_string(rule.number) + " (" + file_ + ":" +
         std::to_string(rule.line) + ")";
}

}  // namespace roundelay::choose
