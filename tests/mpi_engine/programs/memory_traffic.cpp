// SPDX-License-Identifier: Apache-2.0
// Whether calls move through shared memory what interpret::memory_traffic says. Ends with 1 if one
// does not. For at most 4 ranks, and messages of which there are always cells free.
#include "interpret/memory_traffic.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "choose/spelling.hpp"
#include "mpi/collectives.hpp"
#include "mpi/shared_memory.hpp"
#include "shared/reading.hpp"

namespace roundelay::mpi {
namespace {

using interpret::MemoryTraffic;

struct Kind {
  Collective collective;
  const char* algorithm;
};
const std::vector<Kind> kinds{
    {Collective::allreduce, "one_shot"},
    {Collective::allreduce, "two_shot"},
    {Collective::allreduce, "two_shot(blocks=3)"},
    {Collective::allreduce, "ring"},
    {Collective::bcast, "linear"},
    {Collective::bcast, "binomial"},
    {Collective::reduce, "linear"},
    {Collective::allgather, "linear"},
    {Collective::allgather, "ring"},
    {Collective::barrier, "linear"},
    {Collective::barrier, "dissemination"},
};

int run(Communicator& comm, const Kind& kind, Plan& plan, std::int64_t bytes) {
  std::vector<std::byte> sent(static_cast<std::size_t>(bytes));
  std::vector<std::byte> received(static_cast<std::size_t>(bytes * comm.size()));
  const Datatype& byte = describe(MPI_BYTE);
  const Buffer mine{sent.data(), bytes, &byte};
  const Operation all_bits{MPI_BOR, &byte, true};
  switch (kind.collective) {
    case Collective::allreduce:
      return begin_allreduce(plan, comm, mine, received.data(), all_bits).wait();
    case Collective::bcast: return begin_bcast(plan, comm, mine, 0).wait();
    case Collective::reduce:
      return begin_reduce(plan, comm, mine, received.data(), 0, all_bits).wait();
    case Collective::allgather:
      return begin_allgather(plan, comm, mine, {received.data(), bytes, &byte}).wait();
    default: return begin_barrier(plan, comm).wait();
  }
}

bool moves_what_it_should(Communicator& comm, const Kind& kind, std::int64_t bytes,
                          Units in_place) {
  const auto choice =
      std::make_shared<const Choice>(choose::parse_algorithm(kind.collective, kind.algorithm));
  const bool gathers = kind.collective == Collective::allgather;
  const interpret::Case of{.p = comm.size(), .m = gathers ? bytes * comm.size() : bytes};
  const auto traffic = interpret::memory_traffic(*choice, of,
                                                 {.line = shared::Line::room,
                                                  .in_lines = shared::short_bytes,
                                                  .cell = shared::Layout::cell_bytes,
                                                  .in_place = in_place,
                                                  .shared_in_cells = shared::most_shared_in_cells});
  const MemoryTraffic& said = traffic[static_cast<std::size_t>(comm.rank())];

  Plan plan(choice, of.network);
  const auto before = comm.shared()->port().counters();
  if (run(comm, kind, plan, bytes) != MPI_SUCCESS) return false;
  const auto after = comm.shared()->port().counters();
  const auto moved = [&](std::uint64_t shared::Port::Counters::* which) {
    return static_cast<Units>(after.*which - before.*which);
  };
  using Counters = shared::Port::Counters;
  const bool right =
      moved(&Counters::bytes_copied) == said.copied_in + said.copied_out &&
      moved(&Counters::bytes_in_place) == said.in_place && moved(&Counters::cells) == said.cells &&
      moved(&Counters::lines) == said.flags && moved(&Counters::taken) == said.waited_for;
  if (!right) {
    std::fprintf(stderr,
                 "rank %d, %s of %ld bytes: %ld bytes and %ld in place, %ld cells and %ld flags, "
                 "waits for %ld; said were %ld, %ld, %ld, %ld and %ld\n",
                 comm.rank(), kind.algorithm, static_cast<long>(bytes),
                 static_cast<long>(moved(&Counters::bytes_copied)),
                 static_cast<long>(moved(&Counters::bytes_in_place)),
                 static_cast<long>(moved(&Counters::cells)),
                 static_cast<long>(moved(&Counters::lines)),
                 static_cast<long>(moved(&Counters::taken)),
                 static_cast<long>(said.copied_in + said.copied_out),
                 static_cast<long>(said.in_place), static_cast<long>(said.cells),
                 static_cast<long>(said.flags), static_cast<long>(said.waited_for));
  }
  return right;
}

// Whether the system lets all ranks read the memory of the next one.
bool reads_in_place(const Communicator& comm) {
  std::array<std::uint64_t, 2> mine{static_cast<std::uint64_t>(getpid()), 0};
  const std::uint64_t word = 1;
  mine[1] = reinterpret_cast<std::uintptr_t>(&word);
  std::vector<std::uint64_t> all(2 * static_cast<std::size_t>(comm.size()));
  PMPI_Allgather(mine.data(), 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, MPI_COMM_WORLD);
  const auto next = 2 * static_cast<std::size_t>((comm.rank() + 1) % comm.size());
  std::uint64_t found = 0;
  int reads = shared::read_from(static_cast<pid_t>(all[next]), all[next + 1],
                                std::as_writable_bytes(std::span(&found, 1))) &&
                      found == word
                  ? 1
                  : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &reads, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return reads == 1;
}

int wrong_in_all() {
  Communicator comm(MPI_COMM_WORLD);
  if (!comm.make_own()) return 1;
  auto [memory, why_not] = share_memory(comm, true);
  int wrong = memory == nullptr ? 1 : 0;
  if (wrong == 0) {
    comm.share(std::move(memory));
    const std::vector<Units> ways =
        reads_in_place(comm) ? std::vector<Units>{0, 1000} : std::vector<Units>{0};
    for (const Units in_place : ways) {
      const std::size_t from = in_place > 0 ? static_cast<std::size_t>(in_place) : shared::never;
      comm.shared()->port().read_in_place_from({.one_way = from, .both_ways = from});
      for (const Kind& kind : kinds) {
        for (const std::int64_t bytes : {1, 8, 56, 57, 168, 169, 1000, 16384, 16400, 32788}) {
          PMPI_Barrier(MPI_COMM_WORLD);  // all cells are free
          wrong += moves_what_it_should(comm, kind, bytes, in_place) ? 0 : 1;
        }
      }
    }
  }
  comm.free_own();
  return wrong;
}

}  // namespace
}  // namespace roundelay::mpi

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = roundelay::mpi::wrong_in_all();
  int all_wrong = 0;
  PMPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_wrong > 0 ? 1 : 0;
}
