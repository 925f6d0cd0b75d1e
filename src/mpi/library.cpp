// SPDX-License-Identifier: Apache-2.0
#include "mpi/library.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace roundelay::mpi {

namespace {

#if ROUNDELAY_OPEN_MPI
constexpr const char* own_kind = "Open MPI";
constexpr std::array<std::string_view, 3> other_kinds{"MPICH", "MVAPICH", "Intel(R) MPI"};
#elif ROUNDELAY_MPICH
constexpr const char* own_kind = "MPICH";
constexpr std::array<std::string_view, 1> other_kinds{"Open MPI"};
#else  // the standard ABI, which is the same for all, and SMPI
constexpr const char* own_kind = "";
constexpr std::array<std::string_view, 0> other_kinds{};
#endif

bool is_own_library(const std::string& name) {
  return std::ranges::none_of(other_kinds,
                              [&](std::string_view kind) { return name.starts_with(kind); });
}

}  // namespace

std::string library_name() {
  constexpr std::size_t longest = 8192;  // MPICH's, which Open MPI's limit does not allow for
  std::array<char, std::max<std::size_t>(longest, MPI_MAX_LIBRARY_VERSION_STRING)> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  // "Open MPI v4.1.4, package: .."; "MPICH Version:<tab>4.0.2<newline>.."
  std::string all(text.data());
  all = all.substr(0, all.find_first_of(",\n"));
  if (const auto label = all.find(" Version:"); label != std::string::npos) {
    all.replace(label, all.find_last_of(" \t") + 1 - label, " ");
  }
  return all;
}

bool is_own_library() { return is_own_library(library_name()); }

void require_own_library() {
  const std::string name = library_name();
  if (is_own_library(name)) return;
  std::fprintf(stderr,
               "roundelay: error: the library that was loaded is for %s, but the program runs %s; "
               "`roundelay doctor` lists the builds\n",
               own_kind, name.c_str());
  std::_Exit(1);  // MPI_Abort would not know this library's MPI_COMM_WORLD
}

}  // namespace roundelay::mpi
