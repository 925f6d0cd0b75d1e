// SPDX-License-Identifier: Apache-2.0
// Writing a file.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

namespace roundelay::preload {

// Replaces what the file holds, or appends to it.
enum class WriteMode : int { replace = O_TRUNC, append = O_APPEND };

// Whether all of the text was written; if not, errno says why. The text is one write, so that
// texts that several processes append at once do not mix.
[[nodiscard]] inline bool write_file(const std::string& path, WriteMode mode,
                                     std::string_view text) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | static_cast<int>(mode), 0666);
  if (file < 0) return false;
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  const int why = errno;
  const bool closed = close(file) == 0;
  if (!text.empty()) errno = why;
  return closed && text.empty();
}

}  // namespace roundelay::preload
