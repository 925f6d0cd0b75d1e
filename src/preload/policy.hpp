// SPDX-License-Identifier: Apache-2.0
// Decides what runs on a communicator, and receives how long it took.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "choose/candidates.hpp"
#include "preload/communicator_properties.hpp"
#include "preload/decision.hpp"

namespace roundelay::preload {

class Policy {
 public:
  // Both are the same on all ranks, so that all of them decide alike; nothing else counts.
  Policy(CommunicatorProperties properties, const Settings& settings)
      : properties_(std::move(properties)), settings_(settings) {}

  // What to run for calls with these facts, and why. The facts of the communicator are filled in
  // here. Throws ImpossibleChoice if what the user asked for cannot be done.
  [[nodiscard]] Decision decide(const Facts& call) const;
  // The same with an algorithm that was found otherwise.
  [[nodiscard]] Decision decision(const Facts& call, std::shared_ptr<const Choice> choice,
                                  const std::string& reason) const;
  // Why calls that do not wait are all left to the MPI library, or null. The same on all ranks.
  [[nodiscard]] const char* leaves_later_native(const Communicator& comm) const;
  // What a call that does not wait runs where others run what was decided.
  [[nodiscard]] Decision later(Form form, const Decision& blocking, const Communicator& comm) const;
  // The MPI library's own.
  [[nodiscard]] static Decision left_native(Form form, Collective collective,
                                            const std::string& reason);
  // What is worth measuring for such calls; what decide() says comes first.
  [[nodiscard]] std::vector<choose::Candidate> candidates(const Facts& call) const {
    return choose::candidates(complete(call), settings_.wishes, properties_.machine);
  }
  // The first of these, which need no search.
  [[nodiscard]] std::vector<choose::Candidate> candidates_at_once(const Facts& call) const {
    return choose::candidates_at_once(complete(call), settings_.wishes, properties_.machine);
  }
  // Whether this process would not have to search for the others, because it has done so before.
  [[nodiscard]] bool remembers_candidates(const Facts& call) const {
    return choose::remembers_prices(complete(call), properties_.machine);
  }
  // With the facts of the communicator.
  [[nodiscard]] Facts complete(Facts call) const;
  [[nodiscard]] const Machine& machine() const noexcept { return properties_.machine; }
  // Whatever is called: the ranks may not even ask each other. And why; empty if not.
  [[nodiscard]] bool leaves_all_native() const noexcept {
    return !properties_.native_because.empty();
  }
  [[nodiscard]] const std::string& native_because() const noexcept {
    return properties_.native_because;
  }
  // Whether reconsider() may change anything yet.
  [[nodiscard]] bool may_change() const noexcept {
    return properties_.sharing_waits || properties_.set_up_waits;
  }
  // Whether it may change because the ranks agree again.
  [[nodiscard]] bool set_up_waits() const noexcept { return properties_.set_up_waits; }
  // Whether the ranks, all on one node, may share memory later.
  [[nodiscard]] bool sharing_waits() const noexcept { return properties_.sharing_waits; }
  // The calls after which this is expected to be worth its time; 0: that is not the reason.
  [[nodiscard]] std::uint64_t calls_until_set_up() const noexcept {
    return properties_.calls_until_set_up;
  }
  // What the longest search for what may be faster took on a rank until the ranks agreed.
  [[nodiscard]] double seconds_of_search() const noexcept { return properties_.seconds_of_search; }
  // Whether sending a message of so many bytes takes much longer than an agreement. The same on all
  // ranks.
  [[nodiscard]] bool is_long(std::int64_t bytes) const noexcept;
  // Collective over the communicator. Returns whether what was decided has to be decided anew.
  bool reconsider(Communicator& comm, std::uint64_t ticks_in_calls) {
    return share_if_worth_it(comm, properties_, ticks_in_calls);
  }
  // Whether some rank may use memory of a GPU.
  [[nodiscard]] bool may_use_device() const noexcept { return properties_.may_use_device; }
  // Leaves the collectives to the MPI library that were called with memory of a GPU so many times.
  // Returns whether what was decided has to be decided anew.
  bool leave_on_device(std::span<const std::int64_t, collectives.size()> calls);
  // The lengths that are decided like this one.
  [[nodiscard]] Lengths alike(Collective collective, std::int64_t bytes) const;
  // Passes on what came of a decision since it was last asked. `is_rank_0`: this process is rank 0
  // of the communicator.
  static void observe(Decision& decision, bool is_rank_0);

 private:
  CommunicatorProperties properties_;
  std::array<bool, collectives.size()> on_device_{};
  const Settings& settings_;
};

}  // namespace roundelay::preload
