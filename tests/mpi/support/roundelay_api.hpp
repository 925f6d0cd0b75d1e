// SPDX-License-Identifier: Apache-2.0
// roundelay_force and roundelay_last of the preloaded library, if one is preloaded: the same binary
// also runs without it.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>

namespace test {

class Roundelay {
 public:
  [[nodiscard]] bool present() const { return force_ != nullptr && last_ != nullptr; }

  // False if the library refuses.
  [[nodiscard]] bool force(const std::string& text) const {
    return !present() || force_(text.c_str()) == 0;
  }
  [[nodiscard]] std::string error() const { return error_ != nullptr ? error_() : ""; }
  void force_or_end(const std::string& text) const {
    if (force(text)) return;
    std::fprintf(stderr, "FAILED: cannot force '%s': %s\n", text.c_str(), error().c_str());
    // Launchers drop what they have not yet passed on.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  // What the last collective ran, e.g. "allgather.bruck: forced".
  [[nodiscard]] std::string last() const {
    std::array<char, 512> text{};
    if (present()) last_(text.data(), text.size());
    return text.data();
  }

 private:
  template <typename Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }

  int (*force_)(const char*) = find<int (*)(const char*)>("roundelay_force");
  const char* (*error_)() = find<const char* (*)()>("roundelay_error");
  std::size_t (*last_)(char*,
                       std::size_t) = find<std::size_t (*)(char*, std::size_t)>("roundelay_last");
};

}  // namespace test
