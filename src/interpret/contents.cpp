// SPDX-License-Identifier: Apache-2.0
#include "interpret/contents.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace roundelay::interpret {

namespace {

bool continues(const Run& left, const Run& right) {
  return left.end() == right.offset && left.index + left.length == right.index &&
         left.expression == right.expression;
}

Run part(const Run& run, Units from, Units end) {
  return {from, end - from, run.index + (from - run.offset), run.expression};
}

}  // namespace

std::optional<Units> Contents::read(Slice slice, Message& into) const {
  Units at = slice.offset();
  Units filled = into.empty() ? 0 : into.back().end();
  auto run = std::ranges::partition_point(runs_, [&](const Run& r) { return r.end() <= at; });
  while (at < slice.end()) {
    if (run == runs_.end() || run->offset > at) return at;
    const Run piece = part(*run, at, std::min(run->end(), slice.end()));
    into.push_back({filled, piece.length, piece.index, piece.expression});
    at += piece.length;
    filled += piece.length;
    ++run;
  }
  return std::nullopt;
}

void Contents::write(Run fresh) {
  if (fresh.length == 0) return;
  // All runs that the fresh one overlaps or touches give way to at most three.
  const auto first =
      std::ranges::partition_point(runs_, [&](const Run& r) { return r.end() < fresh.offset; });
  auto last = first;
  while (last != runs_.end() && last->offset <= fresh.end()) ++last;

  std::array<Run, 3> pieces;
  std::size_t count = 0;
  std::optional<Run> right;
  if (first != last && (last - 1)->end() > fresh.end()) {
    right = part(*(last - 1), fresh.end(), (last - 1)->end());
  }
  if (first != last && first->offset < fresh.offset) {
    const Run left = part(*first, first->offset, fresh.offset);
    if (continues(left, fresh)) {
      fresh = {left.offset, left.length + fresh.length, left.index, left.expression};
    } else {
      pieces[count++] = left;
    }
  }
  if (right && continues(fresh, *right)) {
    fresh.length += right->length;
    right.reset();
  }
  pieces[count++] = fresh;
  if (right) pieces[count++] = *right;

  const auto replaced = static_cast<std::size_t>(last - first);
  const auto kept = static_cast<std::ptrdiff_t>(std::min(replaced, count));
  const auto next = std::copy(pieces.begin(), pieces.begin() + kept, first);
  if (replaced > count) {
    runs_.erase(next, last);
  } else {
    runs_.insert(next, pieces.begin() + kept, pieces.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

void Contents::forget(Slice slice) {
  std::vector<Run> kept;
  for (const Run& run : runs_) {
    const Units left_end = std::min(run.end(), slice.offset());
    const Units right_begin = std::max(run.offset, slice.end());
    if (run.offset < left_end) kept.push_back(part(run, run.offset, left_end));
    if (right_begin < run.end()) kept.push_back(part(run, right_begin, run.end()));
  }
  runs_ = std::move(kept);
}

}  // namespace roundelay::interpret
