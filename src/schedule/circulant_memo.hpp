// SPDX-License-Identifier: Apache-2.0
// Circulant schedules that have been computed once are not computed again.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "schedule/circulant.hpp"
#include "schedule/circulant_table.hpp"
#include "schedule/memo.hpp"

namespace roundelay {

// The schedules of one rank, v places after the root of p.
struct CirculantRow {
  int p = 0;
  int v = 0;
  CirculantEntries receive{};
  CirculantEntries send{};

  CirculantRow() = default;
  CirculantRow(int its_p, int its_v) noexcept : p(its_p), v(its_v) {
    receive_schedule(Skips::halving(p), v, receive);
    send_schedule(Skips::halving(p), v, send);
  }
};

// What one communicator has needed so far: a few rows, O(log p) bytes each, and for collectives in
// which every rank is a root one table of p ceil(log2 p) bytes. Not for several threads at once.
class CirculantMemo {
 public:
  // From a memo, or computed anew where there is none.
  [[nodiscard]] static CirculantRow row(Memo* memo, int p, int v) {
    return memo != nullptr ? memo->of<CirculantMemo>().row(p, v) : CirculantRow(p, v);
  }
  [[nodiscard]] static std::shared_ptr<const CirculantTable> table(Memo* memo, int p) {
    return memo != nullptr ? memo->of<CirculantMemo>().table(p)
                           : std::make_shared<const CirculantTable>(p);
  }

 private:
  [[nodiscard]] const CirculantRow& row(int p, int v) noexcept {
    CirculantRow& kept = rows_[static_cast<std::size_t>(v) % rows_.size()];
    if (kept.p != p || kept.v != v) kept = CirculantRow(p, v);
    return kept;
  }

  // Shared: a schedule may still use a table after another p was asked for.
  [[nodiscard]] std::shared_ptr<const CirculantTable> table(int p) {
    if (table_ == nullptr || table_p_ != p) {
      table_ = std::make_shared<const CirculantTable>(p);
      table_p_ = p;
    }
    return table_;
  }

  std::array<CirculantRow, 4> rows_;
  std::shared_ptr<const CirculantTable> table_;
  int table_p_ = 0;
};

}  // namespace roundelay
