// SPDX-License-Identifier: Apache-2.0
// What the model expects of each algorithm, and what is worth measuring.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/chooser.hpp"

namespace roundelay::choose {

// A way to run calls, and the seconds of one as the model expects them; 0: nobody knows.
struct Candidate {
  std::shared_ptr<const Choice> choice;
  double seconds = 0;
  // Of these, those of start-ups; the others are of bytes. None where ranks share links or memory.
  std::optional<double> startups = std::nullopt;
};

// What runs, for that reason.
[[nodiscard]] Verdict verdict_on(const Candidate& candidate, std::string reason);

// What the model expects of each of ours that is possible, in the cheaper of its disciplines, the
// cheapest first. Nothing where it has no prices: intercommunicators, several sites, neighbours,
// and ranks that do not share the length.
[[nodiscard]] std::vector<Candidate> prices(const Facts& facts, const Machine& machine);

// Whether this process remembers what prices() gives.
[[nodiscard]] bool remembers_prices(const Facts& facts, const Machine& machine);

// What is worth measuring for calls with these facts, seven at most: what choose() takes comes
// first, then the MPI library's own, then those of ours which the model expects to take at most
// twice as long as the best of them, the cheapest first. Only the first where the user or an order
// of operations says what runs, on an intercommunicator, and where the model can have no prices;
// but where only the length is missing, in memory, also the MPI library's own. In memory also ours
// among neighbours.
[[nodiscard]] std::vector<Candidate> candidates(const Facts& facts, const Wishes& wishes,
                                                const Machine& machine);
// The first one or two of these, what choose() takes and the MPI library's own, for which nothing
// is priced but by choose().
[[nodiscard]] std::vector<Candidate> candidates_at_once(const Facts& facts, const Wishes& wishes,
                                                        const Machine& machine);
// All of them, for whom knows what choose() takes. `priced`: gives the prices(), and is asked only
// if the answer depends on them.
[[nodiscard]] std::vector<Candidate> candidates(
    const Facts& facts, const Machine& machine, const Verdict& verdict,
    const std::function<std::vector<Candidate>()>& priced);

}  // namespace roundelay::choose
