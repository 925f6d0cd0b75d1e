// SPDX-License-Identifier: Apache-2.0
// Flights that wait for a port of their sender or of their receiver, in the order of matching.
//
// A flight that lands frees one port of either rank. Only flights that wait for one of these can
// start then, so they are kept by rank: thousands wait where a rank sends to all others at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace roundelay::interpret {

class WaitingForPorts {
 public:
  explicit WaitingForPorts(int p)
      : of_sender_(static_cast<std::size_t>(p)), of_receiver_(static_cast<std::size_t>(p)) {}

  void add(std::size_t flight, int sender, int receiver) {
    of_sender_[static_cast<std::size_t>(sender)].push_back({next_, flight, receiver});
    of_receiver_[static_cast<std::size_t>(receiver)].push_back({next_, flight, sender});
    ++next_;
  }

  // Starts what can start now that `sender` and `receiver` have a port more: no other flight can.
  template <typename Start>
  void retry(int sender, int receiver, const std::vector<int>& sending,
             const std::vector<int>& receiving, const Start& start) {
    List& sends = of_sender_[static_cast<std::size_t>(sender)];
    List& receives = of_receiver_[static_cast<std::size_t>(receiver)];
    const int& sends_free = sending[static_cast<std::size_t>(sender)];
    const int& receives_free = receiving[static_cast<std::size_t>(receiver)];
    std::size_t send = 0;
    std::size_t receive = 0;
    for (;;) {
      send = sends_free == 0 ? sends.size() : first_free(sends, send, receiving);
      receive = receives_free == 0 ? receives.size() : first_free(receives, receive, sending);
      const bool has_send = send < sends.size();
      const bool has_receive = receive < receives.size();
      if (!has_send && !has_receive) return;
      const bool is_send =
          has_send && (!has_receive || sends[send].ticket <= receives[receive].ticket);
      const Waiting one = is_send ? sends[send] : receives[receive];
      start(one.flight);
      remove(is_send ? sends : receives, one.ticket);
      remove((is_send ? of_receiver_ : of_sender_)[static_cast<std::size_t>(one.peer)], one.ticket);
    }
  }

 private:
  struct Waiting {
    std::uint64_t ticket;
    std::size_t flight;
    int peer;
  };
  using List = std::vector<Waiting>;  // by ticket

  static std::size_t first_free(const List& list, std::size_t from, const std::vector<int>& free) {
    while (from < list.size() && free[static_cast<std::size_t>(list[from].peer)] == 0) ++from;
    return from;
  }

  static void remove(List& list, std::uint64_t ticket) {
    list.erase(std::ranges::lower_bound(list, ticket, {}, &Waiting::ticket));
  }

  std::vector<List> of_sender_;
  std::vector<List> of_receiver_;
  std::uint64_t next_ = 0;
};

}  // namespace roundelay::interpret
