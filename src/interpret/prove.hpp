// SPDX-License-Identifier: Apache-2.0
// prove: proves an algorithm for a number of ranks, by all cases that count.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>

#include "interpret/verify.hpp"

namespace roundelay::interpret {

// Whether results that were combined in so many different orders, in cases of p ranks together,
// were combined in an order that depends on nothing but p and, in scans, whose result it is.
[[nodiscard]] bool is_fixed(Collective collective, int p, const std::set<std::uint64_t>& orders);

struct ProofOptions {
  std::optional<int> root = std::nullopt;  // only this one
  std::stop_token stop = {};               // see verify()
};

// By all cases_of() them: the first failure, its sentence preceded by the case, or ok with rounds
// and volume of the exact length, which for the worst of the roots must be the claimed. What is
// thrown is a failure, too, but for std::invalid_argument, std::bad_alloc and Stopped. A fixed
// order is one for all shapes together.
[[nodiscard]] Proof prove(const Choice& choice, int p, const ProofOptions& options = {});
[[nodiscard]] Proof prove(const Choice& choice, const Case& shape,
                          const ProofOptions& options = {});

}  // namespace roundelay::interpret
