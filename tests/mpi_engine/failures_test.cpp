// SPDX-License-Identifier: Apache-2.0
// What is left behind when a point-to-point call fails or memory runs out: nothing. One process,
// which sends to itself.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "mpi/executor_of_thread.hpp"

namespace {

// Before the next one fails: so many sends and receives. Negative: none fails.
int good = -1;

bool fails() {
  if (good < 0) return false;
  --good;
  return good < 0;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// In place of the MPI library's.
int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
  if (fails()) return MPI_ERR_OTHER;
  return next<decltype(PMPI_Irecv)>("PMPI_Irecv")(buffer, count, type, source, tag, comm, request);
}
int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  if (fails()) return MPI_ERR_OTHER;
  return next<decltype(PMPI_Isend)>("PMPI_Isend")(buffer, count, type, dest, tag, comm, request);
}

namespace roundelay::mpi {
namespace {

constexpr Units half = 1 << 16;

// Bytes 0, 1, .. in the input, and an output.
struct Data {
  std::vector<unsigned char> input = std::vector<unsigned char>(4 * half);
  std::vector<unsigned char> output = std::vector<unsigned char>(4 * half);
  Memory memory;

  Data() {
    std::iota(input.begin(), input.end(), static_cast<unsigned char>(1));
    memory.type = describe(MPI_BYTE);
    memory.base[0] = reinterpret_cast<std::byte*>(input.data());
    memory.base[1] = reinterpret_cast<std::byte*>(output.data());
  }
};

Slice given(Units offset, Units length) { return {Space::input, offset, length}; }
Slice wanted(Units offset, Units length) { return {Space::output, offset, length}; }

// Two slices with a gap between them.
Slices both(Slice first, Slice second) {
  Slices slices;
  slices.add(first);
  slices.add(second);
  return slices;
}
Slices sent() { return both(given(0, half), given(2 * half, half)); }

Schedule exchange() {
  co_yield round(send(sent(), 0), recv(both(wanted(half, half), wanted(3 * half, half)), 0));
  co_yield round(send(given(half, half), 0), recv(wanted(0, half), 0));
}

// What exchange() does; the receive of the second round fails.
Schedule nobody_receives() {
  co_yield round(deferred(send(sent(), 0)));
  co_yield round(recv(wanted(0, half), 0));
}

Schedule runs_out_of_memory() {
  co_yield round(deferred(recv(wanted(0, half), 0)));
  throw std::bad_alloc();
}

class Failures : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_dup(MPI_COMM_SELF, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  void TearDown() override {
    good = -1;
    EXPECT_EQ(ExecutorOfThread::sweep(), 0U);
    MPI_Comm_free(&comm_);
  }

  int run(Schedule schedule, Data& data) {
    ExecutorOfThread executor;
    return executor->run({std::move(schedule), &data.memory}, {comm_, tag}, Discipline::early);
  }
  void expect_that_a_call_works() {
    Data data;
    ASSERT_EQ(run(exchange(), data), MPI_SUCCESS);
    for (Units i = 0; i < half; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(data.output[at + half], data.input[at]);
      ASSERT_EQ(data.output[at + 3 * half], data.input[at + 2 * half]);
      ASSERT_EQ(data.output[at], data.input[at + half]);
    }
  }

  static constexpr int tag = 1;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

TEST_F(Failures, NoneAtFirst) { expect_that_a_call_works(); }

// Its receives are cancelled: else they would take what the next call sends.
TEST_F(Failures, OfMemory) {
  Data data;
  EXPECT_THROW(run(runs_out_of_memory(), data), std::bad_alloc);
  expect_that_a_call_works();
  EXPECT_EQ(data.output, std::vector<unsigned char>(4 * half));
}

TEST_F(Failures, OfASend) {
  Data data;
  good = 1;  // the receive is posted before
  EXPECT_EQ(run(exchange(), data), MPI_ERR_OTHER);
  expect_that_a_call_works();
}

// The message that was on its way still comes from memory that nobody has freed or used again.
TEST_F(Failures, OfAReceiveWhileASendIsUnderWay) {
  Data data;
  good = 1;
  EXPECT_EQ(run(nobody_receives(), data), MPI_ERR_OTHER);
  const std::size_t under_way = ExecutorOfThread::sweep();
  EXPECT_LE(under_way, 1U);
  {
    ExecutorOfThread executor;
    std::byte* other = executor->memory(2 * half);
    std::fill_n(other, 2 * half, std::byte{0xee});
  }
  std::vector<unsigned char> received(2 * half);
  PMPI_Recv(received.data(), static_cast<int>(received.size()), MPI_BYTE, 0, tag, comm_,
            MPI_STATUS_IGNORE);
  const auto at = [&](Units i) { return data.input.begin() + i; };
  EXPECT_TRUE(std::equal(received.begin(), received.begin() + half, at(0)));
  EXPECT_TRUE(std::equal(received.begin() + half, received.end(), at(2 * half)));
  EXPECT_EQ(ExecutorOfThread::sweep(), 0U);
  expect_that_a_call_works();
}

// What is in progress and given up receives nothing any more.
TEST_F(Failures, GivenUpWhileInProgress) {
  Data data;
  {
    ExecutorOfThread executor;
    Schedule schedule = []() -> Schedule { co_yield round(recv(wanted(0, half), 0)); }();
    ScheduledPart part{std::move(schedule), &data.memory};
    ASSERT_EQ(executor->start({&part, 1}, {comm_, tag}, Discipline::early), MPI_SUCCESS);
    ASSERT_EQ(executor->progress(), MPI_SUCCESS);
    ASSERT_FALSE(executor->over());
    executor->give_up();
    EXPECT_TRUE(executor->over());
  }
  expect_that_a_call_works();
}

}  // namespace
}  // namespace roundelay::mpi

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  MPI_Finalize();
  return result;
}
