// SPDX-License-Identifier: Apache-2.0
// Operands: what the matrix reduces, each an operation over a layout with its definition.
#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/image.hpp"
#include "support/layout.hpp"

namespace test {

// The basic elements of one item (every layout that is reduced has at most two).
using Item = std::array<std::uint64_t, 2>;

struct Operand {
  std::string name;
  MPI_Op op = MPI_OP_NULL;
  const Layout* layout = nullptr;
  bool commutative = true;
  // What a rank contributes to an item.
  Item (*value)(int rank, MPI_Aint item) = nullptr;
  // lower op higher, by definition.
  Item (*combine)(const Item& lower, const Item& higher) = nullptr;
  // Whether rounding or the sign of a zero may depend on the order: then results are compared as
  // numbers with their definition and bit by bit among the ranks.
  bool ordered_bits = false;

  // Its function asks the thread that calls it for the layout.
  [[nodiscard]] bool of_program() const { return name.starts_with("user"); }
};

namespace operands {

inline double number(std::uint64_t bits) { return std::bit_cast<double>(bits); }
inline std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }

inline Item small_int(int rank, MPI_Aint item) { return {datum(rank, item) % 1000, 0}; }
inline Item small_double(int rank, MPI_Aint item) {
  return {bits(static_cast<double>(datum(rank, item) % 1000)), 0};
}
// Of very different sizes, so that a sum in another order has other bits.
inline Item rough_double(int rank, MPI_Aint item) {
  const std::uint64_t x = datum(rank, item);
  return {bits(std::ldexp(static_cast<double>(x >> 12U), -static_cast<int>(x % 64))), 0};
}
inline Item signed_zero(int rank, MPI_Aint item) {
  return {bits(datum(rank, item) % 2 == 0 ? 0.0 : -0.0), 0};
}
// Few different values, so that ranks tie.
inline Item located(int rank, MPI_Aint item) {
  return {bits(static_cast<double>(datum(rank, item) % 3)), datum(rank, item + 1) % 100};
}
inline Item two_words(int rank, MPI_Aint item) {
  return {datum(rank, 2 * item) & 0xFFFFFFFFU, datum(rank, 2 * item + 1) & 0xFFFFFFFFU};
}

inline Item sum_int(const Item& a, const Item& b) { return {(a[0] + b[0]) & 0xFFFFFFFFU, 0}; }
inline Item sum_double(const Item& a, const Item& b) {
  return {bits(number(a[0]) + number(b[0])), 0};
}
inline Item max_double(const Item& a, const Item& b) {
  return number(a[0]) >= number(b[0]) ? a : b;
}
inline Item min_location(const Item& a, const Item& b) {
  if (number(a[0]) == number(b[0])) return a[1] <= b[1] ? a : b;
  return number(a[0]) < number(b[0]) ? a : b;
}
inline Item max_location(const Item& a, const Item& b) {
  if (number(a[0]) == number(b[0])) return a[1] <= b[1] ? a : b;
  return number(a[0]) > number(b[0]) ? a : b;
}
inline Item sum_words(const Item& a, const Item& b) {
  return {(a[0] + b[0]) & 0xFFFFFFFFU, (a[1] + b[1]) & 0xFFFFFFFFU};
}
// x -> a x + b modulo 2^32, the lower rank's map applied last: associative, not commutative.
inline Item compose(const Item& a, const Item& b) {
  return {(a[0] * b[0]) & 0xFFFFFFFFU, (a[0] * b[1] + a[1]) & 0xFFFFFFFFU};
}

// An MPI_Op is given no state: the layout of the running case, and whether MPI asked for another.
inline thread_local const Layout* current = nullptr;
inline thread_local bool wrong_type = false;

template <Item (*combine)(const Item&, const Item&)>
void user_function(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(*type, &lb, &extent);
  if (extent != current->extent) wrong_type = true;
  const auto word = [&](void* buffer, int item, std::size_t place) {
    auto* bytes = static_cast<unsigned char*>(buffer);
    return reinterpret_cast<std::uint32_t*>(bytes + item * extent + current->map[place].offset);
  };
  for (int i = 0; i < *length; ++i) {
    const Item result =
        combine({*word(in, i, 0), *word(in, i, 1)}, {*word(inout, i, 0), *word(inout, i, 1)});
    for (std::size_t place : {0, 1}) {
      *word(inout, i, place) = static_cast<std::uint32_t>(result[place]);
    }
  }
}

}  // namespace operands

// All that the matrix reduces. Owns the user-defined operations.
class Operands {
 public:
  explicit Operands(const Layouts& layouts) {
    using namespace operands;
    MPI_Op_create(user_function<sum_words>, 1, &sum_);
    MPI_Op_create(user_function<compose>, 0, &compose_);
    all_ = {
        {"sum", MPI_SUM, &layouts.int_, true, small_int, sum_int},
        {"sum", MPI_SUM, &layouts.double_, true, small_double, sum_double},
        {"rough_sum", MPI_SUM, &layouts.double_, true, rough_double, sum_double, true},
        {"max_of_zeros", MPI_MAX, &layouts.double_, true, signed_zero, max_double, true},
        {"minloc", MPI_MINLOC, &layouts.double_int, true, located, min_location},
        {"maxloc", MPI_MAXLOC, &layouts.double_int, true, located, max_location},
        {"user_sum", sum_, &layouts.vector, true, two_words, sum_words},
        {"user_sum", sum_, &layouts.negative, true, two_words, sum_words},
        {"user_compose", compose_, &layouts.contiguous, false, two_words, compose},
        {"user_compose", compose_, &layouts.resized, false, two_words, compose},
        {"user_compose", compose_, &layouts.descending, false, two_words, compose},
    };
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands() {
    MPI_Op_free(&sum_);
    MPI_Op_free(&compose_);
  }

  [[nodiscard]] const std::vector<Operand>& all() const { return all_; }

 private:
  MPI_Op sum_ = MPI_OP_NULL;
  MPI_Op compose_ = MPI_OP_NULL;
  std::vector<Operand> all_;
};

inline void put(Image& image, MPI_Aint item, const Item& value) {
  for (std::size_t place = 0; place < image.layout().map.size(); ++place) {
    image.put(item, place, value[place]);
  }
}

// What a rank gives to the reduction.
inline Image contribution(const Operand& operand, MPI_Aint items, int rank) {
  Image image(*operand.layout, items);
  for (MPI_Aint item = 0; item < items; ++item) put(image, item, operand.value(rank, item));
  return image;
}

// The result by definition: the contributions of ranks `first`, `first` + 1, .. from left to right.
inline Image reduced(const Operand& operand, MPI_Aint items, int ranks, int first = 0) {
  Image image(*operand.layout, items);
  for (MPI_Aint item = 0; item < items; ++item) {
    Item result = operand.value(first, item);
    for (int rank = first + 1; rank < first + ranks; ++rank) {
      result = operand.combine(result, operand.value(rank, item));
    }
    put(image, item, result);
  }
  return image;
}

}  // namespace test
