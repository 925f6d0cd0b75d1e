// SPDX-License-Identifier: Apache-2.0
// What a decision may depend on of an operation that combines data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roundelay {

// The default is the most frequent kind: commutative (operands may be exchanged) and one of MPI's
// own.
class OperationKind {
 public:
  constexpr OperationKind() noexcept = default;
  constexpr OperationKind(bool commutative, bool predefined) noexcept
      : bits_(static_cast<std::uint8_t>((commutative ? 1U : 0U) | (predefined ? 2U : 0U))) {}

  [[nodiscard]] constexpr bool commutative() const noexcept { return (bits_ & 1U) != 0; }
  [[nodiscard]] constexpr bool predefined() const noexcept { return (bits_ & 2U) != 0; }
  // A number below `kinds`.
  [[nodiscard]] constexpr std::size_t index() const noexcept { return bits_; }
  static constexpr std::size_t kinds = 4;

  friend constexpr bool operator==(OperationKind, OperationKind) noexcept = default;

 private:
  std::uint8_t bits_ = 3;
};

}  // namespace roundelay
