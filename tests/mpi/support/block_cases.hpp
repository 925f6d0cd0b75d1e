// SPDX-License-Identifier: Apache-2.0
// Cases of collectives whose buffers are cut into one block for each rank.
#pragma once

#include <algorithm>
#include <numeric>
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

// How long the block of the rank with this number is.
inline MPI_Aint block_length(MPI_Aint items, bool irregular, int number) {
  return irregular ? items * (number % 3) / 2 : items;
}

inline Finding gather_case(const Seat& at, const Layout& layout, const Layout& received,
                           const Arguments& a, bool irregular, bool everywhere) {
  const bool receives = everywhere || at.is_root(a);
  const bool sends = everywhere || at.faces_root(a);
  const bool in_place = a.in_place && receives;
  const MPI_Aint items = everywhere ? a.items_from(at.group_of_peers()) : a.items;
  const BlockMap map(at.peers(), irregular, [&](int peer) {
    return block_length(items, irregular, at.number_of_peer(peer));
  });
  const MPI_Aint mine =
      block_length(everywhere ? a.items_from(at.group) : a.items, irregular, at.number());
  Image expected(received, map.items);
  Image buffer = expected;
  Image sent(layout, mine);
  Image sent_before = sent;
  const auto fill = [&] {
    for (int origin = 0; origin < at.peers(); ++origin) {
      if (!receives) break;
      contribute(expected, map.first(origin), map.length(origin), at.number_of_peer(origin));
    }
    contribute(sent, 0, mine, at.number());
    sent_before = sent;
    buffer = Image(received, map.items);
    if (in_place) contribute(buffer, map.first(at.rank), mine, at.number());
  };

  const Given in =
      in_place ? Given{MPI_IN_PLACE, 0, MPI_DATATYPE_NULL}
               : at.buffer_if(sends, {sent.address(), static_cast<int>(sent.count()), layout.type});
  const Given out = at.buffer_if(
      receives, {buffer.address(), static_cast<int>(a.items) * received.count, received.type});
  const Listed listed = receives ? map.listed(received) : Listed{};
  const auto call = [&](const Form& form) {
    if (everywhere) {
      return allgatherv(form, in.address, in.count, in.type, out.writable(), listed, out.type,
                        at.comm);
    }
    const int root = at.root_argument(a);
    return irregular ? gatherv(form, in.address, in.count, in.type, out.writable(), listed,
                               out.type, root, at.comm)
                     : gather(form, in.address, in.count, in.type, out.writable(), out.count,
                              out.type, root, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) -> Finding {
    return {verdict(error, {{&buffer, &expected}, {&sent, &sent_before}})};
  });
}

inline Finding scatter_case(const Seat& at, const Layout& layout, const Layout& received,
                            const Arguments& a, bool irregular) {
  const BlockMap map(at.peers(), irregular, [&](int peer) {
    return block_length(a.items, irregular, at.number_of_peer(peer));
  });
  const bool sends = at.is_root(a);
  const bool in_place = a.in_place && sends;
  const bool receives = at.faces_root(a) && !in_place;  // not what it has already
  const MPI_Aint mine = block_length(a.items, irregular, at.number());
  Image expected(received, mine);
  Image buffer = expected;
  Image sent(layout, map.items);
  Image sent_before = sent;
  const auto fill = [&] {
    if (receives) contribute(expected, 0, mine, at.number());
    for (int to = 0; to < at.peers(); ++to) {
      contribute(sent, map.first(to), map.length(to), at.number_of_peer(to));
    }
    sent_before = sent;
    buffer = Image(received, mine);
  };

  const Given in =
      at.buffer_if(sends, {sent.address(), static_cast<int>(a.items) * layout.count, layout.type});
  const Given out =
      in_place ? Given{MPI_IN_PLACE, -1, MPI_DATATYPE_NULL}
               : at.buffer_if(receives,
                              {buffer.address(), static_cast<int>(buffer.count()), received.type});
  const auto call = [&](const Form& form) {
    const int root = at.root_argument(a);
    if (irregular) {
      const Listed listed = sends ? map.listed(layout) : Listed{};
      return scatterv(form, in.address, listed, in.type, out.writable(), out.count, out.type, root,
                      at.comm);
    }
    return scatter(form, in.address, in.count, in.type, out.writable(), out.count, out.type, root,
                   at.comm);
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
  const MPI_Aint items = a.items_from(at.group);
  const MPI_Aint items_back = a.items_from(at.group_of_peers());
  // In one group symmetric, so that it can be done in place.
  const auto blocks = [&](MPI_Aint of) {
    return BlockMap(at.peers(), irregular, [&, of](int peer) {
      return block_length(of, irregular, at.number() + at.number_of_peer(peer));
    });
  };
  const BlockMap to = blocks(items);
  const BlockMap from = blocks(items_back);
  const auto pair = [&](int origin, int target) { return origin * at.shape().ranks() + target; };
  Image expected(received, from.items);
  Image buffer = expected;
  Image sent(layout, to.items);
  Image sent_before = sent;
  const auto fill = [&] {
    buffer = Image(received, from.items);
    for (int peer = 0; peer < at.peers(); ++peer) {
      const int there = pair(at.number(), at.number_of_peer(peer));
      const int back = pair(at.number_of_peer(peer), at.number());
      contribute(expected, from.first(peer), from.length(peer), back);
      contribute(sent, to.first(peer), to.length(peer), there);
      if (a.in_place) contribute(buffer, from.first(peer), from.length(peer), there);
    }
    sent_before = sent;
  };
  const void* in = a.in_place ? MPI_IN_PLACE : sent.address();
  const MPI_Datatype type = a.in_place ? MPI_DATATYPE_NULL : layout.type;
  const auto call = [&](const Form& form) {
    if (how == Exchange::even) {
      return alltoall(form, in, a.in_place ? 0 : static_cast<int>(items) * layout.count, type,
                      buffer.address(), static_cast<int>(items_back) * received.count,
                      received.type, at.comm);
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

// How many items each rank gets of what is reduced. Two groups cut the same number of them.
inline std::vector<MPI_Aint> pieces(const Seat& at, MPI_Aint items, bool irregular) {
  const MPI_Aint total = items * std::lcm(at.size, at.peers());
  const MPI_Aint most = at.between() ? total / at.size : items;
  std::vector<MPI_Aint> pieces;
  for (int rank = 0; rank < at.size; ++rank) pieces.push_back(block_length(most, irregular, rank));
  if (at.between()) pieces.back() += total - std::reduce(pieces.begin(), pieces.end());
  return pieces;
}

inline Finding reduce_scatter_case(const Seat& at, const Operand& operand, const Arguments& a,
                                   bool irregular, Definitions& definitions) {
  const Layout& layout = *operand.layout;
  const std::vector<MPI_Aint> lengths = pieces(at, a.items, irregular);
  const auto own = lengths.begin() + at.rank;
  const MPI_Aint total = std::reduce(lengths.begin(), lengths.end());
  const MPI_Aint before = std::reduce(lengths.begin(), own);
  const MPI_Aint mine = *own;
  Listed listed;
  listed.counts.assign(lengths.begin(), lengths.end());
  Image given(layout, total);
  Image sent = given;
  Image both = given;  // in place: the input and then the result
  Image expected(layout, mine);
  Image buffer = expected;
  const auto fill = [&] {
    given = definitions.given(operand, total, at.number());
    sent = given;
    both = given;
    Image result = definitions.result(operand, total, at);
    expected = cut(result, before, mine);
    buffer = Image(layout, mine);
  };
  // A rank that gets nothing has no buffer, as of an empty vector, unless nobody gets anything.
  void* const own_buffer = mine == 0 && total > 0 ? nullptr : buffer.address();
  void* out = a.in_place ? both.address() : own_buffer;
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
