// SPDX-License-Identifier: Apache-2.0
// The collectives on intercommunicators: two schedules at once, one for each direction.
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "algorithms/parts/circulant.hpp"
#include "mpi/byte_blocks.hpp"
#include "mpi/call.hpp"
#include "mpi/collectives.hpp"
#include "mpi/even_blocks.hpp"

namespace roundelay {

namespace {

// The group of all ranks as a direction wants it: the senders first.
Subgroup with_senders_first(Communicator& comm, bool low_sends) {
  const int low_size = comm.is_low() ? comm.local_size() : comm.remote_size();
  return Group(comm.rank(), comm.size()).rooted(low_sends ? 0 : low_size);
}

// This rank's own group.
Subgroup local_group(Communicator& comm) {
  const int first = comm.is_low() ? 0 : comm.remote_size();
  return Group(comm.rank(), comm.size()).strided(first, 1, comm.local_size());
}

// A call that sends to the other group and one that receives from it, both with their blocks.
struct BothWays {
  Call& to;
  Call& from;
  Communicator& comm;

  // Lengths of the whole messages and of their longest blocks, see Call::run.
  int run(std::int64_t m_to, std::int64_t longest_to, std::int64_t m_from,
          std::int64_t longest_from) {
    const Subgroup low_first = with_senders_first(comm, true);
    const Subgroup high_first = with_senders_first(comm, false);
    const bool low = comm.is_low();
    const int local = comm.local_size();
    const int remote = comm.remote_size();
    to.problem.group = low ? low_first : high_first;
    to.problem.senders = local;
    from.problem.group = low ? high_first : low_first;
    from.problem.senders = remote;
    const std::size_t first = low ? 0 : 1;
    Schedule sending = to.prepared(local, remote, m_to, longest_to, first);
    Schedule receiving = from.prepared(remote, local, m_from, longest_from, 1 - first);
    std::array<Schedule, 2> schedules{std::move(low ? sending : receiving),
                                      std::move(low ? receiving : sending)};
    return to.run_both(schedules,
                       {low ? &to.memory : &from.memory, low ? &from.memory : &to.memory});
  }
};

// What each rank of the own group sends: only the other group knows it. ceil(log2 p) short rounds.
int gather_lengths(Call& call, Communicator& comm, std::vector<Units>& lengths) {
  const Subgroup own = local_group(comm);
  const auto bytes = static_cast<Units>(lengths.size() * sizeof(Units));
  Memory memory{.base = {}, .type = describe(MPI_BYTE), .op = MPI_OP_NULL};
  memory.base[static_cast<std::size_t>(Space::output)] =
      reinterpret_cast<std::byte*>(lengths.data());
  const Blocks blocks = Blocks::even(Slice(Space::output, 0, bytes), own.size);
  return call.run_early(circulant_allgather(own, blocks, Skips::halving(own.size)), memory);
}

}  // namespace

int run_allgather_between(Plan& plan, Communicator& comm, const Buffer& sent,
                          const Buffer& received) {
  Call to(plan, comm);
  Call from(plan, comm);
  const EvenBlocks mine(to, sent, 1);
  if (const int error = mine.pack(to); error != MPI_SUCCESS) return error;
  const std::int64_t m_to = mine.total() * comm.local_size();
  to.set(Space::input, mine.whole().address);
  to.problem.input = Slice(Space::input, 0, mine.total());
  to.problem.blocks = Blocks::even(Slice(Space::output, 0, m_to), comm.local_size());
  const EvenBlocks theirs(from, received, comm.remote_size());
  from.set(Space::output, theirs.whole().address);
  from.problem.blocks = Blocks::even(Slice(Space::output, 0, theirs.total()), comm.remote_size());
  const int error = BothWays{to, from, comm}.run(m_to, -1, theirs.total(), -1);
  return error != MPI_SUCCESS ? error : theirs.unpack(from);
}

int run_allgatherv_between(Plan& plan, Communicator& comm, const Buffer& sent,
                           std::span<const Buffer> received) {
  Call to(plan, comm);
  Call from(plan, comm);
  const EvenBlocks mine(to, sent, 1);
  if (const int error = mine.pack(to); error != MPI_SUCCESS) return error;
  std::vector<Units> lengths(static_cast<std::size_t>(comm.local_size()));
  lengths[static_cast<std::size_t>(local_group(comm).rank)] = mine.total();
  if (const int error = gather_lengths(to, comm, lengths); error != MPI_SUCCESS) return error;
  std::vector<Units> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), Units{0});
  const std::int64_t m_to = offsets.back() + lengths.back();
  to.set(Space::input, mine.whole().address);
  to.problem.input = Slice(Space::input, 0, mine.total());
  to.problem.blocks = Blocks::cut(Slice(Space::output, 0, m_to), lengths, offsets);
  ByteBlocks theirs(from, received);
  from.problem.blocks = theirs.in(Space::output);
  const int error = BothWays{to, from, comm}.run(m_to, *std::ranges::max_element(lengths),
                                                 theirs.total(), theirs.longest());
  return error != MPI_SUCCESS ? error : theirs.unpack_all();
}

}  // namespace roundelay
