// SPDX-License-Identifier: Apache-2.0
#include "choose/placement.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "choose/json.hpp"
#include "choose/spelling.hpp"
#include "choose/text_file.hpp"
#include "schedule/topology.hpp"

namespace roundelay::choose {

namespace {

constexpr int most_ranks = 1 << 24;

[[noreturn]] void fail(std::string_view text, const std::string& why) {
  throw SpellingError("\"" + std::string(text) + "\": " + why +
                      "; expected sizes such as 4+3, or a letter for each rank such as abaab");
}

std::string trimmed(const std::string& text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  const auto first = std::ranges::find_if_not(text, is_space);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), is_space).base();
  return first < last ? std::string(first, last) : "";
}

}  // namespace

std::vector<int> parse_placement(std::string_view text) {
  std::vector<int> part_of;
  if (text.empty()) fail(text, "it is empty");
  if (std::isalpha(static_cast<unsigned char>(text.front())) != 0) {
    for (const char letter : text) {
      const std::size_t part = placement_letters.find(letter);
      if (part == std::string_view::npos)
        fail(text, std::string("'") + letter + "' is not a letter");
      part_of.push_back(static_cast<int>(part));
    }
    return part_of;
  }
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int part = 0;; ++part) {
    int size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error == std::errc::invalid_argument) fail(text, "a size is missing");
    if (error != std::errc() || size < 1 || size > most_ranks) {
      fail(text,
           "'" + std::string(at, next) + "' is not a size from 1 to " + std::to_string(most_ranks));
    }
    part_of.insert(part_of.end(), static_cast<std::size_t>(size), part);
    if (next == end) return part_of;
    if (*next != '+') fail(text, std::string("'") + *next + "' is not expected");
    at = next + 1;
  }
}

Placement Placement::read(const std::string& value) {
  Placement placement;
  const bool file = value.find('/') != std::string::npos;
  placement.text_ = trimmed(file ? content_of(value) : value);
  if (placement.text_.find(':') != std::string::npos) {
    placement.read_hosts(file ? value : "");
  } else if (file || !placement.text_.empty()) {
    placement.part_of_rank_ = parse_placement(placement.text_);
  }
  return placement;
}

void Placement::read_hosts(std::string_view where) {
  std::istringstream lines(text_);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream entries(line.substr(0, line.find('#')));
    for (std::string entry; std::getline(entries, entry, ';');) {
      entry = trimmed(entry);
      if (entry.empty()) continue;
      const std::size_t colon = entry.find(':');
      std::istringstream words(colon == std::string::npos ? "" : entry.substr(colon + 1));
      const std::size_t before = patterns_.size();
      for (std::string pattern; words >> pattern;) patterns_.push_back({pattern, parts_});
      if (patterns_.size() == before || trimmed(entry.substr(0, colon)).empty()) {
        throw SpellingError(
            (where.empty() ? "" : std::string(where) + ":" + std::to_string(number) + ": ") + "\"" +
            entry +
            "\" must be a name, a colon and patterns of host names, e.g. "
            "\"north: n1 n2*\"");
      }
      ++parts_;
    }
  }
}

std::vector<Placement::Pattern>::const_iterator Placement::find(const std::string& host) const {
  return std::ranges::find_if(patterns_, [&](const Pattern& pattern) {
    return fnmatch(pattern.text.c_str(), host.c_str(), 0) == 0;
  });
}

bool Placement::mentions(const std::string& host) const {
  return ranks() > 0 || find(host) != patterns_.end();
}

int Placement::part_of(int rank, const std::string& host) const {
  if (ranks() > 0) return part_of_rank_[static_cast<std::size_t>(rank)];
  const auto found = find(host);
  return found != patterns_.end() ? found->part : parts_;
}

}  // namespace roundelay::choose
