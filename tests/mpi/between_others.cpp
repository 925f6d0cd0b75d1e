// SPDX-License-Identifier: Apache-2.0
// The collectives on an intercommunicator other than allgather(v), against their definition.
//
//   between_others create|split FORM P Q CHOICES..
//
// How the two groups are made, the form of the calls, and what is forced, one after the other (""
// for nothing; with "~" in front: only for commutative operations). Where data is moved, the second
// group's has gaps.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "support/forms.hpp"
#include "support/roundelay_api.hpp"
#include "support/sides.hpp"
#include "support/two_groups.hpp"

namespace {

using namespace test;

// What a rank writes that gets nothing.
std::vector<int> nothing;

// x -> a x + b (mod 10007), with a gap; not commutative.
struct Map {
  int a = untouched;
  int b = untouched;
  int gap = untouched;
  friend bool operator==(const Map&, const Map&) = default;
};

// First `lower`, then `higher`.
Map composed(const Map& lower, const Map& higher) {
  constexpr int modulus = 10007;
  return {lower.a * higher.a % modulus, (higher.a * lower.b + higher.b) % modulus, higher.gap};
}

void compose(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  auto* lower = static_cast<Map*>(in);
  auto* higher = static_cast<Map*>(inout);
  for (int i = 0; i < *count; ++i) higher[i] = composed(lower[i], higher[i]);
}

Map map_of(int group, int rank, int i) {
  return {2 + (group + 3 * rank + i) % 97, (7 * group + 5 * rank + 11 * i) % 9973, untouched};
}

class Maps {
 public:
  Maps() {
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, sizeof(Map), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&pair);
    MPI_Op_create(compose, 0, &op);
  }
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;
  ~Maps() {
    MPI_Op_free(&op);
    MPI_Type_free(&type);
  }

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

struct Check {
  const Groups& groups;
  const Roundelay& roundelay;
  std::string forced;
  bool ordered;  // operations that do not commute may be used, too

  void ran(const std::string& collective, bool any_data = true) const {
    const std::string list = "; " + forced;
    const std::string key = "; " + collective + "=";
    const std::size_t at = list.find(key);
    if (!roundelay.present() || at == std::string::npos || !any_data) return;
    const std::size_t begin = at + key.size();
    const std::string name = list.substr(begin, list.find(';', begin) - begin);
    const std::string last = roundelay.last();
    expect(last == collective + "." + name + ": forced", groups, forced + ", but " + last);
  }
  // `how`: the functions of all forms, and the arguments.
  void run(auto& written, auto... how) const { run_in_form(groups.inter, written, how...); }
  void equal(bool same, const std::string& what, int count) const {
    expect(same, groups, what + " of " + std::to_string(count) + ", " + forced);
  }

  // The root's argument, and whether this rank has none of its own.
  [[nodiscard]] int root_argument(int group, int root) const {
    return test::root_argument(groups.own, groups.rank, group, root);
  }
  // Who stands by passes what means nothing.
  void bcast(int group, int root, int count) const {
    const int argument = root_argument(group, root);
    if (argument == MPI_PROC_NULL) {
      run(nothing, MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, unused.data(), 77, MPI_BYTE, argument);
      return ran("bcast");
    }
    const Element element(groups.own);
    std::vector<int> data(element.at(count) + 1, untouched);
    std::vector<int> wanted = data;
    for (int i = 0; i < count; ++i) {
      wanted[element.at(i)] = value(group, root, i);
      if (argument == MPI_ROOT) data[element.at(i)] = wanted[element.at(i)];
    }
    run(data, MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, data.data(), count, element.type(), argument);
    equal(data == wanted, "bcast", count);
    ran("bcast");
  }

  // Regular blocks, or longer ones for some ranks than for others with gaps between.
  struct Cut {
    std::vector<int> counts;
    std::vector<int> places;
    int end = 0;

    Cut(int ranks, int count, bool regular) {
      for (int i = 0; i < ranks; ++i) {
        counts.push_back(of(count, i, regular));
        places.push_back(end);
        end += counts.back() + (regular ? 0 : 2);
      }
    }
    static int of(int count, int rank, bool regular) {
      return regular || count == 0 ? count : count + rank % 3;
    }
  };

  void gather(int group, int root, int count, bool regular) const {
    const char* name = regular ? "gather" : "gatherv";
    const int argument = root_argument(group, root);
    const Element element(groups.own);
    const MPI_Datatype type = element.type();
    if (argument == MPI_PROC_NULL) {
      if (regular) {
        run(nothing, MPI_Gather, MPI_Igather, MPI_Gather_init, unused.data(), 77, MPI_BYTE, nullptr,
            5, MPI_BYTE, argument);
      } else {
        run(nothing, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, unused.data(), 77, MPI_BYTE,
            nullptr, nullptr, nullptr, MPI_BYTE, argument);
      }
    } else if (argument == MPI_ROOT) {
      const Cut cut(groups.remote, count, regular);
      std::vector<int> out(element.at(cut.end) + 1, untouched);
      std::vector<int> wanted = out;
      for (std::size_t from = 0; from < cut.counts.size(); ++from) {
        for (int i = 0; i < cut.counts[from]; ++i) {
          wanted[element.at(cut.places[from] + i)] = value(1 - group, static_cast<int>(from), i);
        }
      }
      if (regular) {
        run(out, MPI_Gather, MPI_Igather, MPI_Gather_init, nullptr, 0, type, out.data(), count,
            type, argument);
      } else {
        run(out, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, nullptr, 0, type, out.data(),
            cut.counts.data(), cut.places.data(), type, argument);
      }
      equal(out == wanted, name, count);
    } else {
      const int mine = Cut::of(count, groups.rank, regular);
      std::vector<int> in(element.at(mine) + 1, untouched);
      for (int i = 0; i < mine; ++i) in[element.at(i)] = value(groups.own, groups.rank, i);
      if (regular) {
        run(nothing, MPI_Gather, MPI_Igather, MPI_Gather_init, in.data(), mine, type, nullptr, 0,
            type, argument);
      } else {
        run(nothing, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, in.data(), mine, type, nullptr,
            nullptr, nullptr, type, argument);
      }
    }
    ran(name);
  }

  void scatter(int group, int root, int count, bool regular) const {
    const char* name = regular ? "scatter" : "scatterv";
    const int argument = root_argument(group, root);
    const Element element(groups.own);
    const MPI_Datatype type = element.type();
    if (argument == MPI_PROC_NULL) {
      if (regular) {
        run(nothing, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, unused.data(), 77, MPI_BYTE,
            nullptr, 5, MPI_BYTE, argument);
      } else {
        run(nothing, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, nullptr, nullptr, nullptr,
            MPI_BYTE, nullptr, 5, MPI_BYTE, argument);
      }
    } else if (argument == MPI_ROOT) {
      const Cut cut(groups.remote, count, regular);
      std::vector<int> in(element.at(cut.end) + 1, untouched);
      for (std::size_t to = 0; to < cut.counts.size(); ++to) {
        for (int i = 0; i < cut.counts[to]; ++i) {
          in[element.at(cut.places[to] + i)] = value(group, static_cast<int>(to), i);
        }
      }
      if (regular) {
        run(nothing, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, in.data(), count, type, nullptr,
            0, type, argument);
      } else {
        run(nothing, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, in.data(), cut.counts.data(),
            cut.places.data(), type, nullptr, 0, type, argument);
      }
    } else {
      const int mine = Cut::of(count, groups.rank, regular);
      std::vector<int> out(element.at(mine) + 1, untouched);
      std::vector<int> wanted = out;
      for (int i = 0; i < mine; ++i) wanted[element.at(i)] = value(group, groups.rank, i);
      if (regular) {
        run(out, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, nullptr, 0, type, out.data(), mine,
            type, argument);
      } else {
        run(out, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, nullptr, nullptr, nullptr, type,
            out.data(), mine, type, argument);
      }
      equal(out == wanted, name, count);
    }
    ran(name);
  }

  [[nodiscard]] std::vector<Map> maps(int count) const {
    std::vector<Map> in;
    for (int i = 0; i < count; ++i) in.push_back(map_of(groups.own, groups.rank, i));
    return in;
  }
  // Of the other group's ranks, from element `first` on.
  [[nodiscard]] std::vector<Map> all_composed(int count, int first = 0) const {
    std::vector<Map> all;
    for (int i = first; i < first + count; ++i) {
      Map map = map_of(1 - groups.own, 0, i);
      for (int rank = 1; rank < groups.remote; ++rank) {
        map = composed(map, map_of(1 - groups.own, rank, i));
      }
      all.push_back(map);
    }
    return all;
  }
  [[nodiscard]] std::vector<int> numbers(int count) const {
    std::vector<int> in;
    for (int i = 0; i < count; ++i) in.push_back(1000 * groups.own + 10 * groups.rank + i);
    return in;
  }
  [[nodiscard]] std::vector<int> sums(int count, int first = 0) const {
    std::vector<int> all(static_cast<std::size_t>(count));
    const int n = groups.remote;
    for (int i = 0; i < count; ++i) {
      all[static_cast<std::size_t>(i)] =
          n * (1000 * (1 - groups.own) + first + i) + 10 * (n * (n - 1) / 2);
    }
    return all;
  }

  void reduce(int group, int root, int count, const Maps& kind) const {
    const int argument = root_argument(group, root);
    const auto one = [&](auto in, auto wanted, MPI_Datatype type, MPI_Op op) {
      decltype(in) out(in.size());
      if (argument == MPI_PROC_NULL) {
        run(nothing, MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, unused.data(), nullptr, 77, MPI_BYTE,
            MPI_BXOR, argument);
      } else {
        const bool is_root = argument == MPI_ROOT;
        for (auto& each : out) each = {};
        const void* sent = is_root ? static_cast<const void*>(unused.data()) : in.data();
        run(out, MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, sent, is_root ? out.data() : nullptr,
            count, type, op, argument);
        if (is_root) equal(out == wanted, "reduce", count);
      }
      ran("reduce");
    };
    one(numbers(count), sums(count), MPI_INT, MPI_SUM);
    if (ordered) one(maps(count), all_composed(count), kind.type, kind.op);
  }

  void allreduce(int count, const Maps& kind) const {
    std::vector<int> out(static_cast<std::size_t>(count) + 1, untouched);
    std::vector<int> wanted = sums(count);
    wanted.push_back(untouched);
    run(out, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, numbers(count).data(), out.data(),
        count, MPI_INT, MPI_SUM);
    equal(out == wanted, "allreduce", count);
    ran("allreduce", count > 0);
    if (!ordered) return;
    std::vector<Map> mapped(static_cast<std::size_t>(count));
    run(mapped, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, maps(count).data(),
        mapped.data(), count, kind.type, kind.op);
    equal(mapped == all_composed(count), "allreduce of maps", count);
  }

  // Type, operation and communicator are freed while the call is pending.
  void freed() const {
    constexpr int count = 9;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(groups.inter, &copy);
    MPI_Barrier(copy);  // the ranks agree
    const std::vector<Map> in = maps(count);
    std::vector<Map> out(in.size());
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const Maps kind;
      MPI_Iallreduce(in.data(), out.data(), count, kind.type, kind.op, copy, &request);
    }
    MPI_Comm_free(&copy);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    equal(out == all_composed(count), "allreduce of maps that are freed", count);
  }

  // The same number of elements in both groups, cut otherwise: even blocks, or longer ones for
  // some.
  void reduce_scatter(int times, bool even, const Maps& kind) const {
    const int total = times * std::lcm(groups.size, groups.remote);
    std::vector<int> counts(static_cast<std::size_t>(groups.size), total / groups.size);
    if (!even && groups.size > 1) {
      counts.back() += counts.front();
      counts.front() = 0;
    }
    const auto me = static_cast<std::size_t>(groups.rank);
    const int first = std::accumulate(counts.begin(), counts.begin() + groups.rank, 0);
    const int own = counts[me];
    const auto call = [&](const void* in, auto& out, MPI_Datatype type, MPI_Op op) {
      if (even) {
        run(out, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init,
            in, out.data(), own, type, op);
      } else {
        run(out, MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, in, out.data(),
            counts.data(), type, op);
      }
    };
    const char* name = even ? "reduce_scatter_block" : "reduce_scatter";
    std::vector<int> out(static_cast<std::size_t>(own) + 1, untouched);
    std::vector<int> wanted = sums(own, first);
    wanted.push_back(untouched);
    call(numbers(total).data(), out, MPI_INT, MPI_SUM);
    equal(out == wanted, name, total);
    ran(name, total > 0);
    if (!ordered) return;
    std::vector<Map> mapped(static_cast<std::size_t>(own));
    call(maps(total).data(), mapped, kind.type, kind.op);
    equal(mapped == all_composed(own, first), std::string(name) + " of maps", total);
  }

  void all(const Maps& kind) const {
    MPI_Barrier(groups.inter);  // the ranks agree
    if (form == Form::nonblocking && ordered) freed();
    for (const int count : {1, 7, 0, 2500}) {
      for (const int group : {0, 1}) {
        const int last = (group == groups.own ? groups.size : groups.remote) - 1;
        for (const int root : {0, last}) {
          bcast(group, root, count);
          gather(group, root, count, true);
          gather(group, root, count, false);
          scatter(group, root, count, true);
          scatter(group, root, count, false);
          reduce(group, root, count, kind);
        }
      }
      allreduce(count, kind);
      run(nothing, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init);
      ran("barrier");
      if (count > 100) continue;
      reduce_scatter(count, true, kind);
      reduce_scatter(count, false, kind);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool halves = std::string(argv[1]) == "create";
  int own = 0;
  form = form_of(argv[2]);
  MPI_Comm inter = split(halves, std::atoi(argv[3]), std::atoi(argv[4]), own);
  const Groups groups = groups_of(inter, own);
  {
    const Roundelay roundelay;
    const Maps maps;
    for (int i = 5; i < argc; ++i) {
      const std::string text = argv[i];
      const bool ordered = !text.starts_with("~");
      const std::string forced = ordered ? text : text.substr(1);
      roundelay.force_or_end(forced);
      Check{groups, roundelay, forced, ordered}.all(maps);
    }
  }
  MPI_Comm_free(&inter);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && failures == 0) std::puts("finished");
  MPI_Finalize();
  return failures > 0 ? 1 : 0;
}
