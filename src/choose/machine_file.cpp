// SPDX-License-Identifier: Apache-2.0
#include "choose/machine_file.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "choose/listed.hpp"
#include "choose/text_file.hpp"

namespace roundelay::choose {

namespace {

using Kind = Json::Kind;

struct Number {
  std::string_view key;
  double Machine::* value;
  double least;
  bool more = false;  // it must be more than the least
};
struct Flag {
  std::string_view key;
  bool Machine::* value;
};

constexpr std::array network{
    Number{"startup", &Machine::alpha, 0, true}, Number{"gap", &Machine::gap, 0},
    Number{"byte", &Machine::beta, 0, true},     Number{"crowding", &Machine::crowding, 1},
    Number{"drift", &Machine::drift, 1},         Number{"absorbed", &Machine::absorbed, 0},
    Number{"queueing", &Machine::queueing, 1},   Number{"pairing", &Machine::pairing, 1},
    Number{"crossing", &Machine::crossing, 0},   Number{"handshake", &Machine::handshake, -1},
    Number{"sharing", &Machine::sharing, 1},     Number{"hop", &Machine::hop, 0}};
constexpr std::array memory{
    Number{"startup", &Machine::alpha, 0, true},
    Number{"oversubscribed_startup", &Machine::oversubscribed_alpha, 0, true},
    Number{"gap", &Machine::gap, 0}, Number{"byte", &Machine::beta, 0, true}};
constexpr std::array node{
    Number{"combined_byte", &Machine::gamma, 0}, Number{"near_startup", &Machine::near_alpha, 0},
    Number{"near_byte", &Machine::near_beta, 0}, Number{"time_slice", &Machine::time_slice, 0}};
constexpr std::array mpi{Flag{"shares_cores", &Machine::native_shares_cores},
                         Flag{"floods", &Machine::native_floods},
                         Flag{"scatters", &Machine::native_scatters},
                         Flag{"leads_when_short", &Machine::native_leads_when_short},
                         Flag{"short_pipelines", &Machine::short_pipelines}};

// `others` are keys that are not among these.
template <typename Known>
const Known& known(std::span<const Known> all, const Json::Key& key, std::string_view part,
                   const std::string& file, std::span<const std::string_view> others = {}) {
  const auto found = std::ranges::find(all, key.text, &Known::key);
  if (found != all.end()) return *found;
  std::vector<std::string_view> names;
  for (const Known& one : all) names.push_back(one.key);
  names.insert(names.end(), others.begin(), others.end());
  throw FileError(file, key.line,
                  "\"" + std::string(part) + "\" has no key \"" + key.text + "\"; it has " +
                      valid_for(key.text, names));
}

std::optional<double> number(const Json& value) {
  if (value.kind == Kind::integer) return static_cast<double>(value.integer);
  if (value.kind == Kind::fraction) return value.fraction;
  return std::nullopt;
}

// With larger numbers times may become infinite.
void require_finite_times(double value, std::string_view key, const Json& at,
                          const std::string& file) {
  if (value <= 1e18) return;
  throw FileError(file, at.line, "\"" + std::string(key) + "\" must be at most 1e18");
}

double number(const Json& value, const Number& one, const std::string& file) {
  const std::optional<double> read = number(value);
  if (read && (one.more ? *read > one.least : *read >= one.least)) {
    require_finite_times(*read, one.key, value, file);
    return *read;
  }
  throw FileError(file, value.line,
                  "\"" + std::string(one.key) + "\" must be a number that is " +
                      (one.more ? "more than " : "at least ") +
                      std::to_string(static_cast<int>(one.least)));
}

void require_object(const Json& value, std::string_view what, const std::string& file) {
  if (value.kind == Kind::object) return;
  throw FileError(file, value.line,
                  std::string(what) + " must be an object, not " + std::string(value.kind_name()));
}

}  // namespace

MachineFile MachineFile::load(const std::string& path) { return parse(content_of(path), path); }

MachineFile MachineFile::parse(std::string text, const std::string& file) {
  MachineFile read;
  read.file_ = file;
  read.text_ = std::move(text);
  const Json document = parse_json(read.text_, file);
  require_object(document, "a machine file", file);
  constexpr std::array keys{std::string_view("version"), std::string_view("description"),
                            std::string_view("network"), std::string_view("memory"),
                            std::string_view("node"),    std::string_view("mpi")};
  bool has_version = false;
  for (std::size_t i = 0; i < document.keys.size(); ++i) {
    const Json::Key& key = document.keys[i];
    const Json& value = document.items[i];
    if (key.text == "version") {
      has_version = value.kind == Kind::integer && value.integer == 1;
      if (!has_version) throw FileError(file, value.line, "\"version\" must be 1");
    } else if (std::ranges::find(keys, key.text) == keys.end()) {
      throw FileError(
          file, key.line,
          "a machine file has no key \"" + key.text + "\"; it has " + valid_for(key.text, keys));
    } else if (key.text != "description") {
      require_object(value, "\"" + key.text + "\"", file);
      read.read_part(key.text, value);
    }
  }
  if (!has_version) throw FileError(file, 1, "\"version\" is missing; it must be 1");
  return read;
}

void MachineFile::read_taper(const Json& factors) {
  const auto refuse = [&](int line) {
    throw FileError(file_, line,
                    "\"taper\" must be an array of factors that are at least 1, for nodes 2, 4, 8 "
                    "and so on further on, such as [1, 2, 2]");
  };
  if (factors.kind != Kind::array) refuse(factors.line);
  taper_.emplace();
  for (const Json& factor : factors.items) {
    const std::optional<double> read = number(factor);
    if (!read || *read < 1) refuse(factor.line);
    require_finite_times(*read, "taper", factor, file_);
    taper_->push_back(*read);
  }
}

void MachineFile::read_torus(const Json& lengths) {
  constexpr std::int64_t longest = 1 << 20;
  const auto refuse = [&](int line) {
    throw FileError(
        file_, line,
        "\"torus\" must be an array of the lengths of its dimensions, such as [8, 8, 4]");
  };
  if (lengths.kind != Kind::array || lengths.items.empty()) refuse(lengths.line);
  torus_.emplace();
  std::int64_t places = 1;
  for (const Json& length : lengths.items) {
    if (length.kind != Kind::integer || length.integer < 1 || length.integer > longest) {
      refuse(length.line);
    }
    places *= length.integer;
    if (places > longest)
      throw FileError(file_, length.line, "\"torus\" has more than a million nodes");
    torus_->push_back(static_cast<int>(length.integer));
  }
}

void MachineFile::read_part(std::string_view part, const Json& object) {
  struct List {
    std::string_view key;
    void (MachineFile::*read)(const Json&);
  };
  constexpr std::array of_network{List{"taper", &MachineFile::read_taper},
                                  List{"torus", &MachineFile::read_torus}};
  const auto lists = std::span(of_network).first(part == "network" ? of_network.size() : 0);
  std::vector<std::string_view> names_of_lists;
  for (const List& list : lists) names_of_lists.push_back(list.key);
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    const Json::Key& key = object.keys[i];
    const Json& value = object.items[i];
    if (part == "mpi") {
      const Flag& flag = known<Flag>(mpi, key, part, file_);
      if (value.kind != Kind::boolean) {
        throw FileError(file_, value.line, "\"" + key.text + "\" must be true or false");
      }
      mpi_.emplace_back(flag.value, value.boolean);
      continue;
    }
    if (const auto list = std::ranges::find(lists, key.text, &List::key); list != lists.end()) {
      (this->*list->read)(value);
      continue;
    }
    const std::span<const Number> numbers = part == "network"  ? std::span<const Number>(network)
                                            : part == "memory" ? std::span<const Number>(memory)
                                                               : std::span<const Number>(node);
    Numbers& into = part == "network" ? network_ : part == "memory" ? memory_ : everywhere_;
    const Number& one = known<Number>(numbers, key, part, file_, names_of_lists);
    into.emplace_back(one.value, number(value, one, file_));
  }
}

bool MachineFile::knows_network() const noexcept {
  const auto says = [&](double Machine::* value) {
    return std::ranges::any_of(network_, [&](const auto& one) { return one.first == value; });
  };
  return says(&Machine::alpha) && says(&Machine::beta);
}

std::optional<double> MachineFile::startup() const noexcept {
  const auto said =
      std::ranges::find(network_, &Machine::alpha, &std::pair<double Machine::*, double>::first);
  return said != network_.end() ? std::optional(said->second) : std::nullopt;
}

void MachineFile::apply_between_nodes(Machine& machine) const {
  for (const auto& [value, number] : everywhere_) machine.*value = number;
  for (const auto& [flag, is] : mpi_) machine.*flag = is;
  for (const auto& [value, number] : network_) {
    machine.*value = number;
    if (value == &Machine::alpha) machine.oversubscribed_alpha = number;
  }
  if (taper_) machine.taper = *taper_;
  if (torus_) machine.torus = *torus_;
}

void MachineFile::apply_in_memory(Machine& machine) const {
  for (const auto& [value, number] : everywhere_) machine.*value = number;
  for (const auto& [flag, is] : mpi_) machine.*flag = is;
  for (const auto& [value, number] : memory_) machine.*value = number;
}

}  // namespace roundelay::choose
