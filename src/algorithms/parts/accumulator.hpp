// SPDX-License-Identifier: Apache-2.0
// What a rank on a tree combines: one partial result after the other, each with its own.
#pragma once

#include "schedule/slice.hpp"

namespace roundelay {

// A combination lands where the higher operand is, so two buffers change places and nothing need be
// copied. `odd`: whether the root combines an odd number of times; it begins with the one that
// makes it end in `data`.
class Accumulator {
 public:
  Accumulator(Slice input, Slice data, Slice scratch, bool odd) noexcept
      : data_(data),
        spare_(scratch.part(0, input.length())),
        mine_(input),
        theirs_(odd && input != data ? data : spare_) {}

  [[nodiscard]] Slice mine() const noexcept { return mine_; }
  // Where what is to be combined next arrives.
  [[nodiscard]] Slice theirs() const noexcept { return theirs_; }
  void combined() noexcept {
    mine_ = theirs_;
    theirs_ = mine_ == data_ ? spare_ : data_;
  }

 private:
  Slice data_;
  Slice spare_;
  Slice mine_;
  Slice theirs_;
};

}  // namespace roundelay
