// SPDX-License-Identifier: Apache-2.0
#include "preload/gathering.hpp"

#include <mpi.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <locale>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "mpi/scratch.hpp"
#include "preload/chunks.hpp"
#include "preload/places.hpp"
#include "preload/record.hpp"

namespace roundelay::preload {

namespace {

// What one process recorded.
struct Recorded {
  std::int64_t scratch = 0;
  double setup = 0;
  std::uint64_t device_calls = 0;
  std::vector<Learned> learned;
  std::vector<Row> rows;
};

// The fields of what is sent, in their order: for a Writer, to which they are const, and a Reader.
template <typename Value, typename Type>
concept Is = std::same_as<std::remove_const_t<Value>, Type>;

template <typename Archive>
void fields(Archive& archive, Is<Learned> auto& of) {
  archive(of.collective, of.algorithm, of.least_bytes, of.most_bytes, of.commutative, of.predefined,
          of.even, of.ranks, of.nodes, of.ranks_per_node, of.seconds, of.spent);
}
template <typename Archive>
void fields(Archive& archive, Is<Row> auto& row) {
  archive(row.outcome.collective, row.outcome.algorithm, row.outcome.reason, row.outcome.form,
          row.calls, row.bytes, row.least_bytes, row.most_bytes, row.expected_calls,
          row.expected_seconds, row.own_calls, row.timed_calls, row.seconds);
}
template <typename Archive>
void fields(Archive& archive, Is<Recorded> auto& recorded) {
  archive(recorded.scratch, recorded.setup, recorded.device_calls, recorded.learned, recorded.rows);
}

// Numbers as text, and names that end in a zero. There is a space before each.
class Writer {
 public:
  Writer() {
    text_.imbue(std::locale::classic());  // the program's may write numbers otherwise
    text_ << std::setprecision(std::numeric_limits<double>::max_digits10);
  }
  template <typename... Values>
  void operator()(const Values&... values) {
    (write(values), ...);
  }
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  template <typename Value>
  void write(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      text_ << ' ' << static_cast<int>(value);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      text_ << ' ' << value;
    } else {
      fields(*this, value);
    }
  }
  void write(const std::string& name) { text_ << ' ' << name << '\0'; }
  template <typename Element>
  void write(const std::vector<Element>& all) {
    write(all.size());
    for (const Element& element : all) write(element);
  }

  std::ostringstream text_;
};

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) { text_.imbue(std::locale::classic()); }
  template <typename... Values>
  void operator()(Values&... values) {
    (read(values), ...);
  }

 private:
  template <typename Value>
  void read(Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      int number = 0;
      text_ >> number;
      value = static_cast<Value>(number);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      text_ >> value;
    } else {
      fields(*this, value);
    }
  }
  void read(std::string& name) {
    text_.get();  // the space
    std::getline(text_, name, '\0');
  }
  template <typename Element>
  void read(std::vector<Element>& all) {
    std::size_t size = 0;
    read(size);
    all.resize(size);
    for (Element& element : all) read(element);
  }

  std::istringstream text_;
};

Recorded recorded() {
  return {mpi::Scratch::high_water(), setup_seconds(), device_calls(), learned(), rows()};
}

void add(Summary& summary, const Recorded& of) {
  summary.scratch = std::max(summary.scratch, of.scratch);
  summary.setup = std::max(summary.setup, of.setup);
  summary.device_calls = std::max(summary.device_calls, of.device_calls);
  summary.learned.insert(summary.learned.end(), of.learned.begin(), of.learned.end());
  for (const Row& row : of.rows) summary.add(row);
}

}  // namespace

Summary summary_of_this_rank() {
  Summary summary;
  add(summary, recorded());
  summary.sort();
  return summary;
}

// So many ranks at once that MPI can count their bytes and rank 0 has room for them.
Summary gather_summaries() {
  constexpr std::int64_t most_at_once = 1 << 26;
  const int rank = world_rank();
  const int ranks = world_size();
  Writer writer;
  writer(recorded());
  const std::string mine = writer.text();
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  Summary summary;
  summary.ranks = ranks;
  for (const auto [first, end] : chunks_of_at_most(most_at_once, lengths)) {
    std::vector<int> counts(lengths.size());
    std::copy(lengths.begin() + first, lengths.begin() + end, counts.begin() + first);
    std::vector<int> offsets(lengths.size());
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::string all(rank == 0 ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0, '\0');
    PMPI_Gatherv(mine.data(), counts[static_cast<std::size_t>(rank)], MPI_CHAR, all.data(),
                 counts.data(), offsets.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (std::ptrdiff_t i = first; rank == 0 && i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      Recorded of;
      Reader(all.substr(static_cast<std::size_t>(offsets[at]),
                        static_cast<std::size_t>(counts[at])))(of);
      add(summary, of);
    }
  }
  summary.sort();
  return summary;
}

}  // namespace roundelay::preload
