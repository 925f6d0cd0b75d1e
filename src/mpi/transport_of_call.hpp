// SPDX-License-Identifier: Apache-2.0
// What a transport has to know of the call that it serves.
#pragma once

#include <array>
#include <cstddef>

#include "mpi/memory.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"
#include "mpi/transport.hpp"

namespace roundelay::mpi {

class TransportOfCall : public Transport {
 public:
  // Staging memory is from `scratch`, which has to stay as it is until nothing is under way.
  explicit TransportOfCall(Scratch& scratch) noexcept : scratch_(scratch) {}

  // Which messages it sends from now on, and where the units of the first channel are.
  void use(const Messages& messages, const Memory& first) noexcept {
    messages_ = messages;
    memories_[0] = &first;
  }
  void use_second(const Memory& second) noexcept { memories_[1] = &second; }

  int step(const LocalStep& step, Channel channel) final { return do_step(step, memory(channel)); }

 protected:
  [[nodiscard]] Scratch& scratch() const noexcept { return scratch_; }
  [[nodiscard]] const Messages& messages() const noexcept { return messages_; }
  [[nodiscard]] const Memory& memory(Channel channel) const noexcept {
    return *memories_[static_cast<std::size_t>(channel)];
  }
  // Of the messages of a channel.
  [[nodiscard]] int tag(Channel channel) const noexcept {
    return messages_.tag + static_cast<int>(channel);
  }

 private:
  Scratch& scratch_;
  Messages messages_;
  std::array<const Memory*, 2> memories_{};
};

}  // namespace roundelay::mpi
