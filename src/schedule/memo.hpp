// SPDX-License-Identifier: Apache-2.0
// What schedules have computed and may want again, kept from call to call.
#pragma once

#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace roundelay {

// One object of each type that a schedule asks for, made when it is asked for first. Not for
// several threads at once.
class Memo {
 public:
  template <typename Kept>
  [[nodiscard]] Kept& of() {
    for (const auto& [type, kept] : kept_) {
      if (type == typeid(Kept)) return *static_cast<Kept*>(kept.get());
    }
    auto made = std::make_shared<Kept>();
    Kept& kept = *made;
    kept_.emplace_back(typeid(Kept), std::move(made));
    return kept;
  }

 private:
  // A shared pointer, as it knows how to end what it holds.
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> kept_;
};

}  // namespace roundelay
