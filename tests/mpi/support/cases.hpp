// SPDX-License-Identifier: Apache-2.0
// The cases of the matrix: each runs one collective and compares all memory with its definition.
#pragma once

#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "support/calls.hpp"
#include "support/image.hpp"
#include "support/ledger.hpp"
#include "support/operand.hpp"
#include "support/seat.hpp"

namespace test {

// "" if the call succeeded and every buffer holds what it has to.
inline std::string verdict(int error,
                           std::initializer_list<std::pair<const Image*, const Image*>> pairs) {
  if (error != MPI_SUCCESS) return "returned error " + std::to_string(error);
  for (const auto& [found, expected] : pairs) {
    std::string difference = found->difference(*expected);
    if (!difference.empty()) return difference;
  }
  return {};
}

// Writes the data of a call, makes it, and looks at what it returned and wrote; the same, with
// other data, for each start of one that is started several times.
template <typename Fill, typename Call, typename Check>
Finding found_in(Form form, const Fill& fill, const Call& call, const Check& check) {
  std::string trouble;
  run_of_data = 0;
  fill();
  form.between = [&] {
    if (trouble.empty()) trouble = check(MPI_SUCCESS).trouble;
    ++run_of_data;
    fill();
  };
  Finding last = check(call(form));
  run_of_data = 0;
  if (!trouble.empty()) last.trouble = trouble;
  return last;
}

inline Finding bcast_case(const Seat& at, const Layout& layout, const Arguments& a) {
  const bool takes_no_part = at.takes_no_part(a);
  Image expected(layout, a.items);
  Image buffer = expected;
  const auto fill = [&] {
    if (!takes_no_part) contribute(expected, 0, a.items, at.number_of_root(a));
    buffer = at.is_root(a) ? expected : Image(layout, a.items);
  };
  const Given data = at.buffer_if(
      !takes_no_part, {buffer.address(), static_cast<int>(buffer.count()), layout.type});
  const auto call = [&](const Form& form) {
    return bcast(form, data.writable(), data.count, data.type, at.root_argument(a), at.comm);
  };
  return found_in(a.form, fill, call,
                  [&](int error) -> Finding { return {verdict(error, {{&buffer, &expected}})}; });
}

// `layout` is that of what is sent, `received` that of the result: equal signatures.
inline Finding allgather_case(const Seat& at, const Layout& layout, const Layout& received,
                              const Arguments& a) {
  const MPI_Aint items = a.items_from(at.group_of_peers());
  const MPI_Aint mine = a.items_from(at.group);
  Image expected(received, items * at.peers());
  Image buffer = expected;
  Image sent(layout, mine);
  Image sent_before = sent;
  const auto fill = [&] {
    for (int origin = 0; origin < at.peers(); ++origin) {
      contribute(expected, origin * items, items, at.number_of_peer(origin));
    }
    contribute(sent, 0, mine, at.number());
    sent_before = sent;
    buffer = Image(received, items * at.peers());
    if (a.in_place) contribute(buffer, items * at.rank, items, at.number());
  };
  const auto call = [&](const Form& form) {
    return allgather(form, a.in_place ? MPI_IN_PLACE : sent.address(),
                     a.in_place ? 0 : static_cast<int>(sent.count()),
                     a.in_place ? MPI_DATATYPE_NULL : layout.type, buffer.address(),
                     static_cast<int>(items) * received.count, received.type, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) -> Finding {
    return {verdict(error, {{&buffer, &expected}, {&sent, &sent_before}})};
  });
}

// Equal as numbers up to rounding, and untouched around them; the fingerprint holds the bits.
inline Finding inexact(int error, Image& buffer, Image expected) {
  Finding finding;
  for (MPI_Aint item = 0; item < buffer.items(); ++item) {
    const double found = operands::number(buffer.get(item, 0));
    const double sought = operands::number(expected.get(item, 0));
    if (!(std::abs(found - sought) <= 1e-12 * std::abs(sought))) {
      finding.trouble = "item " + std::to_string(item) + ": found " + std::to_string(found) +
                        ", expected " + std::to_string(sought);
      return finding;
    }
    const std::uint64_t bits = buffer.get(item, 0) ^ finding.fingerprint;
    finding.fingerprint = Ledger::fingerprint(&bits, sizeof bits);
  }
  Image around = buffer;
  around.forget_data();
  expected.forget_data();
  finding.trouble = verdict(error, {{&around, &expected}});
  return finding;
}

// Contributions and results by definition, computed once for each communicator.
class Definitions {
 public:
  const Image& given(const Operand& operand, MPI_Aint items, int rank) {
    return remember(given_, operand, items, [&] { return contribution(operand, items, rank); });
  }
  const Image& result(const Operand& operand, MPI_Aint items, const Seat& at) {
    return remember(results_, operand, items,
                    [&] { return reduced(operand, items, at.peers(), at.number_of_peer(0)); });
  }
  void forget() {
    given_.clear();
    results_.clear();
  }

 private:
  using Memory = std::map<std::tuple<const Operand*, MPI_Aint, int>, Image>;

  template <typename Make>
  static const Image& remember(Memory& memory, const Operand& operand, MPI_Aint items, Make make) {
    const std::tuple key(&operand, items, run_of_data);
    auto found = memory.find(key);
    if (found == memory.end()) found = memory.emplace(key, make()).first;
    return found->second;
  }

  Memory given_;
  Memory results_;
};

// Allreduce, or Reduce, whose result only the root has.
inline Finding reduction_case(const Seat& at, const Operand& operand, const Arguments& a,
                              bool everywhere, Definitions& definitions) {
  const Layout& layout = *operand.layout;
  const bool receives = everywhere || at.is_root(a);
  const bool sends = everywhere || at.faces_root(a);
  const bool in_place = a.in_place && receives;
  // Elsewhere than at the root the receive buffer is not significant: it may be NULL.
  const bool null = !receives && (a.in_place || at.between());

  Image given(layout, a.items);
  Image sent = given;
  Image buffer = given;
  Image expected = given;
  const auto fill = [&] {
    given = definitions.given(operand, a.items, at.number());
    sent = given;
    buffer = in_place ? given : Image(layout, a.items);
    expected = receives ? definitions.result(operand, a.items, at) : buffer;
  };
  const auto call = [&](const Form& form) {
    operands::current = &layout;
    operands::wrong_type = false;
    const void* in = in_place ? MPI_IN_PLACE : (sends ? sent.address() : unused.data());
    void* out = null ? nullptr : buffer.address();
    const int count = static_cast<int>(a.items);
    if (everywhere) return allreduce(form, in, out, count, layout.type, operand.op, at.comm);
    const int root = at.root_argument(a);
    return at.takes_no_part(a)
               ? reduce(form, in, out, 77, MPI_BYTE, MPI_BXOR, root, at.comm)
               : reduce(form, in, out, count, layout.type, operand.op, root, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) {
    Finding finding;
    if (operand.ordered_bits && receives) {
      finding = inexact(error, buffer, expected);
      if (!everywhere) finding.fingerprint = 0;
    } else {
      finding.trouble = verdict(error, {{&buffer, &expected}});
    }
    if (finding.trouble.empty()) finding.trouble = verdict(error, {{&sent, &given}});
    if (operands::wrong_type) finding.trouble += " the operation was given another datatype";
    return finding;
  });
}

}  // namespace test
