// SPDX-License-Identifier: Apache-2.0
// Several collectives in progress on one communicator: started in the same order on all ranks,
// progressed in an order of each rank's own, mixed with blocking ones. And more calls than an MPI
// library with few tags has for them. Ends with 1 if a result is wrong. Usage: running SEED TIMES
#include "mpi/running.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "choose/spelling.hpp"
#include "mpi/collectives.hpp"
#include "mpi/pending.hpp"
#include "mpi/persistent.hpp"
#include "mpi/progress_hook.hpp"

namespace roundelay::mpi {
namespace {

constexpr long gap = -7;  // what stands between elements of the vector type

// The type of every second long: its messages are packed and unpacked.
MPI_Datatype with_gaps() {
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(1, 1, 2, MPI_LONG, &vector);
  MPI_Type_create_resized(vector, 0, 2 * sizeof(long), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&vector);
  return type;
}

// One collective on data of its own. Value i of what rank r gives is value(r, i).
class Test {
 public:
  Test(Communicator& comm, Collective collective, const std::string& algorithm, int count, int root,
       MPI_Datatype type, long salt)
      : plan(std::make_shared<const Choice>(choose::parse_algorithm(collective, algorithm))),
        running(begin(comm, collective, count, root, type, salt)) {}

  bool progress() { return running.progress(); }
  int wait() { return running.wait(); }
  [[nodiscard]] bool is_right() const { return received == expected; }

  Plan plan;
  std::vector<long> sent;
  std::vector<long> received;
  std::vector<long> expected;
  Running running;

 private:
  Running begin(Communicator& comm, Collective collective, int count, int root, MPI_Datatype type,
                long salt) {
    const int p = comm.size();
    const int me = comm.rank();
    const Datatype& description = describe(type);
    const auto step = static_cast<std::size_t>(description.extent) / sizeof(long);
    const auto value = [&](int rank, std::size_t i) {
      return salt + 1000L * rank + static_cast<long>(i);
    };
    const auto n = static_cast<std::size_t>(count);
    const auto blocks = [&](std::size_t number,
                            const std::function<long(std::size_t, std::size_t)>& of) {
      std::vector<long> data(number * n * step, gap);
      for (std::size_t b = 0; b < number; ++b) {
        for (std::size_t i = 0; i < n; ++i) data[(b * n + i) * step] = of(b, i);
      }
      return data;
    };
    const auto block = [&](int rank) {
      return blocks(1, [&](std::size_t, std::size_t i) { return value(rank, i); });
    };
    const auto list = [&](std::vector<long>& data) {
      Buffers all;
      for (int r = 0; r < p; ++r) all.push_back(Buffer{data.data(), count, &description}.of(r));
      return all;
    };
    const auto ranks = static_cast<std::size_t>(p);
    const auto sum_to = [&](int last) {
      return blocks(1, [&](std::size_t, std::size_t i) {
        long sum = 0;
        for (int r = 0; r <= last; ++r) sum += value(r, i);
        return sum;
      });
    };
    const Operation sum{MPI_SUM, &describe(MPI_LONG), true};
    sent = block(me);
    received.assign(sent.size(), gap);
    const Buffer mine{sent.data(), count, &description};
    switch (collective) {
      case Collective::allreduce:
        expected = sum_to(p - 1);
        return begin_allreduce(plan, comm, mine, received.data(), sum);
      case Collective::reduce:
        if (me == root) expected = sum_to(p - 1);
        if (me != root) received.clear();
        return begin_reduce(plan, comm, mine, received.data(), root, sum);
      case Collective::scan:
        expected = sum_to(me);
        return begin_scan(plan, comm, mine, received.data(), sum);
      case Collective::bcast:
        expected = block(root);
        if (me == root) received = expected;
        return begin_bcast(plan, comm, {received.data(), count, &description}, root);
      case Collective::barrier: expected = received; return begin_barrier(plan, comm);
      case Collective::allgather:
        expected = blocks(
            ranks, [&](std::size_t b, std::size_t i) { return value(static_cast<int>(b), i); });
        received.assign(expected.size(), gap);
        return begin_allgather(plan, comm, mine, {received.data(), count, &description});
      case Collective::gatherv:
        if (me == root)
          expected = blocks(
              ranks, [&](std::size_t b, std::size_t i) { return value(static_cast<int>(b), i); });
        received.assign(expected.size(), gap);
        return begin_gatherv(plan, comm, mine, me == root ? list(received) : Buffers(), root);
      case Collective::scatter:
        expected = blocks(1, [&](std::size_t, std::size_t i) {
          return value(root, i + n * static_cast<std::size_t>(me));
        });
        sent = blocks(ranks, [&](std::size_t b, std::size_t i) { return value(root, i + n * b); });
        return begin_scatter(plan, comm, {sent.data(), count, &description},
                             {received.data(), count, &description}, root);
      case Collective::alltoallv: {
        const auto of = [&](int from, int to, std::size_t i) {
          return value(from, i) + 100000L * to;
        };
        sent = blocks(ranks,
                      [&](std::size_t b, std::size_t i) { return of(me, static_cast<int>(b), i); });
        expected = blocks(
            ranks, [&](std::size_t b, std::size_t i) { return of(static_cast<int>(b), me, i); });
        received.assign(expected.size(), gap);
        return begin_alltoallv(plan, comm, list(sent), list(received));
      }
      default: std::abort();
    }
  }
};

struct Kind {
  Collective collective;
  const char* algorithm;
  bool combines = false;
};
const std::vector<Kind> kinds{
    {Collective::allreduce, "ring", true},
    {Collective::allreduce, "recursive_doubling", true},
    {Collective::reduce, "binomial", true},
    {Collective::reduce, "circulant", true},
    {Collective::scan, "recursive_doubling", true},
    {Collective::bcast, "binomial"},
    {Collective::bcast, "circulant(discipline=paced)"},
    {Collective::barrier, "dissemination"},
    {Collective::allgather, "ring(discipline=paced)"},
    {Collective::allgather, "bruck"},
    {Collective::gatherv, "linear"},
    {Collective::scatter, "binomial"},
    {Collective::alltoallv, "pairwise"},
    {Collective::alltoallv, "padded"},
    {Collective::alltoallv, "tuna"},
};

int wrong_after(Communicator& comm, std::mt19937& shared, std::mt19937& own, MPI_Datatype gaps) {
  const auto draw = [](std::mt19937& from, std::size_t below) { return from() % below; };
  std::vector<std::unique_ptr<Test>> tests;
  std::vector<Test*> in_progress;
  const std::size_t number = 2 + draw(shared, 5);
  for (std::size_t i = 0; i < number; ++i) {
    const Kind& kind = kinds[draw(shared, kinds.size())];
    const int count =
        static_cast<int>(draw(shared, 2) == 0 ? draw(shared, 4) : draw(shared, 20000));
    const int root = static_cast<int>(draw(shared, static_cast<std::size_t>(comm.size())));
    const bool packed = draw(shared, 2) == 0 && !kind.combines;
    const bool blocking = draw(shared, 4) == 0;
    tests.push_back(std::make_unique<Test>(comm, kind.collective, kind.algorithm, count, root,
                                           packed ? gaps : MPI_LONG, static_cast<long>(i)));
    if (blocking) {
      if (tests.back()->wait() != MPI_SUCCESS) return 1;
    } else if (!tests.back()->progress()) {
      in_progress.push_back(tests.back().get());
    }
  }
  while (!in_progress.empty()) {
    const auto next =
        in_progress.begin() + static_cast<std::ptrdiff_t>(draw(own, in_progress.size()));
    // The last one may wait: all others of this rank are over.
    if (in_progress.size() == 1 && draw(own, 2) == 0) (*next)->wait();
    if ((*next)->progress()) in_progress.erase(next);
  }
  return static_cast<int>(std::ranges::count_if(
      tests, [](const auto& test) { return test->wait() != MPI_SUCCESS || !test->is_right(); }));
}

// Rank 0 is as far ahead of the others as it may be.
void let_the_others_go(const Communicator& comm) {
  for (int to = 1; comm.rank() == 0 && to < comm.size(); ++to) {
    PMPI_Send(nullptr, 0, MPI_INT, to, 0, comm.user());
  }
}
void wait_to_go(const Communicator& comm) {
  if (comm.rank() > 0) PMPI_Recv(nullptr, 0, MPI_INT, 0, 0, comm.user(), MPI_STATUS_IGNORE);
}

// All that there are tags for are pending on rank 0 when the others begin, and then come some more.
bool ends_with_few_tags(Communicator& comm) {
  comm.tags() = Tags();
  const std::size_t most = comm.tags().most_apart();
  std::vector<std::unique_ptr<Test>> tests;
  std::vector<MPI_Request> requests(most + 10, MPI_REQUEST_NULL);
  bool fine = true;
  wait_to_go(comm);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i == most) let_the_others_go(comm);
    tests.push_back(std::make_unique<Test>(comm, Collective::allreduce, "ring", comm.size(), 0,
                                           MPI_LONG, static_cast<long>(i)));
    Running running = std::move(tests.back()->running);
    fine &= start(comm, std::move(running), {}, 0, requests[i]) == MPI_SUCCESS;
  }
  PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return fine && std::ranges::all_of(tests, [](const auto& test) { return test->is_right(); });
}

// The first and the last of many that can be started again have the same tags.
bool restarts_with_few_tags(Communicator& comm) {
  comm.tags() = Tags();
  std::array<std::unique_ptr<PersistentCall>, 2> calls;
  std::array<std::unique_ptr<Test>, 2> tests;
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  bool fine = true;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    tests[i] = std::make_unique<Test>(comm, Collective::allreduce, "ring", comm.size(), 0, MPI_LONG,
                                      static_cast<long>(i));
    const Plan& plan = tests[i]->plan;
    calls[i] = std::make_unique<PersistentCall>(comm, plan);
    for (std::uint64_t n = 1; i == 0 && n < comm.tags().most_apart(); ++n) {
      const PersistentCall other(comm, plan);
    }
    fine &= calls[i]->make_request(std::move(tests[i]->running), requests[i]) == MPI_SUCCESS;
  }
  for (int run = 0; run < 3; ++run) {
    wait_to_go(comm);
    fine &= calls[0]->start(requests[0], false) == MPI_SUCCESS;
    let_the_others_go(comm);
    fine &= calls[1]->start(requests[1], false) == MPI_SUCCESS;
    PMPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    fine &= std::ranges::all_of(tests, [](const auto& test) { return test->is_right(); });
  }
  for (MPI_Request& request : requests) PMPI_Request_free(&request);
  return fine && calls[0]->tags == calls[1]->tags;
}

int wrong_in_all(unsigned seed, int times) {
  Communicator comm(MPI_COMM_WORLD);
  if (!comm.make_own()) return 1;
  MPI_Datatype gaps = with_gaps();
  std::mt19937 shared(seed);
  std::mt19937 own(seed + 1000U * static_cast<unsigned>(comm.rank() + 1));
  int wrong = 0;
  for (int i = 0; wrong == 0 && i < times; ++i) wrong = wrong_after(comm, shared, own, gaps);
  MPI_Type_free(&gaps);
  if (has_progress_hook() && !(ends_with_few_tags(comm) && restarts_with_few_tags(comm))) ++wrong;
  comm.free_own();
  return wrong;
}

}  // namespace
}  // namespace roundelay::mpi

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong =
      roundelay::mpi::wrong_in_all(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1U,
                                   argc > 2 ? std::atoi(argv[2]) : 100);
  if (wrong > 0) std::fprintf(stderr, "%d results are wrong\n", wrong);
  int all_wrong = 0;
  PMPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_wrong > 0 ? 1 : 0;
}
