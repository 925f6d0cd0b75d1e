// SPDX-License-Identifier: Apache-2.0
// By how much a call has to be shorter, or its start-ups fewer, before the model prefers it: the
// thresholds of all its decisions. Each is a ratio of two times, where nothing else is said.
#pragma once

namespace roundelay::choose {

// Costs of schedules that do the same are sums of the same numbers in another order.
inline constexpr double rounding = 1e-9;

// What takes, or sends, at most so many times as much as something else takes about as much: they
// differ by less than what the model does not see (docs/explanation/model.md).
inline constexpr double about_equal = 1.05;
// A cheapest one that starts up for more than so many times as long is not about as good: in the
// lab, a ring among 16 ranks took 1.27 times as long as what it was to cost as much as.
inline constexpr double most_startups_of_equal = 2;

// What takes at most so many times as long as the cheapest may become the cheapest with another
// radix (docs/explanation/model.md).
inline constexpr double may_become_cheapest = 1.5;
// Another value of a parameter is taken where it takes less than this share of the time: without a
// gain, standard values stay.
inline constexpr double gain_of_parameter = 0.98;
// The same of a stage between sites, where the cheapest counts only if it is clearly so
// (docs/explanation/sites.md).
inline constexpr double gain_of_stage_between_sites = 0.8;
// What exposes blocks in memory is taken where it takes less than this share of the time of what
// does not, and where copies are at least that share of it (docs/explanation/shared-memory.md).
inline constexpr double gain_of_exposed_blocks = 0.9;
inline constexpr double least_share_of_copies = 0.5;

// What passes blocks on in fewer messages is taken where it takes less than this share of the time
// of what sends each block itself. With a rank on each node: in the lab, 16 nodes, tuna took 1.2 of
// Open MPI's time where it was to take 0.7.
inline constexpr double gain_of_passing_on = 0.5;
// Between nodes of several ranks (docs/explanation/neighbourhood.md).
inline constexpr double gain_of_passing_on_between_nodes = 0.7;
// There among neighbours, where ranks share cores: one that sends many messages at once waits for a
// core less often than for each of them. In the lab that took 0.4 of its price.
inline constexpr double gain_of_passing_on_with_shared_cores = 0.3;

// Nobody knows what the MPI library takes where ranks share a link. Ours may take so many times the
// least time that anything can, and so many times that of the link alone: beyond, it is start-ups
// that count, which an MPI library's own messages have less of.
inline constexpr double near_least_time = 1.25;
inline constexpr double near_link_time = 1.75;

// A call is short if start-ups take more than this share of it: with a rank on each node, one of 8
// KiB is short and one of 64 KiB is not (lab). With several ranks on a node a smaller share was
// tried: then Open MPI kept a bcast that took 8 times as long as ours.
inline constexpr double startups_of_short = 0.1;
// The same of alltoallv and alltoallw of a library that sends all messages at once, whose ranks do
// not share the length.
inline constexpr double startups_of_short_flood = 0.25;

// Between nodes, non-blocking calls are ours where they take at most this share of the time of what
// the MPI library has, and are long (docs/explanation/nonblocking.md).
inline constexpr double gain_of_nonblocking = 0.8;
// Long are those whose bytes take as long as so many start-ups.
inline constexpr double startups_of_long_nonblocking = 32;
// A flood between sites is long if what crosses takes so many times as long as a message is under
// way (docs/explanation/sites.md).
inline constexpr double startups_of_long_crossing = 32;

// A run that was extrapolated from its first rounds counts so many times as long as that says: it
// is within 5 percent (docs/explanation/model.md).
inline constexpr double surcharge_of_extrapolation = 1.05;

// While a program runs, messages are short if their bytes alone take less than this share of the
// time of a call. On 4 nodes of 4 ranks (lab), where calls of 256 bytes gained nothing and most of
// 8 KiB did, it was 0.1 and 0.3.
inline constexpr double bytes_of_short = 0.2;
// So much of the time of calls may be spent on learning where little is to be gained by it. With
// 0.05, calls of 256 bytes, which gained nothing, took 1.02 to 1.06 of native (lab, whole runs).
// With 0.02 for calls of 8 KiB, too, bcast on 4 nodes of 4 ranks did not gain its 4 in 300 calls.
inline constexpr double share_of_learning_little = 0.02;

// While a program runs, what is to take at most so many times as long as the cheapest is worth a
// measurement (docs/explanation/learning.md).
inline constexpr double worth_measuring = 2;

}  // namespace roundelay::choose
