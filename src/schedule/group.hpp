// SPDX-License-Identifier: Apache-2.0
// A rank among `size` ranks, with a map to the ranks of the communicator.
#pragma once

#include <cassert>
#include <limits>

namespace roundelay {

class Subgroup;

// Every algorithm is written for a group and numbers its ranks 0 .. size - 1; what it yields are
// ranks of the communicator. So an algorithm composes over sub-groups without knowing of it.
class Group {
 public:
  int rank = 0;
  int size = 1;

  // All ranks of a communicator, in its order.
  constexpr Group(int its_rank, int its_size) noexcept : rank(its_rank), size(its_size) {}
  // A schedule keeps its group while it runs: a temporary's map would be gone by then.
  Group(Subgroup&&) = delete;

  // The communicator's rank of this group's rank i; i may lie one turn outside [0, size).
  [[nodiscard]] inline constexpr int operator[](int i) const noexcept;
  [[nodiscard]] constexpr int left() const noexcept { return (*this)[rank - 1]; }
  [[nodiscard]] constexpr int right() const noexcept { return (*this)[rank + 1]; }

  // The same ranks counted from `root`: rank `root` of this group is rank 0 of the result.
  [[nodiscard]] inline constexpr Subgroup rooted(int root) const noexcept;

  // Ranks first, first + stride, .. (count of them). The caller must be one of them.
  [[nodiscard]] inline constexpr Subgroup strided(int first, int stride, int count) const noexcept;

  // Ranks 0 .. size - 1, but in place of the first `count` of them ranks by, by + 1, .., which are
  // beyond. The caller must be one of these.
  [[nodiscard]] inline constexpr Subgroup replaced(int count, int by, int size) const noexcept;

  // Ranks first, first + 1, .. (count of them), and after them `last`, which is none of these. The
  // caller must be one of all.
  [[nodiscard]] inline constexpr Subgroup joined(int first, int count, int last) const noexcept;

  // A fold: of the first 2 * pairs ranks only one of each pair (0, 1), (2, 3), .. stays, the even
  // one (parity 0) or the odd one (parity 1); the others all stay. The caller must be one who
  // stays.
  [[nodiscard]] inline constexpr Subgroup folded(int pairs, int parity) const noexcept;

  // Rank i of the result is rank members[i] of this group; `me` is the caller's place. The array
  // must outlive the result.
  [[nodiscard]] inline constexpr Subgroup listed(const int* members, int count,
                                                 int me) const noexcept;

 protected:
  struct Affine {
    int first = 0;
    int stride = 1;
  };
  // In two affine pieces, below and from `split` on (rotations, strides, folds), or by a table.
  struct Map {
    int split = std::numeric_limits<int>::max();
    Affine low;
    Affine high;
    const int* table = nullptr;
    const Map* outer = nullptr;  // what comes out here are ranks of the group that this one maps
  };

  constexpr Group(int its_rank, int its_size, const Map* map) noexcept
      : rank(its_rank), size(its_size), map_(map) {}

 private:
  friend class Subgroup;
  const Map* map_ = nullptr;  // none: ranks are the communicator's
};

// A group that keeps the map that it needs. Groups made from it refer to it: it must outlive them,
// as it does where it lives in a schedule's frame and a nested schedule is given the group.
class Subgroup : public Group {
 public:
  constexpr Subgroup(const Subgroup& other) noexcept
      : Group(other.rank, other.size, &own_), own_(other.own_) {}
  Subgroup& operator=(const Subgroup&) = delete;
  ~Subgroup() = default;

 private:
  friend class Group;
  constexpr Subgroup(const Group& of, int its_rank, int its_size, Map map) noexcept
      : Group(its_rank, its_size, &own_), own_(map) {
    own_.outer = of.map_;
  }

  Map own_;
};

constexpr int Group::operator[](int i) const noexcept {
  assert(i >= -size && i < 2 * size);
  if (i < 0) i += size;
  if (i >= size) i -= size;
  for (const Map* map = map_; map != nullptr; map = map->outer) {
    const Affine& piece = i < map->split ? map->low : map->high;
    i = map->table != nullptr ? map->table[i] : piece.first + piece.stride * i;
  }
  return i;
}

constexpr Subgroup Group::rooted(int root) const noexcept {
  assert(root >= 0 && root < size);
  const int relative = rank >= root ? rank - root : rank - root + size;
  return {*this, relative, size, {size - root, {root, 1}, {root - size, 1}, nullptr, nullptr}};
}

constexpr Subgroup Group::strided(int first, int stride, int count) const noexcept {
  assert((rank - first) % stride == 0);
  return {*this, (rank - first) / stride, count, {count, {first, stride}, {}, nullptr, nullptr}};
}

constexpr Subgroup Group::replaced(int count, int by, int its_size) const noexcept {
  assert(rank < its_size ? rank >= count : rank >= by && rank < by + count);
  return {*this,
          rank < its_size ? rank : rank - by,
          its_size,
          {count, {by, 1}, {0, 1}, nullptr, nullptr}};
}

constexpr Subgroup Group::joined(int first, int count, int last) const noexcept {
  assert(last < first || last >= first + count);
  assert(rank == last || (rank >= first && rank < first + count));
  return {*this,
          rank == last ? count : rank - first,
          count + 1,
          {count, {first, 1}, {last - count, 1}, nullptr, nullptr}};
}

constexpr Subgroup Group::folded(int pairs, int parity) const noexcept {
  const bool paired = rank < 2 * pairs;
  assert(!paired || rank % 2 == parity);
  return {*this,
          paired ? rank / 2 : rank - pairs,
          size - pairs,
          {pairs, {parity, 2}, {pairs, 1}, nullptr, nullptr}};
}

constexpr Subgroup Group::listed(const int* members, int count, int me) const noexcept {
  return {*this, me, count, {count, {}, {}, members, nullptr}};
}

}  // namespace roundelay
