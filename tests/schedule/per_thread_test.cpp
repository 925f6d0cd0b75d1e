// SPDX-License-Identifier: Apache-2.0
#include "schedule/per_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "schedule/frame_pool.hpp"

namespace roundelay {
namespace {

std::atomic<int> alive{0};

struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }
  std::vector<int> values;
};

TEST(PerThread, IsOneObjectForEachThread) {
  Counted* here = &per_thread<Counted>();
  EXPECT_EQ(&per_thread<Counted>(), here);
  std::thread([here] { EXPECT_NE(&per_thread<Counted>(), here); }).join();
}

TEST(PerThread, IsDestroyedWhenTheThreadEnds) {
  const int before = alive;
  std::thread([] { per_thread<Counted>().values.push_back(1); }).join();
  EXPECT_EQ(alive, before);
}

// Is destroyed after the object of its thread, if it was made before.
struct UsesItLast {
  bool* made_anew = nullptr;
  UsesItLast() = default;
  UsesItLast(const UsesItLast&) = delete;
  UsesItLast& operator=(const UsesItLast&) = delete;
  ~UsesItLast() {
    *made_anew = per_thread<Counted>().values.empty();
    per_thread<Counted>().values.push_back(1);
  }
};

TEST(PerThread, IsMadeAnewWhileTheThreadEndsAndDestroyedAgain) {
  const int before = alive;
  bool made_anew = false;
  std::thread([&made_anew] {
    static thread_local UsesItLast last;
    last.made_anew = &made_anew;
    per_thread<Counted>().values.push_back(1);
  }).join();
  EXPECT_TRUE(made_anew);
  EXPECT_EQ(alive, before);
}

void use_late() {
  std::vector<int>& values = per_thread<Counted>().values;
  const bool made_anew = values.empty();
  values.push_back(1);
  void* frame = FramePool::allocate(100);
  FramePool::release(frame, 100);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the only thread
  std::_Exit(made_anew && FramePool::allocate(100) != nullptr ? 7 : 1);
}

TEST(PerThread, CanBeUsedInAtexitHandlers) {
  EXPECT_EXIT(
      {
        per_thread<Counted>().values.push_back(1);
        FramePool::release(FramePool::allocate(100), 100);
        std::atexit(use_late);
        std::exit(0);  // NOLINT(concurrency-mt-unsafe): the only thread
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace roundelay
