// SPDX-License-Identifier: Apache-2.0
#include "choose/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ranges>
#include <vector>

#include "choose/listed.hpp"

namespace roundelay::choose {

namespace {

// Recursive descent over one line of text; columns in messages count from 1.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Choices choices() {
    Choices found;
    for (skip_space(); !at_end(); skip_space()) {
      if (take(';')) continue;
      const std::size_t where = at_;
      const std::string_view name = word("a collective");
      const Collective* collective = find_collective(name);
      if (collective == nullptr) {
        fail(where, "there is no collective '" + std::string(name) + "'; there are " +
                        valid_for(name, collectives | std::views::transform([](Collective c) {
                                          return name_of(c);
                                        })));
      }
      if (!take('=')) fail(at_, "expected '=', as in bcast=binomial");
      Choice choice = algorithm(*collective, true);
      auto& place =
          choice.algorithm->groups == Groups::two ? found.between(*collective) : found[*collective];
      if (place != nullptr) fail(where, "'" + std::string(name) + "' is chosen twice");
      place = std::make_shared<const Choice>(std::move(choice));
      skip_space();
      if (!at_end() && text_[at_] != ';') fail(at_, "expected ';' or the end");
    }
    return found;
  }

  Choice only(Collective collective) {
    Choice choice = algorithm(collective, true);
    skip_space();
    if (!at_end()) fail(at_, "nothing may follow here");
    return choice;
  }

 private:
  Choice algorithm(Collective collective, bool outermost) {
    skip_space();
    const std::size_t where = at_;
    const std::string_view name = word("an algorithm");
    const Algorithm* found = find(collective, name);
    // Only a whole collective can be left to the MPI library; parts are of one group, wherever
    // it is.
    const auto is_possible = [outermost](const Algorithm& it) {
      return outermost || (!it.native() && it.is_for(Groups::one) && !it.uses_topology());
    };
    if (found == nullptr || !is_possible(*found)) {
      std::vector<std::string_view> names;
      for (const Algorithm* of : algorithms_of(collective)) {
        if (is_possible(*of)) names.push_back(of->name);
      }
      fail(where, std::string(name_of(collective)) + " has no algorithm '" + std::string(name) +
                      "'; there are " + valid_for(name, names));
    }
    Choice choice(*found);
    if (take('(')) {
      std::vector<std::string_view> given;
      do parameter(choice, outermost, given);
      while (take(','));
      expect(')');
    }
    return choice;
  }

  void parameter(Choice& choice, bool outermost, std::vector<std::string_view>& given) {
    skip_space();
    const std::size_t where = at_;
    const std::string_view name = word("a parameter");
    if (std::ranges::find(given, name) != given.end()) {
      fail(where, "'" + std::string(name) + "' is given twice");
    }
    given.push_back(name);
    expect('=');
    if (outermost && !choice.algorithm->native() && name == discipline_parameter().name) {
      choice.discipline = static_cast<Discipline>(value(discipline_parameter()).number);
      return;
    }
    const Parameter* found = choice.algorithm->parameter(name);
    if (found == nullptr) {
      std::vector<std::string_view> names;
      for (const Parameter& of : choice.algorithm->parameters) names.push_back(of.name);
      if (outermost && !choice.algorithm->native()) names.push_back(discipline_parameter().name);
      fail(where, std::string(name_of(choice.algorithm->collective)) + "." +
                      std::string(choice.algorithm->name) + " has no parameter '" +
                      std::string(name) + "'; it has " + valid_for(name, names));
    }
    choice.values[static_cast<std::size_t>(found - choice.algorithm->parameters.data())] =
        value(*found);
  }

  Choice::Value value(const Parameter& of) {
    skip_space();
    const std::size_t where = at_;
    Choice::Value read;
    switch (of.kind) {
      case Parameter::Kind::number: {
        if (of.automatic && text_.substr(at_).starts_with(automatic_word)) {
          at_ += automatic_word.size();
          break;
        }
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), read.number);
        if (error != std::errc() || read.number < of.least || read.number > of.most) {
          fail(where, std::string(of.name) + " must be " +
                          (of.automatic ? std::string(automatic_word) + " or " : "") +
                          "a number from " + std::to_string(of.least) + " to " +
                          std::to_string(of.most));
        }
        at_ += static_cast<std::size_t>(end - begin);
        break;
      }
      case Parameter::Kind::word: {
        const std::string_view value = word("a value");
        const auto found = std::ranges::find(of.words, value);
        if (found == of.words.end()) {
          fail(where, std::string(of.name) + " must be one of " + valid_for(value, of.words));
        }
        read.number = found - of.words.begin();
        break;
      }
      case Parameter::Kind::algorithm:
        read.algorithm = std::make_shared<const Choice>(algorithm(of.collective, false));
        break;
    }
    return read;
  }

  std::string_view word(std::string_view expected) {
    skip_space();
    const std::size_t begin = at_;
    while (!at_end() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    if (at_ == begin) fail(at_, "expected " + std::string(expected));
    return text_.substr(begin, at_ - begin);
  }

  bool take(char wanted) {
    skip_space();
    if (at_end() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail(at_, std::string("expected '") + wanted + "'");
  }
  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  [[noreturn]] void fail(std::size_t where, const std::string& what) const {
    throw SpellingError("\"" + std::string(text_) + "\", column " + std::to_string(where + 1) +
                        ": " + what);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string Choices::text() const {
  std::string all;
  for (const Collective collective : collectives) {
    for (const auto& choice : {(*this)[collective], between(collective)}) {
      if (choice == nullptr) continue;
      all += (all.empty() ? "" : "; ") + std::string(name_of(collective)) + "=" + choice->text();
    }
  }
  return all;
}

Choices parse_choices(std::string_view text) { return Parser(text).choices(); }

Choice parse_algorithm(Collective collective, std::string_view text) {
  return Parser(text).only(collective);
}

}  // namespace roundelay::choose
