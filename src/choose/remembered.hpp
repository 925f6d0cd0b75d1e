// SPDX-License-Identifier: Apache-2.0
// What the model said before. Communicators of the same shape ask the same questions, and an answer
// takes up to milliseconds where it comes from a run of the schedules.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "choose/chooser.hpp"

namespace roundelay::choose {

class Remembered {
 public:
  // What `model` says of these facts and this machine, which is asked once. Safe to call from many
  // threads.
  template <typename Model>
  Verdict verdict(const Facts& facts, const Machine& machine, const Model& model) {
    {
      const std::lock_guard lock(mutex_);
      for (const Answer& answer : answers_) {
        if (answer.is_to(facts, machine)) return answer.verdict;
      }
    }
    Verdict verdict = model(facts, machine);
    const std::lock_guard lock(mutex_);
    if (answers_.size() == most) answers_.clear();
    answers_.emplace_back(facts, machine, verdict);
    return verdict;
  }

 private:
  static constexpr std::size_t most = 512;

  struct Answer {
    Answer(const Facts& of, const Machine& on, const Verdict& said)
        : facts(of), machine(on), verdict(said) {
      if (of.topology != nullptr) topology = *of.topology;
      knows_topology = of.topology != nullptr;
      facts.topology = nullptr;
    }

    // The topology of each communicator is another object.
    [[nodiscard]] bool is_to(Facts others, const Machine& on) const {
      const Topology* const its = others.topology;
      others.topology = nullptr;
      return facts == others && machine == on && knows_topology == (its != nullptr) &&
             (its == nullptr || topology == *its);
    }

    Facts facts;
    Machine machine;
    Topology topology;
    bool knows_topology;
    Verdict verdict;
  };

  std::mutex mutex_;
  std::vector<Answer> answers_;
};

}  // namespace roundelay::choose
