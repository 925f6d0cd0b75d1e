// SPDX-License-Identifier: Apache-2.0
#include "interpret/prove.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "interpret/call.hpp"
#include "interpret/case_text.hpp"
#include "interpret/cases.hpp"
#include "interpret/shapes.hpp"
#include "interpret/thrown.hpp"

namespace roundelay::interpret {

namespace {

Proof failed(const Proof& proven, const std::string& error) {
  Proof proof;
  proof.cases = proven.cases;
  proof.error = error;
  return proof;
}

std::string order_error(const Choice& choice, int p, const Proof& proven) {
  const Algorithm& algorithm = *choice.algorithm;
  if (!algorithm.fixed_order || is_fixed(algorithm.collective, p, proven.orders)) return {};
  return "it claims a fixed order, but results were combined in " +
         std::to_string(proven.orders.size()) + " different ones";
}

Proof prove_all(const Choice& choice, const Case& shape, const ProofOptions& options) {
  Proof proven;
  proven.ok = true;
  const std::vector<Case> cases = cases_of(choice, shape, options.root);
  for (const Case& of : cases) {
    Proof proof = verify(choice, of, options.stop);
    if (!proof.ok) {
      proof.cases = proven.cases;
      proof.error = case_text(of) + ": " + proof.error;
      return proof;
    }
    ++proven.cases;
    proven.orders.merge(proof.orders);
    if (of.m != cases.front().m || of.network != cases.front().network ||
        of.distribution != Distribution::even) {
      continue;
    }
    proven.rounds = std::max(proven.rounds, proof.rounds);
    proven.volume = std::max(proven.volume, proof.volume);
    proven.far_messages = std::max(proven.far_messages, proof.far_messages);
    proven.far_volume = std::max(proven.far_volume, proof.far_volume);
  }
  if (cases.empty()) return proven;
  const Call call(choice, cases.front());
  if (const std::string error =
          claim_error(choice, call.dimensions(), proven, options.root.has_value());
      !error.empty()) {
    proven.ok = false;
    proven.error = ranks_text(cases.front()) + ", m = " + std::to_string(cases.front().m) +
                   ", the worst of the roots: " + error;
  } else if (const std::string orders = order_error(choice, shape.p, proven); !orders.empty()) {
    return failed(proven, ranks_text(shape) + ": " + orders);
  }
  return proven;
}

}  // namespace

bool is_fixed(Collective collective, int p, const std::set<std::uint64_t>& orders) {
  switch (collective) {
    case Collective::scan: return orders.size() == static_cast<std::size_t>(p);
    case Collective::exscan: return orders.size() + 1 == static_cast<std::size_t>(p);
    default: return orders.size() == 1;
  }
}

Proof prove(const Choice& choice, int p, const ProofOptions& options) {
  Proof proven;
  proven.ok = true;
  for (const Case& shape : shapes_of(choice, p)) {
    Proof proof = prove(choice, shape, options);
    proven.cases += proof.cases;
    if (!proof.ok) return failed(proven, proof.error);
    proven.orders.merge(proof.orders);
    proven.rounds = std::max(proven.rounds, proof.rounds);
    proven.volume = std::max(proven.volume, proof.volume);
  }
  if (proven.cases == 0 || options.root.has_value()) return proven;
  const std::string error = order_error(choice, p, proven);
  return error.empty() ? proven : failed(proven, "p = " + std::to_string(p) + ": " + error);
}

Proof prove(const Choice& choice, const Case& shape, const ProofOptions& options) {
  try {
    return prove_all(choice, shape, options);
  } catch (const Stopped&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::invalid_argument&) {
    throw;
  } catch (...) {
    return failed({}, ranks_text(shape) + ": it throws " + describe_thrown());
  }
}

}  // namespace roundelay::interpret
