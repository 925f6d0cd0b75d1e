// SPDX-License-Identifier: Apache-2.0
// Collectives on an intercommunicator of p and q ranks, against their definition.
//
//   between create|split|spawn FORM P Q CHOICES..
//
// How the two groups are made, the form of the calls, and what is forced, one after the other (""
// for nothing). The second group's data has gaps, and counts differ.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/forms.hpp"
#include "support/roundelay_api.hpp"
#include "support/two_groups.hpp"

namespace {

using namespace test;

std::vector<int> contribution(const Groups& groups, const Element& element, int count) {
  std::vector<int> data(element.at(count) + 1, untouched);
  for (int i = 0; i < count; ++i) data[element.at(i)] = value(groups.own, groups.rank, i);
  return data;
}

void check_allgather(const Groups& groups, int sent, int received, const std::string& forced) {
  const Element element(groups.own);
  const std::vector<int> in = contribution(groups, element, sent);
  const std::vector<int> before = in;
  std::vector<int> out(element.at(received * groups.remote) + 1, untouched);
  std::vector<int> wanted = out;
  for (int from = 0; from < groups.remote; ++from) {
    for (int i = 0; i < received; ++i) {
      wanted[element.at(from * received + i)] = value(1 - groups.own, from, i);
    }
  }
  run_in_form(groups.inter, out, MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, in.data(), sent,
              element.type(), out.data(), received, element.type());
  expect(out == wanted && in == before, groups,
         "allgather of " + std::to_string(received) + ", " + forced);
}

// Longer for some ranks than for others, in reverse order and with gaps between.
void check_allgatherv(const Groups& groups, int sent, int received, const std::string& forced) {
  const auto count_of = [](int count, int rank) { return count == 0 ? 0 : count + rank % 3; };
  const Element element(groups.own);
  const std::vector<int> in = contribution(groups, element, count_of(sent, groups.rank));
  std::vector<int> counts;
  std::vector<int> places(static_cast<std::size_t>(groups.remote));
  int end = 0;
  for (int from = 0; from < groups.remote; ++from) counts.push_back(count_of(received, from));
  for (std::size_t from = counts.size(); from-- > 0; end += counts[from] + 1) places[from] = end;
  std::vector<int> out(element.at(end) + 1, untouched);
  std::vector<int> wanted = out;
  for (std::size_t from = 0; from < counts.size(); ++from) {
    for (int i = 0; i < counts[from]; ++i) {
      wanted[element.at(places[from] + i)] = value(1 - groups.own, static_cast<int>(from), i);
    }
  }
  run_in_form(groups.inter, out, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, in.data(),
              count_of(sent, groups.rank), element.type(), out.data(), counts.data(), places.data(),
              element.type());
  expect(out == wanted, groups, "allgatherv of " + std::to_string(received) + ", " + forced);
}

void check_all(const Groups& groups, const std::string& forced) {
  MPI_Barrier(groups.inter);  // the ranks agree
  constexpr std::array<std::array<int, 2>, 6> counts{
      {{1, 1}, {3, 5}, {4, 0}, {0, 6}, {3000, 2}, {7, 40000}}};
  for (const auto& [first, second] : counts) {
    const int sent = groups.own == 0 ? first : second;
    const int received = groups.own == 0 ? second : first;
    check_allgather(groups, sent, received, forced);
    check_allgatherv(groups, sent, received, forced);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string way = argv[1];
  form = form_of(argv[2]);
  const int p = std::atoi(argv[3]);
  const int q = std::atoi(argv[4]);
  int own = 0;
  MPI_Comm inter = way == "spawn" ? spawn(q, own, argv) : split(way == "create", p, q, own);
  const Groups groups = groups_of(inter, own);
  const test::Roundelay roundelay;
  for (int i = 5; i < argc; ++i) {
    const std::string forced = argv[i];
    roundelay.force_or_end(forced);
    check_all(groups, forced);
    if (forced.find("allgatherv=inter") == std::string::npos) continue;
    const std::string text = forced.substr(forced.find("allgatherv=") + std::strlen("allgatherv="));
    const std::string last = roundelay.last();
    expect(!roundelay.present() || last == "allgatherv." + text + ": forced", groups,
           forced + ", but " + last);
  }
  // Communicators that outlive those that they were made of.
  Groups copy = groups;
  MPI_Comm_dup(inter, &copy.inter);
  check_all(copy, "copy");
  check_all(groups, "original");
  if (way != "spawn") MPI_Comm_free(&inter);
  check_all(copy, "copy alone");
  MPI_Comm_disconnect(&copy.inter);
  if (way == "spawn") MPI_Comm_disconnect(&inter);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && failures == 0) std::puts("finished");
  MPI_Finalize();
  return failures > 0 ? 1 : 0;
}
