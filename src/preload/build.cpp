// SPDX-License-Identifier: Apache-2.0
#include "preload/build.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace roundelay::preload {

namespace {

constexpr std::size_t aligned(std::size_t size) { return (size + 3) / 4 * 4; }

// The bytes of the note that holds the identity; empty if it is not among these notes.
std::string_view identity_in(std::string_view notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t content = sizeof head + aligned(head.n_namesz);
    const std::size_t end = content + aligned(head.n_descsz);
    if (end > notes.size()) break;
    const std::string_view name = notes.substr(sizeof head, head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU\0", 4)) {
      return notes.substr(content, head.n_descsz);
    }
    notes.remove_prefix(end);
  }
  return {};
}

struct Search {
  std::uintptr_t address;  // in the object that is searched for
  std::string_view identity;
};

int visit(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool contains = false;
  std::string_view identity;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) & part = object->dlpi_phdr[i];
    const std::uintptr_t start = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && search.address - start < part.p_memsz) contains = true;
    if (part.p_type == PT_NOTE && identity.empty()) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as integers
      const auto* const notes = reinterpret_cast<const char*>(start);
      identity = identity_in({notes, part.p_memsz});
    }
  }
  if (!contains) return 0;
  search.identity = identity;
  return 1;
}

std::string find_text() {
  constexpr std::string_view digits = "0123456789abcdef";
  Search search{reinterpret_cast<std::uintptr_t>(&visit), {}};
  dl_iterate_phdr(visit, &search);
  if (search.identity.empty()) return "unknown";
  std::string text;
  for (const char character : search.identity) {
    const auto byte = static_cast<unsigned char>(character);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace

const std::string& build_text() {
  static const auto* const text = new std::string(find_text());
  return *text;
}

}  // namespace roundelay::preload
