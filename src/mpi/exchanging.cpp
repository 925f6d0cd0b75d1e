// SPDX-License-Identifier: Apache-2.0
// The collectives in which every rank has a block for every other.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/agreement.hpp"
#include "algorithms/parts/circulant.hpp"
#include "mpi/byte_blocks.hpp"
#include "mpi/call.hpp"
#include "mpi/collectives.hpp"
#include "mpi/even_blocks.hpp"
#include "mpi/told_lengths.hpp"

namespace roundelay::mpi {

namespace {

Subgroup own_site(Communicator& comm) {
  const Partition& sites = comm.topology().sites;
  const int site = sites.part_of(comm.rank());
  return Group(comm.rank(), comm.size())
      .listed(sites.members(site).data(), sites.size(site), sites.place_of(comm.rank()));
}

// What the ranks of the own site have for each: their rows, one after the other, of which the own
// is known. ceil(log2 n) short rounds; the units are bytes of the output.
Schedule gathered_rows(const Group& within, std::span<const Units> own, std::vector<Units>& rows) {
  rows.resize(own.size() * static_cast<std::size_t>(within.size));
  std::ranges::copy(own, rows.begin() + static_cast<std::ptrdiff_t>(own.size()) * within.rank);
  const Slice all(Space::output, 0, static_cast<Units>(rows.size() * sizeof(Units)));
  return circulant_allgather(within, Blocks::even(all, within.size), Skips::halving(within.size));
}

// The greatest of a number that every rank has.
class Greatest {
 public:
  Greatest(const Problem& of, Units own) : number(own) {
    const Choice& choice = *agreement();
    const Slice one(Space::output, 0, 1);
    problem_ = {.group = of.group, .input = one, .data = one, .choice = &choice};
    waiting_.resize(static_cast<std::size_t>(scratch_used(schedule())));
    memory.type = describe(MPI_INT64_T);
    memory.op = MPI_MAX;
    memory.loop = memory.type.loops->of(MPI_MAX);
    memory.base[static_cast<std::size_t>(Space::output)] = reinterpret_cast<std::byte*>(&number);
    memory.base[static_cast<std::size_t>(Space::scratch)] =
        reinterpret_cast<std::byte*>(waiting_.data());
  }
  Greatest(const Greatest&) = delete;
  Greatest& operator=(const Greatest&) = delete;
  ~Greatest() = default;

  Units number;
  Memory memory;

  [[nodiscard]] Schedule schedule() const { return problem_.choice->schedule(problem_); }

 private:
  Problem problem_;
  std::vector<Units> waiting_;
};

// A block for each rank, all of the same length, in memory of the call: first its own length, then
// its bytes.
class PaddedBlocks {
 public:
  PaddedBlocks(Call& call, int ranks, Units longest)
      : call_(call), ranks_(ranks), size_(header + longest), bytes_(call.bytes(ranks * size_)) {}

  [[nodiscard]] Blocks in(Space space) {
    call_.set(space, bytes_);
    return Blocks::even(Slice(space, 0, total()), ranks_);
  }
  [[nodiscard]] Units total() const noexcept { return ranks_ * size_; }
  int pack(std::span<const Buffer> user) {
    int error = MPI_SUCCESS;
    for (std::size_t i = 0; error == MPI_SUCCESS && i < user.size(); ++i) {
      const Units length = user[i].bytes();
      std::memcpy(at(i), &length, sizeof length);
      error = move_data(call_, block(i, length), user[i]);
    }
    return error;
  }
  // What is shorter than the room for it leaves the rest as it was; what is longer is an error.
  int unpack(std::span<const Buffer> user) {
    int error = MPI_SUCCESS;
    for (std::size_t i = 0; error == MPI_SUCCESS && i < user.size(); ++i) {
      Units length = 0;
      std::memcpy(&length, at(i), sizeof length);
      error = move_data(call_, user[i], block(i, length));
    }
    return error;
  }

 private:
  static constexpr Units header = sizeof(Units);

  [[nodiscard]] std::byte* at(std::size_t i) const {
    return bytes_ + static_cast<Units>(i) * size_;
  }
  [[nodiscard]] Buffer block(std::size_t i, Units length) const {
    return {at(i) + header, length, &describe(MPI_BYTE)};
  }

  Call& call_;
  int ranks_;
  Units size_;
  std::byte* bytes_;
};

// The blocks are those of the buffers, padded.
Running begin_padded(Plan& plan, Communicator& comm, Buffers sent, Buffers received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  const Buffers& given = sent.empty() ? received : sent;
  Greatest longest(call.problem, 0);
  for (const Buffer& buffer : given) longest.number = std::max(longest.number, buffer.bytes());
  Schedule schedule = longest.schedule();
  int error = co_await call.run_early(schedule, longest.memory);
  if (error != MPI_SUCCESS) co_return error;
  PaddedBlocks in(call, comm.size(), longest.number);
  PaddedBlocks out(call, comm.size(), longest.number);
  call.problem.given = in.in(Space::input);
  call.problem.blocks = out.in(Space::output);
  do {
    error = in.pack(given);
    if (error == MPI_SUCCESS) error = co_await call.run(out.total());
    if (error == MPI_SUCCESS) error = out.unpack(received);
  } while (co_await again(error));
  co_return error;
}

// A receiver may have room for more than it is sent: MPI libraries take that, though the standard
// does not allow it. What is too long is an error of the message that brings it.
class UnpaddedBlocks {
 public:
  UnpaddedBlocks(Call& call, std::span<const Buffer> sent, std::span<const Buffer> received)
      : out(call, received),
        own_(static_cast<std::size_t>(call.problem.group.rank)),
        in_place_(sent.empty()) {
    if (!in_place_) {
      in.emplace(call, sent);
    } else if (!call.problem.choice->algorithm->in_place) {
      in.emplace(ByteBlocks::copies(call, received));
    }
    call.problem.blocks = out.in(Space::output);
    call.problem.given = in.has_value() ? in->in(Space::input) : call.problem.blocks;
  }

  ByteBlocks out;
  std::optional<ByteBlocks> in;

  [[nodiscard]] bool own_block_fits() const {
    return in_place_ || in->lengths()[own_] <= out.lengths()[own_];
  }
  int prepare() {
    if (!own_block_fits()) return MPI_ERR_TRUNCATE;
    int error = in.has_value() ? in->pack_all() : static_cast<int>(MPI_SUCCESS);
    // Where less arrives than there is room for, what lies behind it stays as it was.
    const bool packs_out = !in_place_ || !in.has_value();
    if (error == MPI_SUCCESS && packs_out) error = out.pack_all();
    return error;
  }
  [[nodiscard]] std::int64_t m() const { return out.total(); }
  int finish() { return out.unpack_all(); }

 private:
  std::size_t own_;
  bool in_place_;
};

// By an algorithm that has to know lengths of other ranks, which are told first.
Running begin_after_telling(Plan& plan, Communicator& comm, Buffers sent, Buffers received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  UnpaddedBlocks blocks(call, sent, received);
  if (!blocks.own_block_fits()) co_return MPI_ERR_TRUNCATE;
  int error = MPI_SUCCESS;
  std::vector<Units> rows;
  if (plan.choice->algorithm->needs_rows) {
    const Subgroup site = own_site(comm);
    Schedule schedule = gathered_rows(site, blocks.in->lengths(), rows);
    const Memory memory = memory_of_bytes({}, rows);
    error = co_await call.run_early(schedule, memory);
    if (error != MPI_SUCCESS) co_return error;
    call.problem.rows = rows;
  }
  std::optional<ToldLengths> lengths;
  if (plan.choice->algorithm->passes_on) {
    lengths.emplace(call.problem, blocks.in->lengths());
    Schedule schedule = lengths->schedule();
    error = co_await call.run_early(schedule, lengths->memory);
    if (error != MPI_SUCCESS) co_return error;
    if (!lengths->fit(blocks.out.lengths())) co_return MPI_ERR_TRUNCATE;
    call.problem.blocks = blocks.out.in(Space::output, lengths->arriving());
    call.problem.passing = lengths->passing();
  }
  do {
    error = blocks.prepare();
    if (error == MPI_SUCCESS) error = co_await call.run(blocks.m());
    if (error == MPI_SUCCESS) error = blocks.finish();
  } while (co_await again(error));
  co_return error;
}

class Alltoall {
 public:
  Alltoall(Call& call, const Buffer& sent, const Buffer& received)
      : call_(call),
        fits_(sent.in_place() || sent.bytes() == received.bytes()),
        out_(call, received, call.problem.group.size) {
    const int p = call.problem.group.size;
    call.set(Space::output, out_.whole().address);
    call.problem.blocks = Blocks::even(Slice(Space::output, 0, out_.total()), p);
    if (sent.in_place() && call.problem.choice->algorithm->in_place) {
      call.problem.given = call.problem.blocks;
      return;
    }
    in_.emplace(call, sent.in_place() ? received : sent, p, sent.in_place());
    call.set(Space::input, in_->whole().address);
    call.problem.given = Blocks::even(Slice(Space::input, 0, in_->total()), p);
  }
  int prepare() {
    if (!fits_) return MPI_ERR_TRUNCATE;
    return in_.has_value() ? in_->pack(call_) : out_.pack(call_);
  }
  [[nodiscard]] std::int64_t m() const { return out_.total(); }
  int finish() { return out_.unpack(call_); }

 private:
  Call& call_;
  bool fits_;
  EvenBlocks out_;
  std::optional<EvenBlocks> in_;
};

}  // namespace

Running begin_alltoallv(Plan& plan, Communicator& comm, Buffers sent, Buffers received) {
  const Algorithm& algorithm = *plan.choice->algorithm;
  if (algorithm.pads) return begin_padded(plan, comm, std::move(sent), std::move(received));
  if (algorithm.needs_rows || algorithm.passes_on) {
    return begin_after_telling(plan, comm, std::move(sent), std::move(received));
  }
  return begin_with<UnpaddedBlocks>(plan, comm, std::tuple(), std::move(sent), std::move(received));
}
int run_alltoallv(Plan& plan, Communicator& comm, const Buffers& sent, const Buffers& received) {
  const Algorithm& algorithm = *plan.choice->algorithm;
  if (algorithm.pads || algorithm.needs_rows || algorithm.passes_on) {
    return begin_alltoallv(plan, comm, sent, received).wait();
  }
  return run_with<UnpaddedBlocks>(plan, comm, std::tuple(), sent, received);
}

Running begin_alltoall(Plan& plan, Communicator& comm, Buffer sent, Buffer received) {
  return begin_with<Alltoall>(plan, comm, std::tuple(), sent, received);
}
int run_alltoall(Plan& plan, Communicator& comm, const Buffer& sent, const Buffer& received) {
  return run_with<Alltoall>(plan, comm, std::tuple(), sent, received);
}

}  // namespace roundelay::mpi
