// SPDX-License-Identifier: Apache-2.0
// GOAL: per rank a list of labelled sends, receives and calculations, and what each of them
// requires.
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interpret/trace.hpp"

namespace roundelay::interpret {

namespace {

using Labels = std::vector<int>;

class Writer {
 public:
  Writer(int rank, double nanoseconds_per_unit)
      : rank_(rank), nanoseconds_per_unit_(nanoseconds_per_unit) {}

  std::string write(const RankTrace& trace) {
    text_ = "rank " + std::to_string(rank_) + " {\n";
    for (const TracedRound& round : trace.rounds) add(round);
    return text_ + "}\n";
  }

 private:
  void add(const TracedRound& round) {
    std::erase_if(deferred_, [&](const auto& deferred) {
      if (!is_due(deferred.first, round.fence)) return false;
      before_.push_back(deferred.second);
      return true;
    });
    Labels after;
    for (const TracedTransfer& transfer : round.transfers) {
      const int label = operation(message(transfer), before_);
      if (transfer.due == this_round) {
        after.push_back(label);
      } else {
        deferred_.emplace(transfer.due, label);
      }
    }
    if (!after.empty()) before_ = std::move(after);
    for (const LocalStep& step : round.steps) {
      if (step.kind != LocalStep::Kind::combine) continue;
      const double time = nanoseconds_per_unit_ * static_cast<double>(step.into.length());
      before_ = {operation("calc " + std::to_string(std::llround(time)), before_)};
    }
  }

  // One tag per message of a pair, so that messages match in order whatever the simulator's rule
  // is.
  std::string message(const TracedTransfer& transfer) {
    Units bytes = transfer.token() ? 1 : 0;
    for (const Slice& slice : transfer.slices) bytes += slice.length();
    const bool sends = transfer.direction == Transfer::Direction::send;
    const int tag = next_tag_[{sends, transfer.peer}]++;
    return (sends ? "send " : "recv ") + std::to_string(bytes) + (sends ? "b to " : "b from ") +
           std::to_string(transfer.peer) + " tag " + std::to_string(tag);
  }

  int operation(const std::string& what, const Labels& requires_all) {
    const int label = ++last_label_;
    text_ += "l" + std::to_string(label) + ": " + what + "\n";
    for (const int earlier : requires_all) {
      text_ += "l" + std::to_string(label) + " requires l" + std::to_string(earlier) + "\n";
    }
    return label;
  }

  int rank_;
  double nanoseconds_per_unit_;
  std::string text_;
  int last_label_ = 0;
  Labels before_;                       // what the next operation has to wait for
  std::multimap<Fence, int> deferred_;  // labels, by fence
  std::map<std::pair<bool, int>, int> next_tag_;
};

}  // namespace

std::string goal(const Trace& trace, double nanoseconds_per_unit) {
  std::string text = "num_ranks " + std::to_string(trace.ranks.size()) + "\n";
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    text += "\n" + Writer(static_cast<int>(rank), nanoseconds_per_unit).write(trace.ranks[rank]);
  }
  return text;
}

}  // namespace roundelay::interpret
