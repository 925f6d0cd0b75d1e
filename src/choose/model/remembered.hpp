// SPDX-License-Identifier: Apache-2.0
// What the model said before. Communicators of the same shape ask the same questions, and an answer
// takes up to milliseconds where it comes from a run of the schedules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "choose/facts.hpp"
#include "choose/machine.hpp"

namespace roundelay::choose {

template <typename Answer>
class Remembered {
 public:
  // So many answers at most.
  explicit Remembered(std::size_t most) : most_(most) {}

  // What `model` says of these facts and this machine, which is asked once. Safe to call from many
  // threads.
  template <typename Model>
  Answer answer(const Facts& facts, const Machine& machine, const Model& model) {
    const Question question(facts, machine);
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = find(question); known != answers_.end()) return known->answer;
    }
    Answer answer = model(facts, machine);
    const std::lock_guard lock(mutex_);
    if (answers_.size() == most_ || places_ + question.places() > most_places) {
      answers_.clear();
      places_ = 0;
    }
    places_ += question.places();
    answers_.push_back({question, answer});
    return answer;
  }

  // Whether it was asked. Safe to call from many threads.
  bool knows(const Facts& facts, const Machine& machine) {
    const Question question(facts, machine);
    const std::lock_guard lock(mutex_);
    return find(question) != answers_.end();
  }

 private:
  // Ranks of topologies, and edges of graphs: some megabytes.
  static constexpr std::size_t most_places = std::size_t{1} << 20U;

  // The topology and the graph of each communicator are other objects: what they say counts.
  struct Question {
    Question(const Facts& of, const Machine& on) : facts(of), machine(on) {
      if (of.topology != nullptr) topology = *of.topology;
      if (of.graph != nullptr) graph = *of.graph;
      facts.topology = nullptr;
      facts.graph = nullptr;
    }
    friend bool operator==(const Question&, const Question&) = default;
    [[nodiscard]] std::size_t places() const {
      const auto ranks = static_cast<std::size_t>(facts.ranks);
      const std::size_t edges = graph ? 2 * static_cast<std::size_t>(graph->degree()) : 0;
      return (topology ? ranks : 0) + ranks * edges;
    }

    Facts facts;
    Machine machine;
    std::optional<Topology> topology;
    std::optional<Graph> graph;
  };
  struct Answered {
    Question question;
    Answer answer;
  };

  auto find(const Question& question) {
    return std::ranges::find(answers_, question, &Answered::question);
  }

  std::size_t most_;
  std::mutex mutex_;
  std::vector<Answered> answers_;
  std::size_t places_ = 0;
};

}  // namespace roundelay::choose
