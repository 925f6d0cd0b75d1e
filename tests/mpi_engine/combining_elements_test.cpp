// SPDX-License-Identifier: Apache-2.0
// Our loops give the bits that the MPI library gives.
#include "mpi/combining_elements.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "mpi/datatype.hpp"

namespace roundelay::mpi {
namespace {

using Bytes = std::vector<std::byte>;

enum class Ours : std::uint8_t { nothing, sum, arithmetic, bits, but_logical, all };

// What of a type is ours; `Number`: what its elements are made of.
struct Type {
  const char* name;
  MPI_Datatype handle;
  Ours ours;
  Bytes (*special)();                      // values that something may go wrong with
  bool (*is_nan)(const std::byte* bytes);  // of a number
  std::size_t number;                      // bytes
  bool has_sign;
};

template <typename Number>
Bytes special() {
  using Limits = std::numeric_limits<Number>;
  std::vector<Number> values{0, 1, 2, Limits::min(), Limits::max(), Limits::lowest()};
  if constexpr (std::is_floating_point_v<Number>) {
    const Number nan = Limits::quiet_NaN();
    for (const Number value :
         {Number{0}, Number{1.5}, nan, Limits::infinity(), Limits::denorm_min(), Limits::max()}) {
      values.insert(values.end(), {value, -value});
    }
  } else {
    values.push_back(static_cast<Number>(-1));
  }
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <typename Number>
bool is_nan(const std::byte* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  if constexpr (std::is_floating_point_v<Number>) return std::isnan(number);
  return false;
}

template <typename Number>
Type of(const char* name, MPI_Datatype handle, Ours ours) {
  return {name,
          handle,
          ours,
          special<Number>,
          is_nan<Number>,
          sizeof(Number),
          std::is_signed_v<Number>};
}

std::vector<Type> types() {
  return {
      of<unsigned char>("byte", MPI_BYTE, Ours::bits),
      of<signed char>("signed char", MPI_SIGNED_CHAR, Ours::all),
      of<unsigned char>("unsigned char", MPI_UNSIGNED_CHAR, Ours::all),
      of<short>("short", MPI_SHORT, Ours::all),
      of<unsigned short>("unsigned short", MPI_UNSIGNED_SHORT, Ours::all),
      of<int>("int", MPI_INT, Ours::all),
      of<unsigned>("unsigned", MPI_UNSIGNED, Ours::all),
      of<long>("long", MPI_LONG, Ours::all),
      of<unsigned long>("unsigned long", MPI_UNSIGNED_LONG, Ours::all),
      of<long long>("long long", MPI_LONG_LONG, Ours::all),
      of<unsigned long long>("unsigned long long", MPI_UNSIGNED_LONG_LONG, Ours::all),
      of<std::int8_t>("int8", MPI_INT8_T, Ours::all),
      of<std::int16_t>("int16", MPI_INT16_T, Ours::all),
      of<std::int32_t>("int32", MPI_INT32_T, Ours::all),
      of<std::int64_t>("int64", MPI_INT64_T, Ours::all),
      of<std::uint8_t>("uint8", MPI_UINT8_T, Ours::all),
      of<std::uint16_t>("uint16", MPI_UINT16_T, Ours::all),
      of<std::uint32_t>("uint32", MPI_UINT32_T, Ours::all),
      of<std::uint64_t>("uint64", MPI_UINT64_T, Ours::all),
      of<MPI_Aint>("aint", MPI_AINT, Ours::all),
      of<MPI_Offset>("offset", MPI_OFFSET, Ours::all),
      of<MPI_Count>("count", MPI_COUNT, Ours::all),
      of<std::int32_t>("Fortran integer", MPI_INTEGER, Ours::but_logical),
      of<std::int8_t>("Fortran integer*1", MPI_INTEGER1, Ours::but_logical),
      of<std::int16_t>("Fortran integer*2", MPI_INTEGER2, Ours::but_logical),
      of<std::int32_t>("Fortran integer*4", MPI_INTEGER4, Ours::but_logical),
      of<std::int64_t>("Fortran integer*8", MPI_INTEGER8, Ours::but_logical),
      of<float>("float", MPI_FLOAT, Ours::arithmetic),
      of<double>("double", MPI_DOUBLE, Ours::arithmetic),
      of<float>("Fortran real", MPI_REAL, Ours::arithmetic),
      of<double>("Fortran double precision", MPI_DOUBLE_PRECISION, Ours::arithmetic),
      of<float>("Fortran real*4", MPI_REAL4, Ours::arithmetic),
      of<double>("Fortran real*8", MPI_REAL8, Ours::arithmetic),
      of<float>("float complex", MPI_C_FLOAT_COMPLEX, Ours::sum),
      of<double>("double complex", MPI_C_DOUBLE_COMPLEX, Ours::sum),
      of<float>("Fortran complex", MPI_COMPLEX, Ours::sum),
      of<double>("Fortran double complex", MPI_DOUBLE_COMPLEX, Ours::sum),
      of<float>("Fortran complex*8", MPI_COMPLEX8, Ours::sum),
      of<double>("Fortran complex*16", MPI_COMPLEX16, Ours::sum),
      of<long double>("long double", MPI_LONG_DOUBLE, Ours::nothing),
      of<unsigned char>("bool", MPI_C_BOOL, Ours::nothing),
      of<int>("Fortran logical", MPI_LOGICAL, Ours::nothing),
      of<char>("char", MPI_CHAR, Ours::nothing),
      of<int>("two ints", MPI_2INT, Ours::nothing),
      of<int>("float and int", MPI_FLOAT_INT, Ours::nothing),
  };
}

enum class Operations : std::uint8_t { sum, product, order, logical, bits, others };

struct Operation {
  const char* name;
  MPI_Op op;
  Operations kind;
};

std::vector<Operation> operations() {
  return {{"sum", MPI_SUM, Operations::sum},           {"prod", MPI_PROD, Operations::product},
          {"min", MPI_MIN, Operations::order},         {"max", MPI_MAX, Operations::order},
          {"land", MPI_LAND, Operations::logical},     {"lor", MPI_LOR, Operations::logical},
          {"lxor", MPI_LXOR, Operations::logical},     {"band", MPI_BAND, Operations::bits},
          {"bor", MPI_BOR, Operations::bits},          {"bxor", MPI_BXOR, Operations::bits},
          {"minloc", MPI_MINLOC, Operations::others},  {"maxloc", MPI_MAXLOC, Operations::others},
          {"replace", MPI_REPLACE, Operations::others}};
}

bool is_ours(const Type& type, const Operation& operation) {
#if defined(OPEN_MPI)
  const bool own_sums = type.number < 4;
  const bool own_order = true;
#else
  const bool own_sums = false;
  const bool own_order = !type.has_sign;
#endif
  const bool number = type.ours != Ours::nothing && type.ours != Ours::bits;
  switch (operation.kind) {
    case Operations::sum: return number && !own_sums;
    case Operations::product: return number && type.ours != Ours::sum;
    case Operations::order: return number && type.ours != Ours::sum && !own_order;
    case Operations::logical: return type.ours == Ours::all;
    case Operations::bits: return type.ours >= Ours::bits;
    case Operations::others: return false;
  }
  return false;
}

class CombiningElements : public testing::Test {
 protected:
  CombiningElements() { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
  ~CombiningElements() override { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL); }

  // Half of the numbers are special, the others are any bits.
  Bytes draw(const Type& type, std::size_t bytes) {
    const Bytes special = type.special();
    Bytes drawn(bytes);
    for (std::size_t at = 0; at < bytes; at += type.number) {
      if (random_() % 2 == 0) {
        const std::size_t from = random_() % (special.size() / type.number) * type.number;
        std::memcpy(&drawn[at], &special[from], type.number);
      } else {
        for (std::size_t i = 0; i < type.number; ++i) {
          drawn[at + i] = static_cast<std::byte>(random_() & 0xffU);
        }
      }
    }
    return drawn;
  }

  void expect_the_same_bits(const Type& type, MPI_Op op, std::int64_t count, std::size_t shift) {
    const Datatype& description = describe(type.handle);
    const auto bytes = static_cast<std::size_t>(count * description.size);
    const Bytes from = draw(type, bytes);
    const Bytes before = draw(type, bytes);
    Bytes wanted = before;
    ASSERT_EQ(
        PMPI_Reduce_local(from.data(), wanted.data(), static_cast<int>(count), type.handle, op),
        MPI_SUCCESS);

    Bytes shifted_from(bytes + shift);
    std::copy(from.begin(), from.end(), shifted_from.begin() + static_cast<std::ptrdiff_t>(shift));
    constexpr std::size_t margin = 64;
    Bytes result(margin + shift + bytes + margin, std::byte{0x5a});
    Bytes expected = result;
    std::byte* const into = result.data() + margin + shift;
    std::copy(before.begin(), before.end(), into);
    description.loops->of(op)(shifted_from.data() + shift, into, count);

    for (std::size_t at = 0; at < bytes; at += type.number) {
      if (type.is_nan(&from[at]) && type.is_nan(&before[at])) {
        EXPECT_TRUE(type.is_nan(into + at));
        std::memcpy(&wanted[at], into + at, type.number);
      }
    }
    std::copy(wanted.begin(), wanted.end(), expected.data() + margin + shift);
    EXPECT_TRUE(result == expected) << count << " elements, at an address " << shift << " beyond";
  }

 private:
  std::mt19937 random_{1};  // NOLINT(bugprone-random-generator-seed): the same each time
};

TEST_F(CombiningElements, GivesTheBitsOfTheMpiLibrary) {
  for (const Type& type : types()) {
    for (const Operation& operation : operations()) {
      if (!is_ours(type, operation)) continue;
      SCOPED_TRACE(std::string(type.name) + ", " + operation.name);
      ASSERT_NE(describe(type.handle).loops->of(operation.op), nullptr);
      for (std::int64_t count = 0; count < 68; ++count) {
        for (const std::size_t shift : {0, 1, 4, 8}) {
          expect_the_same_bits(type, operation.op, count, shift);
        }
      }
      expect_the_same_bits(type, operation.op, 5000, 0);
    }
  }
}

TEST_F(CombiningElements, LeavesTheRestToTheMpiLibrary) {
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (const Type& type : types()) {
    for (const Operation& operation : operations()) {
      if (is_ours(type, operation)) continue;
      EXPECT_EQ(describe(type.handle).loops->of(operation.op), nullptr)
          << type.name << ", " << operation.name;
    }
    EXPECT_EQ(describe(type.handle).loops->of(own), nullptr) << type.name;
  }
  EXPECT_EQ(describe(pair).loops->of(MPI_SUM), nullptr);
  MPI_Type_free(&pair);
  MPI_Op_free(&own);
}

}  // namespace
}  // namespace roundelay::mpi
