// SPDX-License-Identifier: Apache-2.0
// Proves the algorithms between two groups for all p <= 40 senders and q <= 120 receivers; with
// --all for every choice of their parameters, which takes hours.
#include <cstdio>
#include <string_view>
#include <vector>

#include "interpret/prove.hpp"
#include "interpret/variants.hpp"
#include "interpret/verify.hpp"

namespace {

using namespace roundelay;
using namespace roundelay::interpret;

bool proven(const Choice& choice) {
  int pairs = 0;
  for (int p = 1; p <= 40; ++p) {
    for (int q = 1; q <= 120; ++q, ++pairs) {
      const Proof proof = prove(choice, {.p = p, .q = q});
      if (proof.ok) continue;
      std::printf("%s: %s\n", choice.text().c_str(), proof.error.c_str());
      return false;
    }
  }
  std::printf("%s.%s: proven for %d pairs of groups\n",
              std::string(name_of(choice.algorithm->collective)).c_str(), choice.text().c_str(),
              pairs);
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool all = argc == 2 && std::string_view(argv[1]) == "--all";
  if (argc > 1 && !all) {
    std::fputs("usage: verify_inter [--all]\n", stderr);
    return 2;
  }
  bool good = true;
  for (const Algorithm* algorithm : catalogue()) {
    if (algorithm->native() || algorithm->groups != Groups::two) continue;
    for (const Choice& choice : all ? variants(*algorithm) : std::vector{Choice(*algorithm)}) {
      good = proven(choice) && good;
    }
  }
  return good ? 0 : 1;
}
