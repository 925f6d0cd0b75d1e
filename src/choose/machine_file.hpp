// SPDX-License-Identifier: Apache-2.0
// What a site says of its machine; docs/reference/machine.md has the form of the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choose/json.hpp"
#include "choose/machine.hpp"

namespace roundelay::choose {

// What is not said stays as it is measured, or usual.
class MachineFile {
 public:
  // Throws FileError.
  [[nodiscard]] static MachineFile load(const std::string& path);
  // `file` is for errors.
  [[nodiscard]] static MachineFile parse(std::string text, const std::string& file);

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // Whether it says the start-up and the rate between nodes, so that nobody needs to measure them.
  [[nodiscard]] bool knows_network() const noexcept;
  // Of a message between nodes, in seconds.
  [[nodiscard]] std::optional<double> startup() const noexcept;

  // To what was measured, or is usual, between nodes, and where the ranks of a node share memory.
  void apply_between_nodes(Machine& machine) const;
  void apply_in_memory(Machine& machine) const;

 private:
  using Numbers = std::vector<std::pair<double Machine::*, double>>;
  using Flags = std::vector<std::pair<bool Machine::*, bool>>;

  MachineFile() = default;
  void read_taper(const Json& factors);
  void read_torus(const Json& lengths);
  void read_part(std::string_view part, const Json& object);

  std::string file_;
  std::string text_;
  Numbers network_;
  Numbers memory_;
  Numbers everywhere_;
  std::optional<std::vector<double>> taper_;
  std::optional<std::vector<int>> torus_;
  Flags mpi_;
};

}  // namespace roundelay::choose
