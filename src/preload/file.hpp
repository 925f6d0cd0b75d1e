// SPDX-License-Identifier: Apache-2.0
// Writing a file.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>

namespace roundelay::preload {

// Replaces what the file holds, or appends to it.
enum class WriteMode : int { replace = O_TRUNC, append = O_APPEND };

// The program may have limited its files, with a signal that ends it at the limit: while there is
// one of these, that is an error of write().
class NoSignalAtTheLimit {
 public:
  NoSignalAtTheLimit() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  NoSignalAtTheLimit(const NoSignalAtTheLimit&) = delete;
  NoSignalAtTheLimit& operator=(const NoSignalAtTheLimit&) = delete;
  ~NoSignalAtTheLimit() {
    if (sigismember(&before_, SIGXFSZ) != 0) return;
    const timespec at_once{};
    sigtimedwait(&signal_, nullptr, &at_once);  // it may wait to be delivered
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_;
  sigset_t before_;
};

// Whether all of the text was written; if not, errno says why. The text is one write, so that
// texts that several processes append at once do not mix.
[[nodiscard]] inline bool write_file(const std::string& path, WriteMode mode,
                                     std::string_view text) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | static_cast<int>(mode), 0666);
  if (file < 0) return false;
  int why = 0;
  {
    const NoSignalAtTheLimit guard;
    while (!text.empty()) {
      const ssize_t written = write(file, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) break;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    why = errno;
  }
  const bool closed = close(file) == 0;
  if (!text.empty()) errno = why;
  return closed && text.empty();
}

}  // namespace roundelay::preload
