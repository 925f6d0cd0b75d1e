// SPDX-License-Identifier: Apache-2.0
// The collectives in which a rank exchanges blocks with its neighbours.
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "mpi/byte_blocks.hpp"
#include "mpi/call.hpp"
#include "mpi/collectives.hpp"
#include "mpi/told_lengths.hpp"

namespace roundelay::mpi {

namespace {

// What all forms of a call have in common. The graph outlives the communicator's, which may get
// another one meanwhile.
class AmongNeighbours {
 public:
  AmongNeighbours(Call& call, std::shared_ptr<const Graph> graph)
      : graph_(std::move(graph)),
        rank_(call.problem.group.rank),
        sends_one_(sends_one_block(call.problem.choice->algorithm->collective)) {
    call.problem.graph = graph_.get();
  }

 protected:
  void send(Call& call, const Blocks& given) const {
    if (sends_one_) {
      call.problem.input = given[0];
    } else {
      call.problem.given = given;
    }
  }
  // Whether what the rank has for itself is no longer than the room for it. Both lengths are those
  // of blocks by their numbers.
  template <typename Sent, typename Received>
  [[nodiscard]] bool own_blocks_fit(const Sent& sent, const Received& received) const {
    const std::span<const Edge> sources = graph_->sources(rank_);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].peer != rank_) continue;
      const int block = sends_one_ ? 0 : graph_->sent_along(rank_, i).block;
      if (sent(block) > received(sources[i].block)) return false;
    }
    return true;
  }
  [[nodiscard]] const Graph& graph() const noexcept { return *graph_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] bool sends_one() const noexcept { return sends_one_; }

 private:
  std::shared_ptr<const Graph> graph_;
  int rank_;
  bool sends_one_;
};

// As with alltoallv, a receiver may have room for more than it is sent: what lies behind it stays
// as it was.
class ListedAmongNeighbours : public AmongNeighbours {
 public:
  ListedAmongNeighbours(Call& call, std::shared_ptr<const Graph> graph,
                        std::span<const Buffer> sent, std::span<const Buffer> received)
      : AmongNeighbours(call, std::move(graph)), in(call, sent), out(call, received) {
    if (!received.empty()) call.problem.blocks = out.in(Space::output);
    if (!sent.empty()) send(call, in.in(Space::input));
  }

  ByteBlocks in;
  ByteBlocks out;

  [[nodiscard]] bool own_blocks_fit() const {
    const auto length_in = [](const ByteBlocks& blocks) {
      return [&](int block) { return blocks.lengths()[static_cast<std::size_t>(block)]; };
    };
    return AmongNeighbours::own_blocks_fit(length_in(in), length_in(out));
  }
  int prepare() {
    if (!own_blocks_fit()) return MPI_ERR_TRUNCATE;
    const int error = in.pack_all();
    return error != MPI_SUCCESS ? error : out.pack_all();
  }
  [[nodiscard]] std::int64_t m() const { return out.total(); }
  int finish() { return out.unpack_all(); }
};

// Blocks of one length that are moved where the program has them.
class EvenAmongNeighbours : public AmongNeighbours {
 public:
  EvenAmongNeighbours(Call& call, std::shared_ptr<const Graph> graph, const Buffer& sent,
                      const Buffer& received)
      : AmongNeighbours(call, std::move(graph)), sent_(sent.bytes()), received_(received.bytes()) {
    call.set(Space::input, sent.address);
    call.set(Space::output, received.address);
    const auto blocks_in = [](Space space, Units block, int count) {
      return Blocks::even(Slice(space, 0, count * block), count);
    };
    const Graph& all = this->graph();
    if (const int count = all.sent_blocks(rank()); count > 0) {
      send(call, blocks_in(Space::input, sent_, sends_one() ? 1 : count));
    }
    blocks_ = all.received_blocks(rank());
    if (blocks_ > 0) call.problem.blocks = blocks_in(Space::output, received_, blocks_);
  }
  int prepare() {
    const bool fits = own_blocks_fit([&](int) { return sent_; }, [&](int) { return received_; });
    return fits ? static_cast<int>(MPI_SUCCESS) : MPI_ERR_TRUNCATE;
  }
  [[nodiscard]] std::int64_t m() const { return blocks_ * received_; }
  static int finish() { return MPI_SUCCESS; }

 private:
  Units sent_;
  Units received_;
  int blocks_ = 0;
};

// By an algorithm that passes blocks on, of which some may have another length than the others.
Running begin_after_telling(Plan& plan, Communicator& comm, std::shared_ptr<const Graph> graph,
                            Buffers sent, Buffers received) {
  ExecutorOfThread executor;
  Call call(*executor, plan, comm);
  ListedAmongNeighbours blocks(call, std::move(graph), sent, received);
  if (!blocks.own_blocks_fit()) co_return MPI_ERR_TRUNCATE;
  ToldLengths lengths(call.problem, blocks.in.lengths());
  Schedule schedule = lengths.schedule();
  int error = co_await call.run_early(schedule, lengths.memory);
  if (error != MPI_SUCCESS) co_return error;
  if (!lengths.fit(blocks.out.lengths())) co_return MPI_ERR_TRUNCATE;
  if (!received.empty()) call.problem.blocks = blocks.out.in(Space::output, lengths.arriving());
  call.problem.passing = lengths.passing();
  do {
    error = blocks.prepare();
    if (error == MPI_SUCCESS) error = co_await call.run(blocks.m());
    if (error == MPI_SUCCESS) error = blocks.finish();
  } while (co_await again(error));
  co_return error;
}

bool tells_lengths(const Plan& plan, const Communicator& comm) {
  return plan.choice->algorithm->tells_lengths(comm.graph().get());
}

}  // namespace

Running begin_neighbor_alltoallv(Plan& plan, Communicator& comm, Buffers sent, Buffers received) {
  if (tells_lengths(plan, comm)) {
    return begin_after_telling(plan, comm, comm.graph(), std::move(sent), std::move(received));
  }
  return begin_with<ListedAmongNeighbours>(plan, comm, std::tuple(), comm.graph(), std::move(sent),
                                           std::move(received));
}
int run_neighbor_alltoallv(Plan& plan, Communicator& comm, const Buffers& sent,
                           const Buffers& received) {
  if (tells_lengths(plan, comm)) {
    return begin_neighbor_alltoallv(plan, comm, sent, received).wait();
  }
  return run_with<ListedAmongNeighbours>(plan, comm, std::tuple(), comm.graph(), sent, received);
}

bool needs_no_lists(const Plan& plan, const Communicator& comm, const Buffer& sent,
                    const Buffer& received) {
  return sent.type->contiguous && received.type->contiguous && !tells_lengths(plan, comm);
}
Running begin_neighbor_alltoall(Plan& plan, Communicator& comm, Buffer sent, Buffer received) {
  return begin_with<EvenAmongNeighbours>(plan, comm, std::tuple(), comm.graph(), sent, received);
}
int run_neighbor_alltoall(Plan& plan, Communicator& comm, const Buffer& sent,
                          const Buffer& received) {
  return run_with<EvenAmongNeighbours>(plan, comm, std::tuple(), comm.graph(), sent, received);
}

}  // namespace roundelay::mpi
