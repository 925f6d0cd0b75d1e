// SPDX-License-Identifier: Apache-2.0
// The model where the ranks are at several sites.
#pragma once

#include "choose/chooser.hpp"

namespace roundelay::choose {

// Nobody knows how long an MPI library would take between sites. But every algorithm must send the
// data across at least once. If start-ups inside the sites take less than that, we cannot lose
// much, and may gain much (docs/explanation/sites.md).
[[nodiscard]] Verdict between_sites(const Facts& facts, const Machine& machine);

// The same of exchanges. What crosses at once is soonest there, as long as the network holds it. Of
// more, packets are lost and connections wait: Open MPI's alltoall took 1.7 to 2.9 times as long
// then (docs/results/measured.md).
[[nodiscard]] Verdict exchange_between_sites(const Facts& facts, const Machine& machine);

}  // namespace roundelay::choose
