// SPDX-License-Identifier: Apache-2.0
// What the model said before. Communicators of the same shape ask the same questions, and an answer
// takes up to milliseconds where it comes from a run of the schedules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "choose/chooser.hpp"

namespace roundelay::choose {

class Remembered {
 public:
  // What `model` says of these facts and this machine, which is asked once. Safe to call from many
  // threads.
  template <typename Model>
  Verdict verdict(const Facts& facts, const Machine& machine, const Model& model) {
    const Question question(facts, machine);
    {
      const std::lock_guard lock(mutex_);
      const auto known = std::ranges::find(answers_, question, &Answer::question);
      if (known != answers_.end()) return known->verdict;
    }
    Verdict verdict = model(facts, machine);
    const std::lock_guard lock(mutex_);
    if (answers_.size() == most) answers_.clear();
    answers_.push_back({question, verdict});
    return verdict;
  }

 private:
  static constexpr std::size_t most = 512;

  // The topology and the graph of each communicator are other objects: what they say counts.
  struct Question {
    Question(const Facts& of, const Machine& on) : facts(of), machine(on) {
      if (of.topology != nullptr) topology = *of.topology;
      if (of.graph != nullptr) graph = *of.graph;
      facts.topology = nullptr;
      facts.graph = nullptr;
    }
    friend bool operator==(const Question&, const Question&) = default;

    Facts facts;
    Machine machine;
    std::optional<Topology> topology;
    std::optional<Graph> graph;
  };
  struct Answer {
    Question question;
    Verdict verdict;
  };

  std::mutex mutex_;
  std::vector<Answer> answers_;
};

}  // namespace roundelay::choose
