// SPDX-License-Identifier: Apache-2.0
#include "mpi/executor.hpp"

#include <algorithm>
#include <utility>

#include "mpi/waiting.hpp"

namespace roundelay::mpi {

namespace {

// Of at least one pair.
std::span<const SendReceivePair> first_round_of(std::span<const SendReceivePair> pairs) noexcept {
  const auto last = std::ranges::find(pairs, false, &SendReceivePair::goes_on);
  return pairs.first(static_cast<std::size_t>(last - pairs.begin()) + 1);
}

}  // namespace

// Gives up what is in flight if it is left by an exception or an error.
class Executor::Attempt {
 public:
  explicit Attempt(Executor& executor) noexcept : executor_(executor) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    if (!succeeded_) executor_.give_up();
  }
  int ends_with(int error) noexcept {
    succeeded_ = error == MPI_SUCCESS;
    return error;
  }

 private:
  Executor& executor_;
  bool succeeded_ = false;
};

int Executor::run(ScheduledPart part, const Messages& messages, Discipline discipline,
                  ShortRecording* recording) {
  Attempt attempt(*this);
  transport_.use(messages, *part.memory);
  bool more = part.schedule.next();
  if (discipline == Discipline::early && may_exchange(messages)) {
    short_rounds_.begin(part.schedule, more, *part.memory, may_exchange_many(messages));
    while (short_rounds_.next()) {
      if (recording != nullptr) recording->add(short_rounds_.pairs(), short_rounds_.steps());
      int error = exchange_round(short_rounds_.pairs());
      if (error == MPI_SUCCESS) error = do_steps(short_rounds_.steps());
      if (error != MPI_SUCCESS) return error;
    }
    more = !short_rounds_.all();
    if (!more && recording != nullptr) recording->close();
    if (!more) return attempt.ends_with(MPI_SUCCESS);
  }
  Schedule& schedule = parts_.emplace_back(std::move(part)).schedule;
  flows_.front().begin(short_rounds_.rest(schedule), more, transport_, discipline);
  flowing_ = 1;
  const int error = advance();
  short_rounds_.forget_rest();  // the flow has taken it
  return attempt.ends_with(error != MPI_SUCCESS ? error : run_to_the_end());
}

int Executor::exchange_round(std::span<const SendReceivePair> pairs) {
  if (pairs.empty()) return MPI_SUCCESS;
  return pairs.size() == 1 ? transport_.exchange(pairs.front()) : transport_.exchange(pairs);
}

int Executor::do_steps(std::span<const LocalStep* const> steps) {
  for (const LocalStep* step : steps) {
    if (const int error = transport_.step(*step, Channel::first); error != MPI_SUCCESS) {
      return error;
    }
  }
  return MPI_SUCCESS;
}

int Executor::play(const ShortRecording& recording, const Memory& memory,
                   const Messages& messages) {
  Attempt attempt(*this);
  transport_.use(messages, memory);
  if (recording.wide()) return attempt.ends_with(play_wide(recording, memory));
  const LocalStep* const first = recording.steps().data();
  const LocalStep* step = first;
  for (const SendReceivePair& pair : recording.pairs()) {
    if (const int error = transport_.exchange(pair); error != MPI_SUCCESS) return error;
    for (const LocalStep* const end = first + pair.steps; step != end; ++step) {
      const int error = do_step(*step, memory);
      if (error != MPI_SUCCESS) return error;
    }
  }
  return attempt.ends_with(MPI_SUCCESS);
}

int Executor::play_wide(const ShortRecording& recording, const Memory& memory) {
  std::size_t step = 0;
  for (auto pairs = recording.pairs(); !pairs.empty();) {
    const auto round = first_round_of(pairs);
    if (const int error = exchange_round(round); error != MPI_SUCCESS) return error;
    for (; step < round.back().steps; ++step) {
      const int error = do_step(recording.steps()[step], memory);
      if (error != MPI_SUCCESS) return error;
    }
    pairs = pairs.subspan(round.size());
  }
  return MPI_SUCCESS;
}

void Executor::record(Schedule& schedule, const Memory& memory, const Messages& messages,
                      ShortRecording& recording) {
  const bool more = schedule.next();
  short_rounds_.begin(schedule, more, memory, may_exchange_many(messages));
  while (short_rounds_.next()) recording.add(short_rounds_.pairs(), short_rounds_.steps());
  if (short_rounds_.all()) recording.close();
  short_rounds_.forget_rest();
}

int Executor::start(const ShortRecording& recording, const Memory& memory,
                    const Messages& messages) {
  transport_.use(messages, memory);
  playing_.memory = &memory;
  return start_again(recording);
}

int Executor::start_again(const ShortRecording& recording) {
  Attempt attempt(*this);
  playing_.recording = &recording;
  playing_.pairs = 0;
  playing_.steps = 0;
  playing_.under_way.begun = false;
  return attempt.ends_with(go_on_playing());
}

int Executor::start(const Recording& recording, const Memory& memory, const Messages& messages,
                    Discipline discipline) {
  Attempt attempt(*this);
  transport_.use(messages, memory);
  flows_.front().begin(Rounds(recording), !recording.rounds().empty(), transport_, discipline);
  flowing_ = 1;
  return attempt.ends_with(advance());
}

int Executor::go_on_playing() {
  const std::span<const LocalStep> steps = playing_.recording->steps();
  for (auto pairs = playing_.recording->pairs().subspan(playing_.pairs); !pairs.empty();) {
    const auto round = first_round_of(pairs);
    int error = transport_.go_on(round, playing_.under_way);
    if (error != MPI_SUCCESS || !playing_.under_way.over()) return error;
    playing_.under_way.begun = false;
    for (; playing_.steps < round.back().steps; ++playing_.steps) {
      error = do_step(steps[playing_.steps], *playing_.memory);
      if (error != MPI_SUCCESS) return error;
    }
    playing_.pairs += round.size();
    pairs = pairs.subspan(round.size());
  }
  playing_.recording = nullptr;
  return MPI_SUCCESS;
}

int Executor::start(std::span<ScheduledPart> parts, const Messages& messages,
                    Discipline discipline) {
  Attempt attempt(*this);
  transport_.use(messages, *parts.front().memory);
  if (parts.size() > 1) transport_.use_second(*parts.back().memory);
  parts_.reserve(parts.size());
  for (ScheduledPart& part : parts) {
    Schedule& schedule = parts_.emplace_back(std::move(part)).schedule;
    flows_[flowing_++].begin(Rounds(schedule), schedule.next(), transport_, discipline);
  }
  return attempt.ends_with(advance());
}

int Executor::progress() {
  Attempt attempt(*this);
  if (playing_.recording != nullptr) return attempt.ends_with(go_on_playing());
  // What comes to its end lets a round begin, for which all may have come already. Whoever looks
  // next may be another rank of this core.
  bool any_done = true;
  int error = MPI_SUCCESS;
  while (error == MPI_SUCCESS && any_done && !over()) {
    error = wait(false);
    any_done = std::ranges::any_of(awaited_, &TransferUnderWay::done);
    if (error == MPI_SUCCESS) error = advance();
  }
  return attempt.ends_with(error);
}

int Executor::finish() {
  Attempt attempt(*this);
  return attempt.ends_with(run_to_the_end());
}

int Executor::run_to_the_end() {
  int error = MPI_SUCCESS;
  FailedPolls looks;
  while (error == MPI_SUCCESS && playing_.recording != nullptr) {
    error = go_on_playing();
    if (error == MPI_SUCCESS && playing_.recording != nullptr &&
        looks.one_more(transport_.comm())) {
      give_the_core_away();
    }
  }
  while (error == MPI_SUCCESS && !over()) {
    error = wait(true);
    if (error == MPI_SUCCESS) error = advance();
  }
  return error;
}

int Executor::advance() {
  bool all_over = true;
  for (Flow& flow : std::span(flows_).first(flowing_)) {
    if (const int error = flow.advance(); error != MPI_SUCCESS) return error;
    all_over = all_over && flow.over();
  }
  if (all_over) {
    for (Flow& flow : flows_) flow.end();
    parts_.clear();
    flowing_ = 0;
  }
  return MPI_SUCCESS;
}

int Executor::wait(bool may_block) {
  awaited_.clear();
  std::size_t going_on = 0;
  bool all = true;
  // Who waits for all of them takes as many as it may.
  const bool may_take_all = may_block && flowing_ == 1;
  const std::size_t room = may_take_all ? Transport::most_waited : Flow::least_room;
  for (Flow& flow : std::span(flows_).first(flowing_)) {
    if (flow.over()) continue;
    ++going_on;
    all = flow.add_awaited(awaited_, room) && all;
  }
  if (!may_block) return transport_.wait(awaited_, Until::now);
  return transport_.wait(awaited_, all && going_on == 1 ? Until::all : Until::one);
}

void Executor::free_buffers() noexcept {
  scratch_.reset();
  transport_.forget_staging();
}

void Executor::give_up() noexcept {
  transport_.abandon();
  for (Flow& flow : flows_) flow.end();
  parts_.clear();
  short_rounds_.forget_rest();
  flowing_ = 0;
  playing_.recording = nullptr;
  playing_.under_way = {};
  failed_ = true;
}

}  // namespace roundelay::mpi
