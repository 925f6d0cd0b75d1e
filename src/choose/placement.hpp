// SPDX-License-Identifier: Apache-2.0
// Which ranks share a node or a site, as a user says it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roundelay::choose {

// The part of each rank: "4+3" (consecutive ranks) or "abaab" (a letter for each rank). Throws
// SpellingError.
[[nodiscard]] std::vector<int> parse_placement(std::string_view text);

// What a variable like ROUNDELAY_SITES says: the ranks of MPI_COMM_WORLD as above; or parts by the
// names of hosts,
//
//   placement = part { (";" | end of line) part }
//   part      = name ":" pattern { pattern }        # comments to the end of the line
//
// where patterns are those of a shell and the first that matches counts; or, with a '/' in it, a
// file that says either. Hosts that match nothing are together one more part.
class Placement {
 public:
  // Nothing is said.
  Placement() = default;
  // Throws SpellingError, or FileError for a file that cannot be read.
  [[nodiscard]] static Placement read(const std::string& value);

  [[nodiscard]] bool given() const noexcept { return !text_.empty(); }
  // What was read; equal texts mean the same.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // How many ranks MPI_COMM_WORLD has to have; 0: any number.
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(part_of_rank_.size()); }
  // Whether it says a part for the host, or for ranks.
  [[nodiscard]] bool mentions(const std::string& host) const;
  // Of a process, by its rank in MPI_COMM_WORLD and its host.
  [[nodiscard]] int part_of(int rank, const std::string& host) const;

 private:
  struct Pattern {
    std::string text;
    int part;
  };

  void read_hosts(std::string_view where);
  [[nodiscard]] std::vector<Pattern>::const_iterator find(const std::string& host) const;

  std::string text_;
  std::vector<int> part_of_rank_;
  std::vector<Pattern> patterns_;
  int parts_ = 0;
};

}  // namespace roundelay::choose
