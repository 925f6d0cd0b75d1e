// SPDX-License-Identifier: Apache-2.0
// What a profile's document says, checked: every mistake is a FileError with its line.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "choose/json.hpp"
#include "choose/profile.hpp"

namespace roundelay::choose {

class ProfileReader {
 public:
  // `file` is for errors and has to outlive this.
  ProfileReader(std::string_view text, const std::string& file);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::vector<Rule> rules(Collective collective) const;

 private:
  [[nodiscard]] Rule rule(Collective collective, const Json& object) const;
  void read(Collective collective, const Json::Key& key, const Json& value, Rule& rule) const;
  [[nodiscard]] Range range(const Json::Key& key, const Json& value, std::int64_t least,
                            bool of_bytes) const;
  [[nodiscard]] std::int64_t bytes(const Json::Key& key, const Json& value) const;
  // The index of the value among `valid`.
  [[nodiscard]] std::size_t one_of(const Json::Key& key, const Json& value,
                                   std::initializer_list<std::string_view> valid) const;
  void require_sense(Collective collective, const Rule& rule, std::span<const Rule> before) const;

  void require(const Json& value, Json::Kind kind, std::string_view what) const;
  void require_keys(const Json& object, std::string_view what,
                    std::initializer_list<std::string_view> valid) const;
  [[noreturn]] void fail(int line, const std::string& what) const;

  const std::string& file_;
  Json document_;
  std::string name_;
  const Json* collectives_ = nullptr;
};

}  // namespace roundelay::choose
