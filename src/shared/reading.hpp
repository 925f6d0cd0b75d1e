// SPDX-License-Identifier: Apache-2.0
// Reading messages in the memory of another process.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "shared/layout.hpp"
#include "shared/message.hpp"

namespace roundelay::shared {

// Whether all of it could be read: from the address `where` in that process.
[[nodiscard]] inline bool read_from(pid_t process, std::uint64_t where,
                                    std::span<std::byte> into) noexcept {
  while (!into.empty()) {
    const iovec here{into.data(), into.size()};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is nothing to point to in this process
    const iovec there{reinterpret_cast<void*>(where), into.size()};
    const ssize_t bytes = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (bytes <= 0) return false;
    where += static_cast<std::uint64_t>(bytes);
    into = into.subspan(static_cast<std::size_t>(bytes));
  }
  return true;
}

// Gives a message what is elsewhere.
class Reader {
 public:
  // How many bytes of the piece, which is in that process, it has got. Throws std::bad_alloc.
  std::size_t read(pid_t process, Elsewhere piece, Message& message);

 private:
  std::unique_ptr<std::byte[]> bounce_;  // for what does not stay where it can be read to
};

}  // namespace roundelay::shared
