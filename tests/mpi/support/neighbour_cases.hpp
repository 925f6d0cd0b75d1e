// SPDX-License-Identifier: Apache-2.0
// Cases of collectives among neighbours.
#pragma once

#include <vector>

#include "support/block_cases.hpp"
#include "support/graph.hpp"

namespace test {

// `to_all`: every neighbour gets the same block.
inline Finding neighbours_case(const Seat& at, const Layout& layout, const Layout& received,
                               const Arguments& a, Exchange how, bool to_all) {
  const Graph graph(a.graph, at.size);
  const std::vector<int> sources = graph.into(at.rank);
  const std::vector<int> destinations = graph.out_of(at.rank);
  const bool irregular = how != Exchange::even;
  // Whose data a block is: the sender's or the edge's.
  const auto giver = [&](int edge) { return to_all ? graph.edge(edge).from : edge; };
  const auto edge_of = [](const std::vector<int>& edges, int block) {
    return edges[static_cast<std::size_t>(block)];
  };
  const BlockMap from(static_cast<int>(sources.size()), irregular, [&](int block) {
    return block_length(a.items, irregular, giver(edge_of(sources, block)));
  });
  const BlockMap to(
      to_all ? 1 : static_cast<int>(destinations.size()), irregular && !to_all, [&](int block) {
        return block_length(a.items, irregular, to_all ? at.rank : edge_of(destinations, block));
      });
  Image expected(received, from.items);
  Image buffer = expected;
  Image sent(layout, to.items);
  Image sent_before = sent;
  const auto fill = [&] {
    buffer = Image(received, from.items);
    for (int i = 0; i < static_cast<int>(sources.size()); ++i) {
      contribute(expected, from.first(i), from.length(i), giver(edge_of(sources, i)));
    }
    if (to_all) contribute(sent, 0, to.length(0), at.rank);
    for (int i = 0; !to_all && i < static_cast<int>(destinations.size()); ++i) {
      contribute(sent, to.first(i), to.length(i), edge_of(destinations, i));
    }
    sent_before = sent;
  };
  const int in_count = static_cast<int>(to_all ? sent.count() : a.items * layout.count);
  const int count = static_cast<int>(a.items) * received.count;
  const auto call = [&](const Form& form) {
    if (to_all) {
      return irregular ? neighbor_allgatherv(form, sent.address(), in_count, layout.type,
                                             buffer.address(), from.listed(received), received.type,
                                             at.comm)
                       : neighbor_allgather(form, sent.address(), in_count, layout.type,
                                            buffer.address(), count, received.type, at.comm);
    }
    if (how == Exchange::even) {
      return neighbor_alltoall(form, sent.address(), in_count, layout.type, buffer.address(), count,
                               received.type, at.comm);
    }
    if (how == Exchange::counts) {
      return neighbor_alltoallv(form, sent.address(), to.listed(layout), layout.type,
                                buffer.address(), from.listed(received), received.type, at.comm);
    }
    const WholeBlocks in_blocks(layout, to);
    const WholeBlocks out_blocks(received, from);
    return neighbor_alltoallw(form, sent.address(), in_blocks.listed, in_blocks.types,
                              buffer.address(), out_blocks.listed, out_blocks.types, at.comm);
  };
  return found_in(a.form, fill, call, [&](int error) -> Finding {
    return {verdict(error, {{&buffer, &expected}, {&sent, &sent_before}})};
  });
}

}  // namespace test
