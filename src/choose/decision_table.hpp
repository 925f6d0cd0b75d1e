// SPDX-License-Identifier: Apache-2.0
// Finds what was decided for calls of a kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/operation_kind.hpp"
#include "choose/length_class.hpp"
#include "choose/unevenness.hpp"

namespace roundelay::choose {

// Lengths of whole messages, in bytes, that are decided alike.
struct Lengths {
  std::int64_t least = 0;
  std::int64_t most = 0;

  // The length that stands for all of them, so that every rank and every call decides alike.
  [[nodiscard]] constexpr std::int64_t middle() const noexcept {
    return least + (most - least + 1) / 2;
  }
};

// The lengths that are decided like `bytes`: a length class, cut at `boundaries`, where the rules
// of a profile change.
template <typename Boundaries>
[[nodiscard]] Lengths lengths_like(std::int64_t bytes, const Boundaries& boundaries) {
  const LengthClass whole(bytes);
  Lengths alike{whole.least(), whole.most()};
  for (const std::int64_t boundary : boundaries) {
    if (boundary <= alike.least || boundary > alike.most) continue;
    if (boundary <= bytes) {
      alike.least = boundary;
    } else {
      alike.most = boundary - 1;
    }
  }
  return alike;
}

// Does not own the decisions. Takes 2 KiB for each collective that has some: there may be thousands
// of communicators, and most calls are of a few collectives.
template <typename Decision>
class DecisionTable {
 public:
  // Null if nothing was decided yet.
  [[nodiscard]] Decision* find(Collective collective, std::int64_t bytes,
                               OperationKind kind) const noexcept {
    return (*whole_[at(collective)])[LengthClass(bytes).index()][kind.index()];
  }
  // Also where blocks are uneven, or a length class is cut.
  [[nodiscard]] Decision* find(Collective collective, std::int64_t bytes, OperationKind kind,
                               Unevenness unevenness) const noexcept {
    if (unevenness == Unevenness()) {
      if (Decision* found = find(collective, bytes, kind); found != nullptr) return found;
    }
    for (const Part& part : parts_[at(collective)]) {
      if (part.kind == kind && part.unevenness == unevenness && part.lengths.least <= bytes &&
          bytes <= part.lengths.most) {
        return part.decision;
      }
    }
    return nullptr;
  }

  void add(Collective collective, Lengths lengths, OperationKind kind, Unevenness unevenness,
           Decision& decision) {
    const LengthClass of(lengths.least);
    if (unevenness == Unevenness() && lengths.least == of.least() && lengths.most == of.most()) {
      std::unique_ptr<ByLength>& own = own_[at(collective)];
      if (own == nullptr) whole_[at(collective)] = (own = std::make_unique<ByLength>()).get();
      (*own)[of.index()][kind.index()] = &decision;
    } else {
      parts_[at(collective)].push_back({lengths, kind, unevenness, &decision});
    }
  }

 private:
  // Calls that are decided alike but do not fill a length class, or have uneven blocks.
  struct Part {
    Lengths lengths;
    OperationKind kind;
    Unevenness unevenness;
    Decision* decision;
  };
  using ByLength = std::array<std::array<Decision*, OperationKind::kinds>, LengthClass::count>;

  static constexpr std::size_t at(Collective collective) noexcept {
    return static_cast<std::size_t>(collective);
  }

  static constexpr ByLength nothing{};
  static constexpr auto nothing_yet() noexcept {
    std::array<const ByLength*, collectives.size()> whole{};
    whole.fill(&nothing);
    return whole;
  }

  std::array<const ByLength*, collectives.size()> whole_ = nothing_yet();
  std::array<std::unique_ptr<ByLength>, collectives.size()> own_;
  std::array<std::vector<Part>, collectives.size()> parts_;
};

}  // namespace roundelay::choose
