// SPDX-License-Identifier: Apache-2.0
// The collectives, and what there is to know of each of them, in one table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace roundelay {

enum class Collective : std::uint8_t {
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  alltoallv,
  alltoallw,
  barrier,
  bcast,
  exscan,
  gather,
  gatherv,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  scatter,
  scatterv
};

// Whether the message is cut into blocks, and whose they are.
enum class Cut : std::uint8_t { nothing, by_sender, by_receiver, by_pair, by_edge };

// Which slice of a Problem a rank is given, or has to fill.
enum class ProblemSlice : std::uint8_t {
  nothing,
  input,
  data,
  all_blocks,
  own_block,
  given_blocks
};

// Among the ranks of one group. Without a root all ranks are as `elsewhere`.
struct Buffers {
  ProblemSlice at_root;
  ProblemSlice elsewhere;
};

struct CollectiveFacts {
  Collective collective;
  std::string_view name;
  bool reduces;           // data is combined: then units are elements, else bytes
  bool rooted;            // one rank sends all, or receives all
  bool receives_at_root;  // the root is who receives; elsewhere it is who sends, or there is none
  bool irregular;         // blocks may be of different lengths
  bool length_is_shared;  // each rank knows how long the whole message is
  bool in_place;        // every algorithm takes a contribution that lies where the result shall be
  bool between_groups;  // there is one between two groups
  Cut cut;
  Buffers given;   // at the start
  Buffers wanted;  // at the end
};

inline constexpr std::array<CollectiveFacts, 22> collective_table = [] {
  using enum Collective;
  using enum ProblemSlice;
  constexpr bool yes = true;
  constexpr bool no = false;
  constexpr Buffers none{nothing, nothing};
  constexpr Buffers own{own_block, own_block};
  constexpr Buffers whole{data, data};
  constexpr Buffers blocks{all_blocks, all_blocks};
  constexpr Buffers rows{given_blocks, given_blocks};
  constexpr Buffers contribution{input, input};
  // clang-format off
  return std::array<CollectiveFacts, 22>{{
    //                                            reduces rooted to root irregular shared in place inter
    {allgather,            "allgather",            no,  no,  no,  no,  yes, no,  yes, Cut::by_sender,   own, blocks},
    {allgatherv,           "allgatherv",           no,  no,  no,  yes, yes, no,  yes, Cut::by_sender,   own, blocks},
    {allreduce,            "allreduce",            yes, no,  no,  no,  yes, yes, yes, Cut::nothing,     contribution, whole},
    {alltoall,             "alltoall",             no,  no,  no,  no,  yes, no,  yes, Cut::by_pair,     rows, blocks},
    {alltoallv,            "alltoallv",            no,  no,  no,  yes, no,  no,  yes, Cut::by_pair,     rows, blocks},
    {alltoallw,            "alltoallw",            no,  no,  no,  yes, no,  no,  yes, Cut::by_pair,     rows, blocks},
    {barrier,              "barrier",              no,  no,  no,  no,  yes, no,  yes, Cut::nothing,     none, none},
    {bcast,                "bcast",                no,  yes, no,  no,  yes, no,  yes, Cut::nothing,     {data, nothing}, whole},
    {exscan,               "exscan",               yes, no,  no,  no,  yes, yes, no,  Cut::nothing,     contribution, whole},
    {gather,               "gather",               no,  yes, yes, no,  yes, no,  yes, Cut::by_sender,   {own_block, input}, {all_blocks, nothing}},
    {gatherv,              "gatherv",              no,  yes, yes, yes, no,  no,  yes, Cut::by_sender,   {own_block, input}, {all_blocks, nothing}},
    {neighbor_allgather,   "neighbor_allgather",   no,  no,  no,  no,  no,  no,  no,  Cut::by_edge,     contribution, blocks},
    {neighbor_allgatherv,  "neighbor_allgatherv",  no,  no,  no,  yes, no,  no,  no,  Cut::by_edge,     contribution, blocks},
    {neighbor_alltoall,    "neighbor_alltoall",    no,  no,  no,  no,  no,  no,  no,  Cut::by_edge,     rows, blocks},
    {neighbor_alltoallv,   "neighbor_alltoallv",   no,  no,  no,  yes, no,  no,  no,  Cut::by_edge,     rows, blocks},
    {neighbor_alltoallw,   "neighbor_alltoallw",   no,  no,  no,  yes, no,  no,  no,  Cut::by_edge,     rows, blocks},
    {reduce,               "reduce",               yes, yes, yes, no,  yes, yes, yes, Cut::nothing,     contribution, {data, nothing}},
    {reduce_scatter,       "reduce_scatter",       yes, no,  no,  yes, yes, yes, yes, Cut::by_receiver, contribution, own},
    {reduce_scatter_block, "reduce_scatter_block", yes, no,  no,  no,  yes, yes, yes, Cut::by_receiver, contribution, own},
    {scan,                 "scan",                 yes, no,  no,  no,  yes, yes, no,  Cut::nothing,     contribution, whole},
    {scatter,              "scatter",              no,  yes, no,  no,  yes, no,  yes, Cut::by_receiver, {all_blocks, nothing}, {nothing, data}},
    {scatterv,             "scatterv",             no,  yes, no,  yes, no,  no,  yes, Cut::by_receiver, {all_blocks, nothing}, {nothing, data}},
  }};
  // clang-format on
}();

[[nodiscard]] constexpr const CollectiveFacts& facts_of(Collective collective) noexcept {
  return collective_table[static_cast<std::size_t>(collective)];
}
inline constexpr auto collectives = [] {
  std::array<Collective, collective_table.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = collective_table[i].collective;
  return all;
}();
static_assert([] {
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    if (collectives[i] != static_cast<Collective>(i)) return false;
  }
  return true;
}());

[[nodiscard]] constexpr std::string_view name_of(Collective collective) noexcept {
  return facts_of(collective).name;
}
[[nodiscard]] constexpr bool reduces(Collective collective) noexcept {
  return facts_of(collective).reduces;
}
[[nodiscard]] constexpr bool rooted(Collective collective) noexcept {
  return facts_of(collective).rooted;
}
[[nodiscard]] constexpr bool receives_at_root(Collective collective) noexcept {
  return facts_of(collective).receives_at_root;
}
[[nodiscard]] constexpr bool irregular(Collective collective) noexcept {
  return facts_of(collective).irregular;
}
// Whether every rank has a block for every other.
[[nodiscard]] constexpr bool exchanges(Collective collective) noexcept {
  return facts_of(collective).cut == Cut::by_pair;
}
// Whether a rank sends to its neighbours in a graph, and to nobody else.
[[nodiscard]] constexpr bool among_neighbours(Collective collective) noexcept {
  return facts_of(collective).cut == Cut::by_edge;
}
// Whether no rank can leave before all have come.
[[nodiscard]] constexpr bool waits_for_all(Collective collective) noexcept {
  return !rooted(collective) && !among_neighbours(collective) && collective != Collective::scan &&
         collective != Collective::exscan;
}
// Whether a message is as long as p blocks, one for each rank that a rank may send to.
[[nodiscard]] constexpr bool has_p_blocks(Collective collective) noexcept {
  return exchanges(collective) || among_neighbours(collective);
}
// Whether a rank sends the same to all its neighbours.
[[nodiscard]] constexpr bool sends_one_block(Collective collective) noexcept {
  return among_neighbours(collective) &&
         facts_of(collective).given.elsewhere == ProblemSlice::input;
}
// Elsewhere nothing may depend on the length of the whole message.
[[nodiscard]] constexpr bool length_is_shared(Collective collective) noexcept {
  return facts_of(collective).length_is_shared;
}

}  // namespace roundelay
