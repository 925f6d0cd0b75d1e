// SPDX-License-Identifier: Apache-2.0
#include "algorithms/mistakes.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace roundelay {

namespace {

bool can_be_spelled(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

bool is_standard(const Parameter& of) {
  switch (of.kind) {
    case Parameter::Kind::number: {
      if (of.automatic && of.standard == automatic_word) return true;
      std::int64_t number = 0;
      const char* const end = of.standard.data() + of.standard.size();
      const auto [last, error] = std::from_chars(of.standard.data(), end, number);
      return error == std::errc() && last == end && of.least <= number && number <= of.most;
    }
    case Parameter::Kind::word: return std::ranges::find(of.words, of.standard) != of.words.end();
    case Parameter::Kind::algorithm: {
      const Algorithm* const part = find(of.collective, of.standard);
      return part != nullptr && !part->native();
    }
  }
  return false;
}

class Examination {
 public:
  void examine(const Algorithm& algorithm) {
    of_ = &algorithm;
    spell("its name", algorithm.name);
    if (algorithm.native()) {
      require(algorithm.name == "native", "has no schedule");
    } else {
      require(algorithm.name != "native", "has the name of the MPI library's own");
      require(algorithm.claims != nullptr, "has no claims");
    }
    for (auto it = algorithm.parameters.begin(); it != algorithm.parameters.end(); ++it) {
      spell("the name of a parameter", it->name);
      for (const std::string_view word : it->words) spell("a word of " + quoted(it->name), word);
      require(
          std::ranges::find(algorithm.parameters.begin(), it, it->name, &Parameter::name) == it &&
              it->name != discipline_parameter().name,
          "has the parameter " + quoted(it->name) + " twice");
      require(is_standard(*it), "has a parameter " + quoted(it->name) + ", which cannot be " +
                                    quoted(it->standard) + ", its default");
    }
  }
  void require(bool condition, const std::string& otherwise) {
    if (condition) return;
    found_.push_back(std::string(name_of(of_->collective)) + "." + std::string(of_->name) + " " +
                     otherwise);
  }
  std::vector<std::string> found() && { return std::move(found_); }

 private:
  void spell(const std::string& what, std::string_view name) {
    require(can_be_spelled(name), "cannot be chosen: " + what + ", " + quoted(name) +
                                      ", may have only a to z, 0 to 9 and _");
  }

  const Algorithm* of_ = nullptr;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> mistakes_in(std::span<const Algorithm* const> algorithms) {
  Examination examination;
  const Algorithm* before = nullptr;
  for (const Algorithm* algorithm : algorithms) {
    examination.examine(*algorithm);
    examination.require(before == nullptr || before->collective != algorithm->collective ||
                            before->name != algorithm->name,
                        "is there twice");
    before = algorithm;
  }
  return std::move(examination).found();
}

}  // namespace roundelay
