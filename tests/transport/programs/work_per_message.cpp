// SPDX-License-Identifier: Apache-2.0
// What one rank of p does for a collective, on a network where every transfer is over as soon as it
// is waited for: under callgrind, how many instructions. Prints the number of its messages.
//
//   work_per_message alltoall 'scattered(throttle=128)' 1000
//   work_per_message gather linear 1000
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>
#include <vector>

#include "choose/spelling.hpp"
#include "mpi/flow.hpp"

using namespace roundelay;
using namespace roundelay::mpi;

namespace {

class InstantTransport final : public Transport {
 public:
  int start(TransferUnderWay& one, Channel /*channel*/, Discipline /*discipline*/) override {
    one.done = false;
    ++messages;
    return 0;
  }
  // One after the other, the last first, if one will do.
  int wait(std::span<TransferUnderWay* const> some, Until until) override {
    if (until != Until::all) some = some.last(1);
    for (TransferUnderWay* one : some) one->done = true;
    return 0;
  }
  int step(const LocalStep& /*step*/, Channel /*channel*/) override { return 0; }
  void abandon() noexcept override {}

  int messages = 0;
};

// callgrind counts what happens inside.
[[gnu::noinline]] void run(Schedule& schedule, Transport& transport, bool always_one) {
  Flow flow(Channel::first);
  std::vector<TransferUnderWay*> awaited;
  flow.begin(Rounds(schedule), schedule.next(), transport, Discipline::early);
  for (flow.advance(); !flow.over(); flow.advance()) {
    awaited.clear();
    // As the executor: who goes on after one of them takes few.
    const std::size_t room = always_one ? Flow::least_room : Transport::most_waited;
    const bool all = flow.add_awaited(awaited, room) && !always_one;
    transport.wait(awaited, all ? Until::all : Until::one);
  }
  flow.end();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) return 2;
    const bool alltoall = std::string_view(argv[1]) == "alltoall";
    const Choice choice =
        choose::parse_algorithm(alltoall ? Collective::alltoall : Collective::gather, argv[2]);
    const int p = std::atoi(argv[3]);
    Problem problem;
    problem.group = Group(0, p);
    problem.choice = &choice;
    problem.blocks = Blocks::even(Slice(Space::output, 0, Units{8} * p), p);
    problem.given = Blocks::even(Slice(Space::input, 0, Units{8} * p), p);
    InstantTransport transport;
    for (const bool always_one : {false, true}) {
      Schedule schedule = choice.schedule(problem);
      run(schedule, transport, always_one);
    }
    std::cout << transport.messages << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
