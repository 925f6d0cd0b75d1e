// SPDX-License-Identifier: Apache-2.0
// The collectives in which every rank has a block for every other.
#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/parts/circulant.hpp"
#include "mpi/byte_blocks.hpp"
#include "mpi/call.hpp"
#include "mpi/collectives.hpp"
#include "mpi/even_blocks.hpp"

namespace roundelay::mpi {

namespace {

// What the ranks of the own site have for each: their rows, one after the other. ceil(log2 n) short
// rounds.
int gather_rows(Call& call, Communicator& comm, std::span<const Units> own,
                std::vector<Units>& rows) {
  const Partition& sites = comm.topology().sites;
  const int site = sites.part_of(comm.rank());
  const int place = sites.place_of(comm.rank());
  const Subgroup within =
      call.problem.group.listed(sites.members(site).data(), sites.size(site), place);
  rows.resize(own.size() * static_cast<std::size_t>(within.size));
  std::ranges::copy(own, rows.begin() + static_cast<std::ptrdiff_t>(own.size()) * place);
  Memory memory{.base = {}, .type = describe(MPI_BYTE), .op = MPI_OP_NULL};
  memory.base[static_cast<std::size_t>(Space::output)] = reinterpret_cast<std::byte*>(rows.data());
  const Slice all(Space::output, 0, static_cast<Units>(rows.size() * sizeof(Units)));
  return call.run_early(
      circulant_allgather(within, Blocks::even(all, within.size), Skips::halving(within.size)),
      memory);
}

}  // namespace

// A receiver may have room for more than it is sent: MPI libraries take that, though the standard
// does not allow it. What is too long is an error of the message that brings it.
int run_alltoallv(Plan& plan, Communicator& comm, std::span<const Buffer> sent,
                  std::span<const Buffer> received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const bool in_place = sent.empty();
  ByteBlocks out(call, received);
  std::optional<ByteBlocks> in;
  int error = MPI_SUCCESS;
  if (!in_place) {
    in.emplace(call, sent);
    error = in->pack_all();
  } else if (plan.choice->algorithm->in_place) {
    error = out.pack_all();
  } else {
    in.emplace(ByteBlocks::copies(call, received));
    error = in->pack_all();
  }
  if (error != MPI_SUCCESS) return error;
  const auto own = static_cast<std::size_t>(comm.rank());
  if (!in_place && in->lengths()[own] > out.lengths()[own]) return MPI_ERR_TRUNCATE;
  // Where less arrives than there is room for, what lies behind it stays as it was.
  if (!in_place) error = out.pack_all();
  if (error != MPI_SUCCESS) return error;
  call.problem.blocks = out.in(Space::output);
  call.problem.given = in.has_value() ? in->in(Space::input) : call.problem.blocks;
  std::vector<Units> rows;
  if (plan.choice->algorithm->needs_rows) {
    error = gather_rows(call, comm, in->lengths(), rows);
    if (error != MPI_SUCCESS) return error;
    call.problem.rows = rows;
  }
  error = call.run(out.total());
  return error != MPI_SUCCESS ? error : out.unpack_all();
}

int run_alltoall(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const int p = comm.size();
  const EvenBlocks out(call, received, p);
  const Slice output(Space::output, 0, out.total());
  call.set(Space::output, out.whole().address);
  call.problem.blocks = Blocks::even(output, p);
  int error = MPI_SUCCESS;
  if (sent.in_place() && plan.choice->algorithm->in_place) {
    error = out.pack(call);
    call.problem.given = call.problem.blocks;
  } else {
    const EvenBlocks in(call, sent.in_place() ? received : sent, p, sent.in_place());
    error = in.pack(call);
    call.set(Space::input, in.whole().address);
    call.problem.given = Blocks::even(Slice(Space::input, 0, in.total()), p);
  }
  if (error == MPI_SUCCESS) error = call.run(out.total());
  return error != MPI_SUCCESS ? error : out.unpack(call);
}

}  // namespace roundelay::mpi
