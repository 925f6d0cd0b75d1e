// SPDX-License-Identifier: Apache-2.0
#include "preload/saving.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "mpi/library.hpp"
#include "preload/json.hpp"
#include "preload/summary.hpp"
#include "preload/version.hpp"

namespace roundelay::preload {

namespace {

void range(JsonWriter& json, const char* key, std::int64_t least, std::int64_t most) {
  json.Key(key);
  json.StartArray();
  put(json, least);
  put(json, most);
  json.EndArray();
}

// The narrower condition comes first, as a profile asks for.
int order_of_operation(const Learned& of) {
  if (!of.commutative) return 2;
  return of.predefined ? 0 : 1;
}
const char* operation(const Learned& of) {
  constexpr std::array names{"predefined", "commutative", "non_commutative"};
  return names.at(static_cast<std::size_t>(order_of_operation(of)));
}

auto circumstances(const Learned& of) {
  return std::tuple(of.collective, of.ranks, of.nodes, of.ranks_per_node,
                    reduces(of.collective) ? order_of_operation(of) : 0);
}

// One for each range of lengths: on communicators that are alike, what most time depends on.
std::vector<Learned> rules(std::vector<Learned> learned) {
  std::erase_if(learned, [](const Learned& of) {
    return !of.even || (of.collective != Collective::barrier && !length_is_shared(of.collective));
  });
  std::ranges::sort(learned, [](const Learned& a, const Learned& b) {
    return std::tuple(circumstances(a), a.least_bytes, -a.seconds) <
           std::tuple(circumstances(b), b.least_bytes, -b.seconds);
  });
  std::vector<Learned> kept;
  for (const Learned& of : learned) {
    const bool follows = !kept.empty() && circumstances(kept.back()) == circumstances(of);
    if (follows && of.least_bytes <= kept.back().most_bytes) continue;
    if (follows && of.algorithm == kept.back().algorithm &&
        of.least_bytes == kept.back().most_bytes + 1) {
      kept.back().most_bytes = of.most_bytes;
    } else {
      kept.push_back(of);
    }
  }
  return kept;
}

std::string as_json(const Learned& of) {
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  put(json, "algorithm", of.algorithm);
  if (of.collective != Collective::barrier) range(json, "bytes", of.least_bytes, of.most_bytes);
  range(json, "ranks", of.ranks, of.ranks);
  if (of.nodes > 0) range(json, "nodes", of.nodes, of.nodes);
  if (of.ranks_per_node > 0) {
    range(json, "ranks_per_node", of.ranks_per_node, of.ranks_per_node);
  }
  if (reduces(of.collective)) put(json, "operation", operation(of));
  json.EndObject();
  return text.GetString();
}

std::string provenance() {
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  put(json, "written_by", "ROUNDELAY_SAVE of roundelay " + std::string(version));
  put(json, "mpi", mpi::library_name());
  json.EndObject();
  return text.GetString();
}

}  // namespace

// A rule a line, for a person to edit.
std::string as_profile(std::vector<Learned> learned) {
  const std::vector<Learned> all = rules(std::move(learned));
  if (all.empty()) return {};
  std::string text =
      "{\n  \"version\": 1,\n  \"name\": \"learned\",\n  \"provenance\": " + provenance() +
      ",\n  \"collectives\": {";
  const Learned* before = nullptr;
  for (const Learned& of : all) {
    if (before == nullptr || before->collective != of.collective) {
      if (before != nullptr) text += "\n    ],";
      text += "\n    \"" + std::string(name_of(of.collective)) + "\": [";
    } else {
      text += ',';
    }
    text += "\n      " + as_json(of);
    before = &of;
  }
  return text + "\n    ]\n  }\n}\n";
}

}  // namespace roundelay::preload
