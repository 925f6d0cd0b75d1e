// SPDX-License-Identifier: Apache-2.0
#include "choose/profile_reader.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <climits>
#include <ranges>

#include "choose/listed.hpp"
#include "choose/spelling.hpp"

namespace roundelay::choose {

namespace {

using Kind = Json::Kind;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

const Json* member(const Json& object, std::string_view key) {
  const auto found = std::ranges::find(object.keys, key, &Json::Key::text);
  return found != object.keys.end()
             ? &object.items[static_cast<std::size_t>(found - object.keys.begin())]
             : nullptr;
}

bool has_length(Collective collective) {
  return collective != Collective::barrier && length_is_shared(collective);
}

// Whether the message is one block for each rank.
bool has_blocks(Collective collective) {
  return facts_of(collective).cut != Cut::nothing && length_is_shared(collective);
}

bool has_inter(Collective collective) { return facts_of(collective).between_groups; }

// A number of ranks that the conditions allow, a power of two if they allow one; 0 if none.
int possible_ranks(const Conditions& conditions) {
  const std::int64_t least = std::max<std::int64_t>(2, conditions.ranks.least);
  const std::int64_t most = std::min<std::int64_t>(INT_MAX, conditions.ranks.most);
  if (least > most) return 0;
  const auto first = static_cast<unsigned>(least);
  const auto last = static_cast<unsigned>(most);
  const auto is_power = [](unsigned ranks) { return std::has_single_bit(ranks); };
  const unsigned power = std::bit_ceil(first);
  if (conditions.power_of_two != false && power <= last) return static_cast<int>(power);
  if (conditions.power_of_two == true) return 0;
  // Two of them follow one another only at 1 and 2.
  const unsigned other = is_power(first) ? first + 1 : first;
  return other <= last ? static_cast<int>(other) : 0;
}

// Why no call can meet the conditions; empty if one can.
std::string contradiction(const Conditions& of) {
  if (of.ranks.most < 2) return "with one rank there is nothing to choose";
  if (possible_ranks(of) == 0) {
    return std::string(*of.power_of_two ? "no" : "every") +
           " number of ranks in this range is a power of two";
  }
  if (of.bytes.most == 0) {
    return "without data there is nothing to choose";
  }
  if (of.nodes.least > of.ranks.most) return "there cannot be more nodes than ranks";
  if (of.sites.least > of.ranks.most) return "there cannot be more sites than ranks";
  if (of.ranks_per_node.least > of.ranks.most) {
    return "there cannot be more ranks on a node than ranks in all";
  }
  const int most_ranks = static_cast<int>(std::min<std::int64_t>(INT_MAX, of.ranks.most));
  const int least_ranks = possible_ranks(of);
  if (of.block_bytes.of_message(least_ranks).least > of.bytes.most ||
      of.block_bytes.of_message(most_ranks).most < of.bytes.least) {
    return "no message of this length has blocks of this length";
  }
  return {};
}

}  // namespace

ProfileReader::ProfileReader(std::string_view text, const std::string& file)
    : file_(file), document_(parse_json(text, file)) {
  require(document_, Kind::object, "a profile");
  require_keys(document_, "a profile",
               {"$schema", "version", "name", "provenance", "machine", "collectives"});
  for (const std::string_view key : {"version", "name", "collectives"}) {
    if (member(document_, key) == nullptr) {
      fail(document_.line, "a profile needs " + quoted(key));
    }
  }
  const Json& version = *member(document_, "version");
  if (version.kind != Kind::integer || version.integer != 1) {
    fail(version.line, "\"version\" must be 1");
  }
  const Json& name = *member(document_, "name");
  require(name, Kind::string, "\"name\"");
  const bool is_word = std::ranges::all_of(name.string, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
  if (name.string.empty() || !is_word) {
    fail(name.line, "\"name\" must consist of letters, digits and the characters _ - .");
  }
  name_ = name.string;
  for (const std::string_view key : {"provenance", "machine"}) {
    if (const Json* free = member(document_, key)) require(*free, Kind::object, quoted(key));
  }
  collectives_ = member(document_, "collectives");
  require(*collectives_, Kind::object, "\"collectives\"");
  for (const Json::Key& key : collectives_->keys) {
    if (find_collective(key.text) != nullptr) continue;
    fail(key.line, "there is no collective " + quoted(key.text) + "; there are " +
                       valid_for(key.text, collectives | std::views::transform([](Collective c) {
                                             return name_of(c);
                                           })));
  }
}

std::vector<Rule> ProfileReader::rules(Collective collective) const {
  std::vector<Rule> all;
  const Json* array = member(*collectives_, name_of(collective));
  if (array == nullptr) return all;
  require(*array, Kind::array, quoted(name_of(collective)));
  for (const Json& object : array->items) {
    Rule next = rule(collective, object);
    next.number = static_cast<int>(all.size()) + 1;
    require_sense(collective, next, all);
    all.push_back(std::move(next));
  }
  return all;
}

Rule ProfileReader::rule(Collective collective, const Json& object) const {
  require(object, Kind::object, "a rule");
  require_keys(object, "a rule",
               {"algorithm", "bytes", "block_bytes", "ranks", "power_of_two", "nodes",
                "ranks_per_node", "sites", "operation", "kind"});
  Rule rule;
  rule.line = object.line;
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    read(collective, object.keys[i], object.items[i], rule);
  }
  if (rule.choice == nullptr) fail(object.line, "a rule needs \"algorithm\"");
  const Groups groups = rule.conditions.inter ? Groups::two : Groups::one;
  if (!rule.choice->algorithm->is_for(groups)) {
    const std::string_view kind = name_of(groups == Groups::two ? Groups::one : Groups::two);
    fail(object.line, quoted(rule.choice->algorithm->name) + " is for \"kind\": " + quoted(kind));
  }
  return rule;
}

void ProfileReader::read(Collective collective, const Json::Key& key, const Json& value,
                         Rule& rule) const {
  Conditions& of = rule.conditions;
  const auto require_that = [&](bool condition, const std::string& otherwise) {
    if (!condition) {
      fail(key.line, quoted(key.text) + " does not apply to " + std::string(name_of(collective)) +
                         ": " + otherwise);
    }
  };
  if (key.text == "algorithm") {
    require(value, Kind::string, quoted(key.text));
    try {
      rule.choice = std::make_shared<const Choice>(parse_algorithm(collective, value.string));
    } catch (const SpellingError& wrong) {
      fail(value.line, wrong.what());
    }
  } else if (key.text == "bytes") {
    require_that(has_length(collective), "its ranks do not know the length of the whole message");
    of.bytes = range(key, value, 0, true);
  } else if (key.text == "block_bytes") {
    require_that(has_blocks(collective), "its ranks do not know the length of every block");
    of.block_bytes = range(key, value, 0, true);
  } else if (key.text == "ranks") {
    of.ranks = range(key, value, 1, false);
  } else if (key.text == "nodes") {
    of.nodes = range(key, value, 1, false);
  } else if (key.text == "ranks_per_node") {
    of.ranks_per_node = range(key, value, 1, false);
  } else if (key.text == "sites") {
    of.sites = range(key, value, 1, false);
  } else if (key.text == "power_of_two") {
    require(value, Kind::boolean, quoted(key.text));
    of.power_of_two = value.boolean;
  } else if (key.text == "operation") {
    require_that(reduces(collective), "it combines no data");
    of.operation = static_cast<Conditions::Operation>(
        one_of(key, value, {"predefined", "user_defined", "commutative", "non_commutative"}));
  } else if (key.text == "kind") {
    of.inter = one_of(key, value, {"intra", "inter"}) == 1;
    require_that(!of.inter || has_inter(collective), "it has no form for intercommunicators");
  }
}

Range ProfileReader::range(const Json::Key& key, const Json& value, std::int64_t least,
                           bool of_bytes) const {
  if (value.kind != Kind::array || value.items.size() != 2) {
    fail(value.line,
         quoted(key.text) + " must be a range, the smallest and the largest value, as in " +
             (of_bytes ? "[0, \"64K\"] or [65537, \"inf\"]" : "[2, 8] or [9, \"inf\"]"));
  }
  const auto number = [&](const Json& end) -> std::int64_t {
    if (of_bytes && end.kind == Kind::string) return bytes(key, end);
    if (end.kind == Kind::integer && end.integer >= least) return end.integer;
    fail(end.line, quoted(key.text) + ": must be a whole number that is at least " +
                       std::to_string(least) +
                       (of_bytes ? ", or one like \"64K\", \"1M\" or \"2G\"" : "") +
                       "; the largest value may be \"inf\"");
  };
  Range read;
  read.least = number(value.items[0]);
  const Json& end = value.items[1];
  if (end.kind != Kind::string || end.string != "inf") read.most = number(end);
  if (read.least > read.most) {
    fail(value.line,
         quoted(key.text) + ": the range is empty: its first value is larger than its second");
  }
  return read;
}

std::int64_t ProfileReader::bytes(const Json::Key& key, const Json& value) const {
  constexpr std::string_view units = "KMG";
  const std::string_view text = value.string;
  const char* const last = text.data() + text.size();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), last, number);
  std::string_view unit(end, static_cast<std::size_t>(last - end));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  // As tools print them: 64K, 64KB, 64 KiB.
  const std::size_t power = unit.empty() ? 0 : units.find(unit.front()) + 1;
  // npos + 1 is 0.
  const std::string_view rest = unit.substr(power > 0 ? 1 : 0);
  const bool is_unit = rest.empty() || rest == "B" || (power > 0 && rest == "iB");
  if (error != std::errc() || number < 0 || !is_unit || number > (Range::no_end >> 10 * power)) {
    fail(value.line, quoted(key.text) + ": " + quoted(text) +
                         " is not a number of bytes like 1000, \"64K\", \"1M\" or \"2G\"");
  }
  return number << 10 * power;
}

std::size_t ProfileReader::one_of(const Json::Key& key, const Json& value,
                                  std::initializer_list<std::string_view> valid) const {
  const auto* const found =
      value.kind == Kind::string ? std::ranges::find(valid, value.string) : valid.end();
  if (found == valid.end()) {
    fail(value.line, quoted(key.text) + " must be one of " + valid_for(value.string, valid));
  }
  return static_cast<std::size_t>(found - valid.begin());
}

void ProfileReader::require_sense(Collective collective, const Rule& rule,
                                  std::span<const Rule> before) const {
  const Conditions& of = rule.conditions;
  if (const std::string why = contradiction(of); !why.empty()) {
    fail(rule.line, "this rule can never match: " + why);
  }
  for (const Rule& earlier : before) {
    if (!earlier.conditions.cover(of)) continue;
    fail(rule.line, "unreachable: rule " + std::to_string(earlier.number) + " (line " +
                        std::to_string(earlier.line) + ") already matches every call");
  }
  const bool may_commute = of.operation != Conditions::Operation::non_commutative;
  const int ranks = possible_ranks(of);
  constexpr int most_placed = 4096;  // that many stand for more
  std::vector<int> halves(static_cast<std::size_t>(std::min(ranks, most_placed)));
  std::fill(halves.begin() + std::ssize(halves) / 2, halves.end(), 1);
  const Topology possible{.nodes = Partition::by(halves), .sites = Partition::by(halves)};
  if (const Restriction* never = violated(*rule.choice, {ranks, may_commute, &possible})) {
    fail(rule.line, std::string(name_of(collective)) + "=" + rule.choice->text() +
                        " can never run here: " + std::string(sentence_of(*never)));
  }
}

void ProfileReader::require(const Json& value, Kind kind, std::string_view what) const {
  if (value.kind == kind) return;
  Json wanted;
  wanted.kind = kind;
  fail(value.line, std::string(what) + " must be " + std::string(wanted.kind_name()) + ", not " +
                       std::string(value.kind_name()));
}

void ProfileReader::require_keys(const Json& object, std::string_view what,
                                 std::initializer_list<std::string_view> valid) const {
  for (const Json::Key& key : object.keys) {
    if (std::ranges::find(valid, key.text) != valid.end()) continue;
    fail(key.line, std::string(what) + " has no key " + quoted(key.text) + "; it has " +
                       valid_for(key.text, valid));
  }
}

void ProfileReader::fail(int line, const std::string& what) const {
  throw FileError(file_, line, what);
}

}  // namespace roundelay::choose
