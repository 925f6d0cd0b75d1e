// SPDX-License-Identifier: Apache-2.0
// Cases of collectives whose buffers are cut into one block for each rank.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/cases.hpp"

namespace test {

// Where the blocks of one buffer lie, in items. Irregular ones are of different lengths, in reverse
// order and with gaps between them.
struct BlockMap {
  std::vector<MPI_Aint> lengths;
  std::vector<MPI_Aint> firsts;
  MPI_Aint items = 0;

  template <typename Length>
  BlockMap(int ranks, bool irregular, Length length) {
    for (int i = 0; i < ranks; ++i) lengths.push_back(length(i));
    firsts.resize(lengths.size());
    for (int i = 0; i < ranks; ++i) {
      const auto at = static_cast<std::size_t>(irregular ? ranks - 1 - i : i);
      firsts[at] = items + (irregular ? 1 : 0);
      items = firsts[at] + lengths[at];
    }
  }

  [[nodiscard]] MPI_Aint length(int i) const { return lengths[static_cast<std::size_t>(i)]; }
  [[nodiscard]] MPI_Aint first(int i) const { return firsts[static_cast<std::size_t>(i)]; }
  // As elements of the layout's type.
  [[nodiscard]] Listed listed(const Layout& layout) const {
    Listed listed;
    listed.reserve(lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      listed.counts.push_back(static_cast<int>(lengths[i]) * layout.count);
      listed.displacements.push_back(static_cast<int>(firsts[i]) * layout.count);
    }
    return listed;
  }
};

// How long the block of a rank is.
inline MPI_Aint block_length(const Arguments& a, bool irregular, int rank) {
  return irregular ? a.items * (rank % 3) / 2 : a.items;
}

inline Finding gather_case(const Seat& at, const Layout& layout, const Layout& received,
                           const Arguments& a, bool irregular, bool everywhere) {
  const BlockMap map(at.size, irregular,
                     [&](int rank) { return block_length(a, irregular, rank); });
  const bool receives = everywhere || at.rank == a.root;
  const bool in_place = a.in_place && receives;
  const MPI_Aint mine = map.length(at.rank);
  Image expected(received, map.items);
  Image buffer = expected;
  Image sent(layout, mine);
  Image sent_before = sent;
  const auto fill = [&] {
    for (int origin = 0; origin < at.size; ++origin) {
      if (receives) contribute(expected, map.first(origin), map.length(origin), origin);
    }
    contribute(sent, 0, mine, at.rank);
    sent_before = sent;
    buffer = Image(received, map.items);
    if (in_place) contribute(buffer, map.first(at.rank), mine, at.rank);
  };

  const void* in = in_place ? MPI_IN_PLACE : sent.address();
  const int count = in_place ? 0 : static_cast<int>(sent.count());
  const MPI_Datatype type = in_place ? MPI_DATATYPE_NULL : layout.type;
  // What is not significant may be anything.
  void* out = receives ? buffer.address() : nullptr;
  const MPI_Datatype out_type = receives ? received.type : MPI_DATATYPE_NULL;
  const int out_count = receives ? static_cast<int>(a.items) * received.count : -1;
  const Listed listed = receives ? map.listed(received) : Listed{};
  const auto call = [&](const Form& form) {
    if (everywhere) return allgatherv(form, in, count, type, out, listed, out_type, at.comm);
    return irregular ? gatherv(form, in, count, type, out, listed, out_type, a.root, at.comm)
                     : gather(form, in, count, type, out, out_count, out_type, a.root, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) -> Finding {
    return {verdict(error, {{&buffer, &expected}, {&sent, &sent_before}})};
  });
}

inline Finding scatter_case(const Seat& at, const Layout& layout, const Layout& received,
                            const Arguments& a, bool irregular) {
  const BlockMap map(at.size, irregular,
                     [&](int rank) { return block_length(a, irregular, rank); });
  const bool sends = at.rank == a.root;
  const bool in_place = a.in_place && sends;
  const MPI_Aint mine = map.length(at.rank);
  Image expected(received, mine);
  Image buffer = expected;
  Image sent(layout, map.items);
  Image sent_before = sent;
  const auto fill = [&] {
    if (!in_place) contribute(expected, 0, mine, at.rank);
    for (int to = 0; to < at.size; ++to) contribute(sent, map.first(to), map.length(to), to);
    sent_before = sent;
    buffer = Image(received, mine);
  };

  const void* in = sends ? sent.address() : nullptr;
  const MPI_Datatype type = sends ? layout.type : MPI_DATATYPE_NULL;
  void* out = in_place ? MPI_IN_PLACE : buffer.address();
  const int count = in_place ? -1 : static_cast<int>(buffer.count());
  const MPI_Datatype out_type = in_place ? MPI_DATATYPE_NULL : received.type;
  const auto call = [&](const Form& form) {
    if (irregular) {
      const Listed listed = sends ? map.listed(layout) : Listed{};
      return scatterv(form, in, listed, type, out, count, out_type, a.root, at.comm);
    }
    const int in_count = sends ? static_cast<int>(a.items) * layout.count : -1;
    return scatter(form, in, in_count, type, out, count, out_type, a.root, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) -> Finding {
    return {verdict(error, {{&buffer, &expected}, {&sent, &sent_before}})};
  });
}

enum class Exchange { even, counts, types };

// The types of an alltoallw: whole blocks for every other rank, displacements in bytes.
class WholeBlocks {
 public:
  WholeBlocks(const Layout& layout, const BlockMap& map) {
    listed.reserve(map.lengths.size());
    types.reserve(map.lengths.size() + 1);
    for (std::size_t i = 0; i < map.lengths.size(); ++i) {
      const int count = static_cast<int>(map.lengths[i]) * layout.count;
      const bool whole = i % 2 == 1;
      MPI_Datatype type = layout.type;
      if (whole) {
        MPI_Type_contiguous(count, layout.type, &type);
        MPI_Type_commit(&type);
        made_.push_back(type);
      }
      types.push_back(type);
      listed.counts.push_back(whole ? 1 : count);
      listed.displacements.push_back(static_cast<int>(map.firsts[i] * layout.extent));
    }
  }
  WholeBlocks(const WholeBlocks&) = delete;
  WholeBlocks& operator=(const WholeBlocks&) = delete;
  ~WholeBlocks() {
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
  }

  Listed listed;
  std::vector<MPI_Datatype> types;

 private:
  std::vector<MPI_Datatype> made_;
};

inline Finding alltoall_case(const Seat& at, const Layout& layout, const Layout& received,
                             const Arguments& a, Exchange how) {
  const bool irregular = how != Exchange::even;
  // Symmetric, so that it can be done in place.
  const auto length = [&](int other) { return block_length(a, irregular, at.rank + other); };
  const BlockMap to(at.size, irregular, length);
  const BlockMap& from = to;
  const auto pair = [&](int origin, int target) { return origin * at.size + target; };
  Image expected(received, from.items);
  Image buffer = expected;
  Image sent(layout, to.items);
  Image sent_before = sent;
  const auto fill = [&] {
    buffer = Image(received, from.items);
    for (int other = 0; other < at.size; ++other) {
      contribute(expected, from.first(other), from.length(other), pair(other, at.rank));
      contribute(sent, to.first(other), to.length(other), pair(at.rank, other));
      if (a.in_place) {
        contribute(buffer, from.first(other), from.length(other), pair(at.rank, other));
      }
    }
    sent_before = sent;
  };
  const void* in = a.in_place ? MPI_IN_PLACE : sent.address();
  const MPI_Datatype type = a.in_place ? MPI_DATATYPE_NULL : layout.type;
  const auto call = [&](const Form& form) {
    if (how == Exchange::even) {
      return alltoall(form, in, a.in_place ? 0 : static_cast<int>(a.items) * layout.count, type,
                      buffer.address(), static_cast<int>(a.items) * received.count, received.type,
                      at.comm);
    }
    if (how == Exchange::counts) {
      return alltoallv(form, in, to.listed(layout), type, buffer.address(), from.listed(received),
                       received.type, at.comm);
    }
    const WholeBlocks in_blocks(layout, to);
    const WholeBlocks out_blocks(received, from);
    return alltoallw(form, in, in_blocks.listed, in_blocks.types, buffer.address(),
                     out_blocks.listed, out_blocks.types, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) -> Finding {
    return {verdict(error, {{&buffer, &expected}, {&sent, &sent_before}})};
  });
}

// Items [first, first + count) of an image.
inline Image cut(Image& whole, MPI_Aint first, MPI_Aint count) {
  Image part(whole.layout(), count);
  for (MPI_Aint item = 0; item < count; ++item) {
    for (std::size_t place = 0; place < whole.layout().map.size(); ++place) {
      part.put(item, place, whole.get(first + item, place));
    }
  }
  return part;
}

inline Finding reduce_scatter_case(const Seat& at, const Operand& operand, const Arguments& a,
                                   bool irregular, Definitions& definitions) {
  const Layout& layout = *operand.layout;
  const auto length = [&](int rank) { return block_length(a, irregular, rank); };
  MPI_Aint total = 0;
  MPI_Aint before = 0;
  Listed listed;
  for (int rank = 0; rank < at.size; ++rank) {
    if (rank == at.rank) before = total;
    total += length(rank);
    listed.counts.push_back(static_cast<int>(length(rank)));
  }
  const MPI_Aint mine = length(at.rank);
  Image given(layout, total);
  Image sent = given;
  Image both = given;  // in place: the input and then the result
  Image expected(layout, mine);
  Image buffer = expected;
  const auto fill = [&] {
    given = definitions.given(operand, total, at.rank);
    sent = given;
    both = given;
    Image result = definitions.result(operand, total, at.size);
    expected = cut(result, before, mine);
    buffer = Image(layout, mine);
  };
  void* out = a.in_place ? both.address() : buffer.address();
  const void* in = a.in_place ? MPI_IN_PLACE : sent.address();
  const auto call = [&](const Form& form) {
    operands::current = &layout;
    operands::wrong_type = false;
    return irregular ? reduce_scatter(form, in, out, listed, layout.type, operand.op, at.comm)
                     : reduce_scatter_block(form, in, out, static_cast<int>(mine), layout.type,
                                            operand.op, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) {
    if (a.in_place) buffer = cut(both, 0, mine);
    Finding finding = operand.ordered_bits ? inexact(error, buffer, expected)
                                           : Finding{verdict(error, {{&buffer, &expected}})};
    finding.fingerprint = 0;
    if (finding.trouble.empty() && !a.in_place) finding.trouble = verdict(error, {{&sent, &given}});
    if (operands::wrong_type) finding.trouble += " the operation was given another datatype";
    return finding;
  });
}

inline Finding scan_case(const Seat& at, const Operand& operand, const Arguments& a, bool exclusive,
                         Definitions& definitions) {
  const Layout& layout = *operand.layout;
  const int ranks = exclusive ? at.rank : at.rank + 1;
  Image given(layout, a.items);
  Image sent = given;
  Image buffer = given;
  Image expected = given;
  const auto fill = [&] {
    given = definitions.given(operand, a.items, at.rank);
    sent = given;
    buffer = a.in_place ? given : Image(layout, a.items);
    expected = ranks > 0 ? reduced(operand, a.items, ranks) : buffer;
  };
  const auto call = [&](const Form& form) {
    operands::current = &layout;
    operands::wrong_type = false;
    const void* in = a.in_place ? MPI_IN_PLACE : sent.address();
    const int count = static_cast<int>(a.items);
    return exclusive ? exscan(form, in, buffer.address(), count, layout.type, operand.op, at.comm)
                     : scan(form, in, buffer.address(), count, layout.type, operand.op, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) {
    Finding finding = operand.ordered_bits && ranks > 0
                          ? inexact(error, buffer, expected)
                          : Finding{verdict(error, {{&buffer, &expected}})};
    finding.fingerprint = 0;
    if (finding.trouble.empty()) finding.trouble = verdict(error, {{&sent, &given}});
    if (operands::wrong_type) finding.trouble += " the operation was given another datatype";
    return finding;
  });
}

}  // namespace test
