// SPDX-License-Identifier: Apache-2.0
// Memory for a call: kept by each thread from call to call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace roundelay::mpi {

class Scratch {
 public:
  // At least `bytes`, aligned to 64, contents undefined. What was got before since the last reset
  // stays where it is. Throws std::bad_alloc.
  std::byte* get(std::int64_t bytes);
  // Whether anything was got since the last reset.
  [[nodiscard]] bool in_use() const noexcept { return in_use_ > 0; }
  // The call is over: everything is free again; very large memory goes back to the system.
  void reset() noexcept;

  // The most that any thread of this process ever held at once, in bytes.
  [[nodiscard]] static std::int64_t high_water() noexcept;

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  struct Piece {
    std::unique_ptr<std::byte, Free> memory;
    std::int64_t size = 0;
    std::int64_t used = 0;
    std::unique_ptr<Piece> previous;
  };

  std::unique_ptr<Piece> newest_;
  std::int64_t in_use_ = 0;
};

}  // namespace roundelay::mpi
