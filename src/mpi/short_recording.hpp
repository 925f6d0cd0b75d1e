// SPDX-License-Identifier: Apache-2.0
// A recording of the rounds of a call of short messages, for the next call that is alike.
//
// A schedule depends on nothing but its problem, so the same problem gives the same rounds. Where
// messages are short, the schedule itself, and turning it into messages, took a fifth of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "mpi/cuts.hpp"
#include "mpi/send_receive_pairs.hpp"

namespace roundelay::mpi {

// All of a problem that may differ between the calls of one plan, but for blocks that are cut by
// counts: see Cuts.
struct Shape {
  std::int64_t unit_size = 0;  // bytes
  Units m = 0;                 // see Claims
  int root = 0;
  Slice input, data, blocks, given;

  friend bool operator==(const Shape&, const Shape&) = default;
};

class ShortRecording {
 public:
  // Whether it is of a call of this shape, and of these blocks.
  [[nodiscard]] bool holds(const Shape& shape, const Problem& problem) const noexcept {
    return whole_ && has(shape, problem) && (!is_cut_ || cuts_.are_of(problem));
  }
  // Whether the last call was like this one, and did not fit or had longer messages.
  [[nodiscard]] bool did_not_hold(const Shape& shape, const Problem& problem) const noexcept {
    return !whole_ && has(shape, problem) && (!is_cut_ || overflows_ || cuts_.are_of(problem));
  }
  [[nodiscard]] bool closed() const noexcept { return whole_; }
  // Some round has several pairs.
  [[nodiscard]] bool wide() const noexcept { return wide_; }
  // Units of scratch memory that such a call takes.
  [[nodiscard]] Units scratch() const noexcept { return scratch_; }
  [[nodiscard]] std::span<const SendReceivePair> pairs() const noexcept { return pairs_; }
  [[nodiscard]] std::span<const LocalStep> steps() const noexcept { return steps_; }

  // To be filled by add() with the rounds of such a call, in their order, and then closed. Throws
  // std::bad_alloc.
  void start(const Shape& shape, const Problem& problem, Units scratch) {
    shape_ = shape;
    scratch_ = scratch;
    whole_ = wide_ = false;
    is_cut_ = !are_even(problem);
    overflows_ = is_cut_ && problem.blocks.size() > most_blocks;
    if (is_cut_ && !overflows_) cuts_.keep(problem);
    pairs_.clear();
    steps_.clear();
  }
  // A round with its steps. Those of a round without messages follow the next one with messages.
  void add(std::span<const SendReceivePair> round, std::span<const LocalStep* const> steps) {
    overflows_ = overflows_ || pairs_.size() + round.size() > most_pairs;
    if (overflows_) return;
    for (const LocalStep* step : steps) steps_.push_back(*step);
    if (round.empty()) return;
    for (const SendReceivePair& pair : round) pairs_.push_back(pair);
    pairs_.back().steps = steps_.size();
    wide_ = wide_ || round.size() > 1;
  }
  void close() { whole_ = !overflows_; }
  // Becomes what another recording is, for who plays it while the other one may change.
  void copy_rounds(const ShortRecording& other) {
    pairs_.assign(other.pairs_.begin(), other.pairs_.end());
    steps_.assign(other.steps_.begin(), other.steps_.end());
  }

 private:
  static constexpr std::size_t most_pairs = 64;
  static constexpr int most_blocks = 128;  // whose lengths are kept

  [[nodiscard]] bool has(const Shape& shape, const Problem& problem) const noexcept {
    return shape == shape_ && is_cut_ == !are_even(problem);
  }
  static bool are_even(const Problem& problem) noexcept {
    return problem.blocks.is_even() && problem.given.is_even();
  }

  Shape shape_;
  Units scratch_ = 0;
  bool whole_ = false;
  bool overflows_ = false;
  bool wide_ = false;
  bool is_cut_ = false;
  Cuts cuts_;
  std::vector<SendReceivePair> pairs_;
  std::vector<LocalStep> steps_;
};

// The recordings of the calls of one plan, which differ in their root, say, or in their length.
// Calls of one shape need one recording only. Otherwise each shape has its place, and the last call
// of those that share a place has its recording there.
class ShortRecordings {
 public:
  // The recording of such a call, if there is one.
  [[nodiscard]] const ShortRecording& of(const Shape& shape) const noexcept {
    return all_[place_of(shape)];
  }
  // The place for the recording of such a call, if there is none.
  [[nodiscard]] ShortRecording& free_for(const Shape& shape) {
    if (all_.size() == 1 && all_.front().closed()) all_.resize(most);
    return all_[place_of(shape)];
  }

 private:
  static constexpr std::size_t most = 64;  // 1 and this are powers of two

  [[nodiscard]] std::size_t place_of(const Shape& shape) const noexcept {
    constexpr std::uint64_t mixes = 0x9e3779b97f4a7c15;  // so lengths differ in their upper bits
    const std::uint64_t length = static_cast<std::uint64_t>(shape.m) * mixes >> 32;
    return (length + static_cast<std::uint64_t>(shape.root)) & (all_.size() - 1);
  }

  std::vector<ShortRecording> all_ = std::vector<ShortRecording>(1);
};

}  // namespace roundelay::mpi
