// SPDX-License-Identifier: Apache-2.0
#include "shared/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "shared/nonce.hpp"
#include "shared/reading.hpp"

namespace roundelay::shared {

namespace {

// Writing beyond this limit ends the process, unless it ignores a signal.
bool file_may_have(std::size_t bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

std::string name_of(std::uint64_t nonce) { return "/roundelay-" + std::to_string(nonce); }

}  // namespace

Segment::Segment(Layout layout, int file, std::uint64_t nonce)
    : layout_(layout), file_(file), nonce_(nonce), signature_(std::make_unique<std::uint64_t>()) {
  struct stat status{};
  if (file_ < 0 || fstat(file_, &status) != 0 ||
      status.st_size != static_cast<off_t>(layout_.bytes())) {
    return;
  }
  void* const memory = mmap(nullptr, layout_.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory != MAP_FAILED) base_ = static_cast<std::byte*>(memory);
}

Segment Segment::make(Layout layout, Way way) {
  const std::uint64_t nonce = new_nonce();
  int file = -1;
  std::string name;
  if (file_may_have(layout.bytes())) {
    if (way == Way::number) {
      file = memfd_create("roundelay", MFD_CLOEXEC);
    } else {
      name = name_of(nonce);
      file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
      if (file < 0) name.clear();
    }
    // A file that is too short is noticed when it is mapped.
    if (file >= 0) (void)!ftruncate(file, static_cast<off_t>(layout.bytes()));
  }
  Segment made(layout, file, nonce);
  made.name_ = std::move(name);
  return made;
}

Segment Segment::open(const Origin& origin, Layout layout, Way way) {
  int file = -1;
  if (origin.file >= 0 && file_may_have(layout.bytes())) {
    if (way == Way::number) {
      const std::string path =
          "/proc/" + std::to_string(origin.process) + "/fd/" + std::to_string(origin.file);
      file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    } else {
      file = shm_open(name_of(origin.nonce).c_str(), O_RDWR, 0);
    }
  }
  return {layout, file, origin.nonce};
}

Segment::~Segment() {
  close_file();
  if (base_ != nullptr) munmap(base_, layout_.bytes());
}

Origin Segment::origin() const noexcept {
  return {.process = getpid(), .file = usable() ? file_ : -1, .nonce = nonce_};
}

bool Segment::take_area(int rank) noexcept {
  if (!usable()) return false;
  const std::size_t bytes = layout_.area_bytes();
  const auto first = static_cast<off_t>(static_cast<std::size_t>(rank) * bytes);
  while (fallocate(file_, 0, first, static_cast<off_t>(bytes)) != 0) {
    if (errno != EINTR) return false;  // tmpfs gives up for any signal
  }
  Bell& bell = view().bell(rank);
  *signature_ = signature_of(rank);
  bell.nonce = *signature_;
  bell.process = getpid();
  bell.nonce_address = reinterpret_cast<std::uintptr_t>(signature_.get());
  return true;
}

bool Segment::signed_by(int rank) const noexcept {
  return view().bell(rank).nonce == signature_of(rank);
}

bool Segment::all_signed() const noexcept {
  for (int rank = 0; rank < layout_.ranks(); ++rank) {
    if (!signed_by(rank)) return false;
  }
  return true;
}

bool Segment::may_read_from(int rank) const noexcept {
  const Bell& bell = view().bell(rank);
  std::uint64_t found = 0;
  return read_from(static_cast<pid_t>(bell.process), bell.nonce_address,
                   std::as_writable_bytes(std::span(&found, 1))) &&
         found == signature_of(rank);
}

void Segment::close_file() noexcept {
  if (const int file = std::exchange(file_, -1); file >= 0) close(file);
  if (!name_.empty()) shm_unlink(name_.c_str());
  name_.clear();
}

}  // namespace roundelay::shared
