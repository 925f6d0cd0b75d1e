// SPDX-License-Identifier: Apache-2.0
#include "preload/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

namespace roundelay::preload {

namespace {

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

int open_to_write(const std::string& path, int how) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);
}

// Also closes the file.
bool write_all(int file, std::string_view text) {
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

bool write_directly(const std::string& path, int how, std::string_view text) {
  const int file = open_to_write(path, how);
  return file >= 0 && write_all(file, text);
}

// Beside the file, so that it can take its place.
std::string draft_of(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  return path.substr(0, name) + '.' + path.substr(name) + '.' + std::to_string(getpid());
}

}  // namespace

bool append_to_file(const std::string& path, std::string_view text) {
  return write_directly(path, O_APPEND, text);
}

bool replace_file(const std::string& path, std::string_view text) {
  struct stat before{};
  const bool is_there = lstat(path.c_str(), &before) == 0;
  if (is_there && (!S_ISREG(before.st_mode) || access(path.c_str(), W_OK) != 0)) {
    return write_directly(path, O_TRUNC, text);
  }
  const std::string draft = draft_of(path);
  const int file = open_to_write(draft, O_TRUNC);
  if (file < 0) return write_directly(path, O_TRUNC, text);
  if (is_there) static_cast<void>(fchmod(file, before.st_mode & 07777U));
  if (write_all(file, text) && std::rename(draft.c_str(), path.c_str()) == 0) return true;
  const int why = errno;
  unlink(draft.c_str());
  errno = why;
  return false;
}

}  // namespace roundelay::preload
