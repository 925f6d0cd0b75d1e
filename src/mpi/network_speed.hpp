// SPDX-License-Identifier: Apache-2.0
// How fast messages between nodes are, as the model wants to know it. No MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace roundelay::mpi {

// Times and ratios as powers of two, so that ranks, and jobs, that measure a little otherwise
// decide the same. A time is x for 2^-x seconds; how ratios are coded is said below. 0: not
// measured.
struct NetworkSpeed {
  std::uint64_t alpha = 0;      // time: start-up of a message
  std::uint64_t beta = 0;       // time: a byte
  std::uint64_t gap = 0;        // time: from a message to the next that does not wait for it
  std::uint64_t paced = 0;      // ratio: a round of synchronous messages to another round
  std::uint64_t crowd = 0;      // ratio: a round of all ranks to one of two
  std::uint64_t pipelines = 0;  // which pipelines are fast: see below
  // Times between sites; a byte is one of all that the ranks of a site send at once.
  std::uint64_t far_alpha = 0;
  std::uint64_t far_beta = 0;
  // Times inside a node.
  std::uint64_t near_alpha = 0;
  std::uint64_t near_beta = 0;
  std::uint64_t taper = 0;  // several ratios: see below
  std::uint64_t gamma = 0;  // time: to combine a byte

  [[nodiscard]] bool known() const noexcept {
    return alpha > 0 && beta > 0 && gap > 0 && paced > 0 && crowd > 0 && pipelines > 0;
  }
  [[nodiscard]] bool far_known() const noexcept { return far_alpha > 0 && far_beta > 0; }
  [[nodiscard]] bool near_known() const noexcept { return near_alpha > 0 && near_beta > 0; }
  [[nodiscard]] double startup_seconds() const { return seconds(alpha); }
  [[nodiscard]] double byte_seconds() const { return seconds(beta); }
  [[nodiscard]] double far_startup_seconds() const { return seconds(far_alpha); }
  [[nodiscard]] double far_byte_seconds() const { return seconds(far_beta); }
  [[nodiscard]] double combined_byte_seconds() const { return seconds(gamma); }
  [[nodiscard]] double near_startup_seconds() const { return seconds(near_alpha); }
  [[nodiscard]] double near_byte_seconds() const { return seconds(near_beta); }
  [[nodiscard]] double gap_seconds() const { return seconds(gap); }
  // Start-ups of a paced round beyond that of any round.
  [[nodiscard]] double handshake() const { return ratio(paced) - 1; }
  // Of a message where all ranks send at once.
  [[nodiscard]] double crowding() const { return ratio(crowd); }
  // Whether paced pipelines are slower, byte by byte, of long messages than of short ones.
  [[nodiscard]] bool short_pipelines() const noexcept { return pipelines == of_short; }

  // Where all nodes send at once to the node 2, 4, 8, .. further on: how many times as long a byte
  // takes as to the next node. A code for each distance, the least bits for the shortest; less than
  // sqrt(2) is 1, the rest is noise.
  [[nodiscard]] std::vector<double> taper_factors() const {
    std::vector<double> factors;
    for (std::uint64_t left = taper; left > 0; left >>= bits_of_taper) {
      factors.push_back(ratio((left & most_of_taper) - 1 + even));
    }
    return factors;
  }
  [[nodiscard]] static std::uint64_t coded_taper(std::span<const double> ratios) {
    std::uint64_t code = 0;
    for (std::size_t i = std::min(ratios.size(), tapers); i-- > 0;) {
      const bool noise = ratios[i] < std::numbers::sqrt2;
      const std::uint64_t fourths = noise ? 0 : coded(ratios[i]) - even;
      code = code << bits_of_taper | std::min(1 + fourths, most_of_taper);
    }
    return code;
  }

  static constexpr std::uint64_t of_any = 1;
  static constexpr std::uint64_t of_short = 2;
  static constexpr int even = 64;
  static constexpr std::size_t tapers = 12;  // distances
  [[nodiscard]] static std::uint64_t coded(double ratio) {
    const double fourths = std::round(4 * std::log2(ratio));
    return static_cast<std::uint64_t>(std::clamp(even + fourths, 1.0, 2.0 * even));
  }

 private:
  static constexpr int bits_of_taper = 5;
  static constexpr std::uint64_t most_of_taper = (1U << bits_of_taper) - 1;

  [[nodiscard]] static double seconds(std::uint64_t power) {
    return std::ldexp(1, -static_cast<int>(power));
  }
  // Not by std::exp2, whose last bit may depend on the processor.
  [[nodiscard]] static double ratio(std::uint64_t code) {
    constexpr std::array fourth_powers{1.0, 1.189207115002721, 1.4142135623730951,
                                       1.6817928305074292};
    const int whole = static_cast<int>(code / 4) - even / 4;
    return std::ldexp(fourth_powers.at(code % 4), whole);
  }
};

}  // namespace roundelay::mpi
