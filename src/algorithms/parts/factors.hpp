// SPDX-License-Identifier: Apache-2.0
// Recursive multiplying: groups of ranks grow by a factor in every round, not always by two.
#pragma once

#include <array>
#include <cstddef>

#include "algorithms/parts/radix.hpp"

namespace roundelay {

// The greatest product of factors from 2 to `radix` that is no more than p, of as few factors as it
// can be. Powers of two are such products: so it is more than p / 2, and the ranks beyond it fold
// into pairs. Where p <= radix, it is p itself.
//
//   p = 13:   radix 2: 8 = 2 2 2   radix 3: 12 = 3 2 2   radix 4: 12 = 3 4   radix 13: 13
class Factors {
 public:
  constexpr Factors(int p, int radix) noexcept {
    if (p <= radix) {
      if (p > 1) append(p);
      return;
    }
    for (int factor = radix; factor > 1; --factor) {
      Factors other(p / factor, radix);
      other.append(factor);
      if (other.product_ > product_ || (other.product_ == product_ && other.count_ < count_)) {
        *this = other;
      }
    }
  }

  [[nodiscard]] constexpr int product() const noexcept { return product_; }
  [[nodiscard]] constexpr const int* begin() const noexcept { return factors_.data(); }
  [[nodiscard]] constexpr const int* end() const noexcept { return begin() + count_; }
  [[nodiscard]] constexpr int rounds() const noexcept { return count_; }
  // With whom a rank talks in all rounds: all others of its group in each.
  [[nodiscard]] constexpr int partners() const noexcept {
    int all = 0;
    for (const int factor : *this) all += factor - 1;
    return all;
  }

 private:
  constexpr void append(int factor) noexcept {
    factors_[static_cast<std::size_t>(count_++)] = factor;
    product_ *= factor;
  }

  std::array<int, 31> factors_{};
  int count_ = 0;
  int product_ = 1;
};

// What multiplying by factors takes, in rounds and messages.
struct FactorFormulas {
  explicit FactorFormulas(int radix)
      : rounds(of_radix(radix, floor_log2(p()), "factors",
                        [](int p, int k) { return Factors(p, k).rounds(); })),
        partners(of_radix(radix, floor_log2(p()), "partners",
                          [](int p, int k) { return Factors(p, k).partners(); })),
        folded(of_radix(radix, if_power_of_two(Formula(0), Formula(1)), "folded",
                        [](int p, int k) { return Factors(p, k).product() < p ? 1 : 0; })),
        most_partners(radix == 2 ? if_many(Formula(1)) : min(radix, p()) - 1) {}

  Formula rounds;
  Formula partners;
  Formula folded;         // 1 where ranks are folded
  Formula most_partners;  // in one round
};

}  // namespace roundelay
