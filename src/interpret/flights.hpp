// SPDX-License-Identifier: Apache-2.0
// Flights: transfers of which both sides are posted, by number, until they land.
#pragma once

#include <cstddef>
#include <vector>

#include "interpret/lockstep.hpp"

namespace roundelay::interpret {

struct Flight {
  Posted send;
  Posted receive;
};

class Flights {
 public:
  // Its number.
  std::size_t keep(const Flight& flight) {
    if (free_.empty()) {
      flights_.push_back(flight);
      return flights_.size() - 1;
    }
    const std::size_t at = free_.back();
    free_.pop_back();
    flights_[at] = flight;
    return at;
  }
  [[nodiscard]] const Flight& operator[](std::size_t number) const { return flights_[number]; }
  // It has landed: its number may be another's.
  Flight take(std::size_t number) {
    free_.push_back(number);
    return flights_[number];
  }

 private:
  std::vector<Flight> flights_;
  std::vector<std::size_t> free_;
};

}  // namespace roundelay::interpret
