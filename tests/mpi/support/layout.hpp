// SPDX-License-Identifier: Apache-2.0
// Layouts: MPI datatypes whose type map the test knows, so that it can read and write their items
// without MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace test {

// One basic element of a type map.
struct Place {
  MPI_Aint offset;
  std::size_t size;
};

// `count` elements of `type` make one item, and the next item begins `extent` bytes further.
struct Layout {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 1;
  std::vector<Place> map;
  MPI_Aint extent = 0;

  [[nodiscard]] std::size_t size() const {
    std::size_t bytes = 0;
    for (const Place& place : map) bytes += place.size;
    return bytes;
  }
  // The lowest byte of an item, relative to its address.
  [[nodiscard]] MPI_Aint lowest() const {
    MPI_Aint least = 0;
    for (const Place& place : map) least = place.offset < least ? place.offset : least;
    return least;
  }
  // One past the highest byte of an item.
  [[nodiscard]] MPI_Aint highest() const {
    MPI_Aint most = 0;
    for (const Place& place : map) {
      const MPI_Aint end = place.offset + static_cast<MPI_Aint>(place.size);
      most = end > most ? end : most;
    }
    return most;
  }
};

inline Layout basic(std::string name, MPI_Datatype type, std::size_t size) {
  return {std::move(name), type, 1, {{0, size}}, static_cast<MPI_Aint>(size)};
}

// A committed type with these basic elements at these offsets, resized to [lb, lb + extent).
inline Layout built(std::string name, const std::vector<MPI_Datatype>& types,
                    const std::vector<MPI_Aint>& offsets, MPI_Aint lb, MPI_Aint extent) {
  const int n = static_cast<int>(types.size());
  const std::vector<int> ones(types.size(), 1);
  MPI_Datatype bare = MPI_DATATYPE_NULL;
  MPI_Datatype resized = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(n, ones.data(), offsets.data(), types.data(), &bare);
  MPI_Type_create_resized(bare, lb, extent, &resized);
  MPI_Type_free(&bare);
  MPI_Type_commit(&resized);
  Layout layout{std::move(name), resized, 1, {}, extent};
  for (std::size_t i = 0; i < types.size(); ++i) {
    int size = 0;
    MPI_Type_size(types[i], &size);
    layout.map.push_back({offsets[i], static_cast<std::size_t>(size)});
  }
  return layout;
}

inline Layout vector_of_two(std::string name) {
  Layout layout{std::move(name), MPI_DATATYPE_NULL, 1, {{0, 4}, {12, 4}}, 16};
  MPI_Type_vector(2, 1, 3, MPI_INT, &layout.type);
  MPI_Type_commit(&layout.type);
  return layout;
}

inline Layout contiguous_two(std::string name) {
  Layout layout{std::move(name), MPI_DATATYPE_NULL, 1, {{0, 4}, {4, 4}}, 8};
  MPI_Type_contiguous(2, MPI_INT, &layout.type);
  MPI_Type_commit(&layout.type);
  return layout;
}

// All that the matrix uses. Members of a family have one signature: ranks may mix them.
struct Layouts {
  Layout int_ = basic("int", MPI_INT, sizeof(int));
  Layout double_ = basic("double", MPI_DOUBLE, sizeof(double));
  Layout contiguous = contiguous_two("contiguous");
  Layout vector = vector_of_two("vector");
  Layout resized = built("resized", {MPI_INT, MPI_INT}, {0, 4}, 0, 20);
  Layout negative = built("negative_lb", {MPI_INT, MPI_INT}, {-8, 4}, -12, 24);
  Layout descending = built("descending", {MPI_INT, MPI_INT}, {4, -4}, -4, 12);
  Layout padded = built("struct", {MPI_DOUBLE, MPI_INT, MPI_CHAR}, {0, 8, 12}, 0, 24);
  Layout packed = built("packed_struct", {MPI_DOUBLE, MPI_INT, MPI_CHAR}, {0, 8, 12}, 0, 13);
  Layout shuffled = built("shuffled_struct", {MPI_DOUBLE, MPI_INT, MPI_CHAR}, {8, 0, 4}, 0, 16);
  Layout two_ints{"two_ints", MPI_INT, 2, {{0, 4}, {4, 4}}, 8};
  Layout double_int{"double_int", MPI_DOUBLE_INT, 1, {{0, 8}, {8, 4}}, 16};

  Layouts() = default;
  Layouts(const Layouts&) = delete;
  Layouts& operator=(const Layouts&) = delete;
  ~Layouts() {
    for (Layout* layout :
         {&contiguous, &vector, &resized, &negative, &descending, &padded, &packed, &shuffled}) {
      MPI_Type_free(&layout->type);
    }
  }
};

}  // namespace test
