// SPDX-License-Identifier: Apache-2.0
// Recursive multiplying: groups of ranks grow by a factor in every round, not always by two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "algorithms/parts/radix.hpp"
#include "schedule/per_thread.hpp"

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
      if (product_ == p && are_fewest(p, radix)) return;  // nothing is better
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

  // Whether the product of one factor less is less than p.
  [[nodiscard]] constexpr bool are_fewest(int p, int radix) const noexcept {
    std::int64_t most = 1;
    for (int i = 1; i < count_ && most < p; ++i) most *= radix;
    return most < p;
  }

  std::array<int, 31> factors_{};
  int count_ = 0;
  int product_ = 1;
};

// The same, kept until this thread asks for others: the schedules of all ranks ask for the same.
inline Factors factors_of(int p, int radix) {
  struct Last {
    int p = 1;
    int radix = 2;
    Factors factors{1, 2};
  };
  Last& last = per_thread<Last>();
  if (last.p != p || last.radix != radix) last = {p, radix, Factors(p, radix)};
  return last.factors;
}

// What multiplying by factors takes, in rounds and messages.
struct FactorFormulas {
  explicit FactorFormulas(int radix)
      : rounds(of_radix(radix, floor_log2(p()), "factors",
                        [](int p, int k) { return factors_of(p, k).rounds(); })),
        partners(of_radix(radix, floor_log2(p()), "partners",
                          [](int p, int k) { return factors_of(p, k).partners(); })),
        folded(of_radix(radix, if_power_of_two(Formula(0), Formula(1)), "folded",
                        [](int p, int k) { return factors_of(p, k).product() < p ? 1 : 0; })),
        most_partners(radix == 2 ? if_many(Formula(1)) : min(radix, p()) - 1) {}

  Formula rounds;
  Formula partners;
  Formula folded;         // 1 where ranks are folded
  Formula most_partners;  // in one round
};

}  // namespace roundelay
