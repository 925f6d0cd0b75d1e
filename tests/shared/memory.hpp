// SPDX-License-Identifier: Apache-2.0
// Memory that threads share as if they were ranks.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "shared/layout.hpp"
#include "shared/port.hpp"

namespace roundelay::shared {

class Memory {
 public:
  explicit Memory(int ranks)
      : layout_(ranks),
        memory_(static_cast<std::byte*>(::operator new(layout_.bytes(), std::align_val_t{4096}))) {
    std::memset(memory_.get(), 0, layout_.bytes());
    for (int rank = 0; rank < ranks; ++rank) view().bell(rank).process = getpid();
  }
  [[nodiscard]] View view() const { return {memory_.get(), layout_}; }
  // The system lets no rank read what another one has elsewhere.
  void hide() const {
    for (int rank = 0; rank < layout_.ranks(); ++rank) view().bell(rank).process = -1;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{4096}); }
  };
  Layout layout_;
  std::unique_ptr<std::byte, Free> memory_;
};

inline void on_each(int ranks, const std::function<void(int)>& rank_does) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(rank_does, rank);
  for (std::thread& thread : threads) thread.join();
}

// Until enough() says so.
template <typename Enough>
void progress_until(Port& port, bool sleeps, const Enough& enough) {
  while (!enough()) {
    if (sleeps) {
      port.sleep_unless(enough);
    } else {
      port.progress();
      std::this_thread::yield();
    }
  }
}

inline void finish(Port& port, const Message& message, bool sleeps) {
  progress_until(port, sleeps, [&] { return message.done; });
}

}  // namespace roundelay::shared
