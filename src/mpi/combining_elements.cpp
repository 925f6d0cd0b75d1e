// SPDX-License-Identifier: Apache-2.0
#include "mpi/combining_elements.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace roundelay::mpi {

namespace {

// Integers wrap as unsigned integers do that are not narrower than unsigned.
template <typename T>
using Wide = std::common_type_t<T, unsigned>;

struct Sum {
  template <typename T>
  static T of(T from, T into) {
    return static_cast<T>(Wide<T>{from} + Wide<T>{into});
  }
};
struct Product {
  template <typename T>
  static T of(T from, T into) {
    return static_cast<T>(Wide<T>{from} * Wide<T>{into});
  }
};
// Which of -0.0 and 0.0 or of a number and a NaN it is, is as in MPICH: `from`.
struct Minimum {
  template <typename T>
  static T of(T from, T into) {
    return into < from ? into : from;
  }
};
struct Maximum {
  template <typename T>
  static T of(T from, T into) {
    return into > from ? into : from;
  }
};
struct LogicalAnd {
  template <typename T>
  static T of(T from, T into) {
    return static_cast<T>(from != 0 && into != 0);
  }
};
struct LogicalOr {
  template <typename T>
  static T of(T from, T into) {
    return static_cast<T>(from != 0 || into != 0);
  }
};
struct LogicalXor {
  template <typename T>
  static T of(T from, T into) {
    return static_cast<T>((from != 0) != (into != 0));
  }
};
struct BitwiseAnd {
  template <typename T>
  static T of(T from, T into) {
    return static_cast<T>(from & into);
  }
};
struct BitwiseOr {
  template <typename T>
  static T of(T from, T into) {
    return static_cast<T>(from | into);
  }
};
struct BitwiseXor {
  template <typename T>
  static T of(T from, T into) {
    return static_cast<T>(from ^ into);
  }
};

template <typename T, typename Operation>
[[gnu::always_inline]] inline void combine(const void* from, void* into, std::int64_t count) {
  const auto* froms = static_cast<const std::byte*>(from);
  auto* intos = static_cast<std::byte*>(into);
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    T a;
    T b;
    std::memcpy(&a, froms + at, sizeof(T));  // neither need be aligned
    std::memcpy(&b, intos + at, sizeof(T));
    b = Operation::of(a, b);
    std::memcpy(intos + at, &b, sizeof(T));
  }
}

// The loops as each kind of processor runs them. None may contract a product and a sum into one
// instruction, which would change bits: no operation here has both.
struct AnyProcessor {
  template <typename T, typename Operation, int numbers = 1>
  static void run(const void* from, void* into, std::int64_t count) noexcept {
    combine<T, Operation>(from, into, count * numbers);
  }
};
#if defined(__x86_64__)
struct Avx2 {
  template <typename T, typename Operation, int numbers = 1>
  [[gnu::target("avx2")]] static void run(const void* from, void* into,
                                          std::int64_t count) noexcept {
    combine<T, Operation>(from, into, count * numbers);
  }
};
struct Avx512 {
  template <typename T, typename Operation, int numbers = 1>
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] static void run(
      const void* from, void* into, std::int64_t count) noexcept {
    combine<T, Operation>(from, into, count * numbers);
  }
};
#endif

constexpr CombiningLoops none{};

// What an MPI library has results of its own for is left to it, so that no result depends on who
// combines. Debian's Open MPI 4.1.4 takes -0.0, NaN and large unsigned long in minima and maxima
// differently with the place of the element, and its sums of 8 and 16 bits end at the largest
// number, but for the last few. Debian's MPICH 4.0.2 compares unsigned integers as if they had a
// sign. With the standard ABI the library may be any.
#if defined(OPEN_MPI) || ROUNDELAY_STANDARD_ABI
template <typename T>
constexpr bool sums = sizeof(T) >= sizeof(std::int32_t);
template <typename T>
constexpr bool compares = false;
#else
template <typename T>
constexpr bool sums = true;
template <typename T>
constexpr bool compares = std::is_signed_v<T>;
#endif

template <typename Processor, typename T>
constexpr CombiningLoops bitwise() {
  return {.bitwise_and = Processor::template run<T, BitwiseAnd>,
          .bitwise_or = Processor::template run<T, BitwiseOr>,
          .bitwise_xor = Processor::template run<T, BitwiseXor>};
}

// `Wrapping`: the type in which to add and to multiply.
template <typename Processor, typename T, typename Wrapping = T>
constexpr CombiningLoops arithmetic(CombiningLoops loops = {}) {
  if constexpr (sums<T>) loops.sum = Processor::template run<Wrapping, Sum>;
  loops.product = Processor::template run<Wrapping, Product>;
  if constexpr (compares<T>) {
    loops.minimum = Processor::template run<T, Minimum>;
    loops.maximum = Processor::template run<T, Maximum>;
  }
  return loops;
}

// MPI has no logical operations on Fortran's integers.
template <typename Processor, typename T, typename Unsigned = std::make_unsigned_t<T>>
constexpr CombiningLoops of_fortran_integers() {
  return arithmetic<Processor, T, Unsigned>(bitwise<Processor, Unsigned>());
}

template <typename Processor, typename T, typename Unsigned = std::make_unsigned_t<T>>
constexpr CombiningLoops of_integers() {
  CombiningLoops loops = of_fortran_integers<Processor, T>();
  loops.logical_and = Processor::template run<Unsigned, LogicalAnd>;
  loops.logical_or = Processor::template run<Unsigned, LogicalOr>;
  loops.logical_xor = Processor::template run<Unsigned, LogicalXor>;
  return loops;
}

// The product of complex numbers is more than four products: it repairs infinity times NaN.
template <typename Processor, typename T>
constexpr CombiningLoops of_complex() {
  return {.sum = Processor::template run<T, Sum, 2>};
}

enum class Kind : std::uint8_t { bytes, with_sign, without_sign, fortran, floating, complex };

template <typename Processor>
const CombiningLoops& find(Kind kind, std::int64_t size) {
  struct Entry {
    Kind kind;
    std::int64_t size;
    CombiningLoops loops;
  };
  static constexpr std::array entries{
      Entry{Kind::bytes, 1, bitwise<Processor, std::uint8_t>()},
      Entry{Kind::with_sign, 1, of_integers<Processor, std::int8_t>()},
      Entry{Kind::with_sign, 2, of_integers<Processor, std::int16_t>()},
      Entry{Kind::with_sign, 4, of_integers<Processor, std::int32_t>()},
      Entry{Kind::with_sign, 8, of_integers<Processor, std::int64_t>()},
      Entry{Kind::without_sign, 1, of_integers<Processor, std::uint8_t>()},
      Entry{Kind::without_sign, 2, of_integers<Processor, std::uint16_t>()},
      Entry{Kind::without_sign, 4, of_integers<Processor, std::uint32_t>()},
      Entry{Kind::without_sign, 8, of_integers<Processor, std::uint64_t>()},
      Entry{Kind::fortran, 1, of_fortran_integers<Processor, std::int8_t>()},
      Entry{Kind::fortran, 2, of_fortran_integers<Processor, std::int16_t>()},
      Entry{Kind::fortran, 4, of_fortran_integers<Processor, std::int32_t>()},
      Entry{Kind::fortran, 8, of_fortran_integers<Processor, std::int64_t>()},
      Entry{Kind::floating, 4, arithmetic<Processor, float>()},
      Entry{Kind::floating, 8, arithmetic<Processor, double>()},
      Entry{Kind::complex, 8, of_complex<Processor, float>()},
      Entry{Kind::complex, 16, of_complex<Processor, double>()},
  };
  const auto* found = std::ranges::find_if(
      entries, [&](const Entry& entry) { return entry.kind == kind && entry.size == size; });
  return found != entries.end() ? found->loops : none;
}

const CombiningLoops& find_for_this_processor(Kind kind, std::int64_t size) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return find<Avx512>(kind, size);
  }
  if (__builtin_cpu_supports("avx2")) return find<Avx2>(kind, size);
#endif
  return find<AnyProcessor>(kind, size);
}

}  // namespace

const CombiningLoops& find_combining_loops(MPI_Datatype type, std::int64_t size) {
  if (ROUNDELAY_SIMGRID) return none;  // so that a simulation may leave it out
  struct Known {
    MPI_Datatype type;
    Kind kind;
  };
  static const std::array known{
      Known{MPI_BYTE, Kind::bytes},
      Known{MPI_SIGNED_CHAR, Kind::with_sign},
      Known{MPI_SHORT, Kind::with_sign},
      Known{MPI_INT, Kind::with_sign},
      Known{MPI_LONG, Kind::with_sign},
      Known{MPI_LONG_LONG, Kind::with_sign},
      Known{MPI_INT8_T, Kind::with_sign},
      Known{MPI_INT16_T, Kind::with_sign},
      Known{MPI_INT32_T, Kind::with_sign},
      Known{MPI_INT64_T, Kind::with_sign},
      Known{MPI_AINT, Kind::with_sign},
      Known{MPI_OFFSET, Kind::with_sign},
      Known{MPI_COUNT, Kind::with_sign},
      Known{MPI_INTEGER, Kind::fortran},
      Known{MPI_INTEGER1, Kind::fortran},
      Known{MPI_INTEGER2, Kind::fortran},
      Known{MPI_INTEGER4, Kind::fortran},
      Known{MPI_INTEGER8, Kind::fortran},
      Known{MPI_UNSIGNED_CHAR, Kind::without_sign},
      Known{MPI_UNSIGNED_SHORT, Kind::without_sign},
      Known{MPI_UNSIGNED, Kind::without_sign},
      Known{MPI_UNSIGNED_LONG, Kind::without_sign},
      Known{MPI_UNSIGNED_LONG_LONG, Kind::without_sign},
      Known{MPI_UINT8_T, Kind::without_sign},
      Known{MPI_UINT16_T, Kind::without_sign},
      Known{MPI_UINT32_T, Kind::without_sign},
      Known{MPI_UINT64_T, Kind::without_sign},
      Known{MPI_FLOAT, Kind::floating},
      Known{MPI_DOUBLE, Kind::floating},
      Known{MPI_REAL, Kind::floating},
      Known{MPI_DOUBLE_PRECISION, Kind::floating},
      Known{MPI_REAL4, Kind::floating},
      Known{MPI_REAL8, Kind::floating},
      Known{MPI_C_FLOAT_COMPLEX, Kind::complex},
      Known{MPI_C_DOUBLE_COMPLEX, Kind::complex},
      Known{MPI_COMPLEX, Kind::complex},
      Known{MPI_DOUBLE_COMPLEX, Kind::complex},
      Known{MPI_COMPLEX8, Kind::complex},
      Known{MPI_COMPLEX16, Kind::complex},
  };
  const auto* found =
      std::ranges::find_if(known, [&](const Known& each) { return each.type == type; });
  return found != known.end() ? find_for_this_processor(found->kind, size) : none;
}

}  // namespace roundelay::mpi
