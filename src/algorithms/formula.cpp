// SPDX-License-Identifier: Apache-2.0
#include "algorithms/formula.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace roundelay {

enum class Operator : std::uint8_t {
  constant,
  ranks,
  receivers,
  units,
  longest,
  add,
  subtract,
  multiply,
  divide,
  ceil_log2,
  floor_log2,
  exp2,
  floor,
  ceil,
  min,
  max,
  if_power_of_two,
  if_many,
  function
};

struct Formula::Node {
  Operator op;
  double value = 0;
  std::shared_ptr<const Node> a;
  std::shared_ptr<const Node> b;
  std::shared_ptr<const Node> ranks = {};  // of a condition on their number; none: p
  std::string text = {};
  std::function<double(const Dimensions&)> function = {};
};
// A function with an operand `a` is written as that says.

namespace {

using Node = Formula::Node;
using Pointer = std::shared_ptr<const Node>;

Pointer make(Operator op, Pointer a = nullptr, Pointer b = nullptr, double value = 0) {
  return std::make_shared<const Node>(
      Node{.op = op, .value = value, .a = std::move(a), .b = std::move(b)});
}

bool is(const Pointer& node, double value) {
  return node->op == Operator::constant && node->value == value;
}

double evaluate(const Node& node, const Dimensions& of) {
  const auto a = [&] { return evaluate(*node.a, of); };
  const auto b = [&] { return evaluate(*node.b, of); };
  const auto whole = [&] { return static_cast<unsigned>(std::max(1.0, a())); };
  const auto ranks = [&] {
    return node.ranks != nullptr ? static_cast<int>(evaluate(*node.ranks, of)) : of.p;
  };
  switch (node.op) {
    case Operator::constant: return node.value;
    case Operator::ranks: return of.p;
    case Operator::receivers: return of.q;
    case Operator::units: return of.m;
    case Operator::longest: return of.longest_block();
    case Operator::add: return a() + b();
    case Operator::subtract: return a() - b();
    case Operator::multiply: return a() * b();
    case Operator::divide: return a() / b();
    case Operator::ceil_log2: return std::bit_width(whole() - 1U);
    case Operator::floor_log2: return std::bit_width(whole()) - 1;
    case Operator::exp2: return std::ldexp(1, static_cast<int>(a()));  // of whole numbers
    case Operator::floor: return std::floor(a());
    case Operator::ceil: return std::ceil(a());
    case Operator::min: return std::min(a(), b());
    case Operator::max: return std::max(a(), b());
    case Operator::if_power_of_two:
      return std::has_single_bit(static_cast<unsigned>(ranks())) ? a() : b();
    case Operator::if_many: return ranks() > 1 ? a() : 0;
    case Operator::function: return node.function(of);
  }
  return 0;
}

std::string print(const Node& node, int least);

// Whether a text can be an operand without brackets around it.
bool is_one_term(const std::string& text) {
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ' ' && depth == 0) return false;
  }
  return true;
}

// How tightly an operator binds, for parentheses.
int strength(const Node& node) {
  switch (node.op) {
    case Operator::add:
    case Operator::subtract: return 1;
    case Operator::multiply:
    case Operator::divide: return 2;
    case Operator::if_power_of_two: return 0;
    case Operator::if_many: return strength(*node.a);
    case Operator::function: return is_one_term(node.text) ? 3 : 0;
    default: return 3;
  }
}

std::string call(const char* name, const Node& node) {
  std::string text = std::string(name) + "(" + print(*node.a, 0);
  if (node.b != nullptr) text += ", " + print(*node.b, 0);
  return text + ")";
}

// Of nested minima or maxima all operands, as those of one.
std::string operands(const Node& node, Operator op) {
  if (node.op != op) return print(node, 0);
  return operands(*node.a, op) + ", " + operands(*node.b, op);
}

std::string bare(const Node& node) {
  switch (node.op) {
    case Operator::constant: {
      std::array<char, 32> digits{};
      std::snprintf(digits.data(), digits.size(), "%g", node.value);
      return digits.data();
    }
    case Operator::ranks: return "p";
    case Operator::receivers: return "q";
    case Operator::units: return "m";
    case Operator::longest: return "longest_block";
    case Operator::add: return print(*node.a, 1) + " + " + print(*node.b, 1);
    case Operator::subtract: return print(*node.a, 1) + " - " + print(*node.b, 2);
    case Operator::multiply: return print(*node.a, 2) + " " + print(*node.b, 2);
    case Operator::divide: return print(*node.a, 2) + " / " + print(*node.b, 3);
    case Operator::ceil_log2: return call("ceil_log2", node);
    case Operator::floor_log2: return call("floor_log2", node);
    case Operator::exp2: return "2^" + print(*node.a, 3);
    case Operator::floor: return call("floor", node);
    case Operator::ceil: return call("ceil", node);
    case Operator::min: return "min(" + operands(node, node.op) + ")";
    case Operator::max: return "max(" + operands(node, node.op) + ")";
    case Operator::if_power_of_two:
      return print(*node.a, 1) + " if " + (node.ranks != nullptr ? print(*node.ranks, 1) : "p") +
             " is a power of two, else " + print(*node.b, 0);
    case Operator::if_many: return print(*node.a, 0);
    case Operator::function: return node.text;
  }
  return {};
}

std::string print(const Node& node, int least) {
  return strength(node) < least ? "(" + bare(node) + ")" : bare(node);
}

bool are_alike(const Pointer& a, const Pointer& b) { return print(*a, 0) == print(*b, 0); }

bool is_constant(const Pointer& node) { return node->op == Operator::constant; }

// Whether it is so for every call; of what a function computes, which are counts.
bool never_negative(const Node& node) {
  switch (node.op) {
    case Operator::constant: return node.value >= 0;
    case Operator::subtract: return node.a->op == Operator::ranks && is(node.b, 1);
    case Operator::max: return never_negative(*node.a) || never_negative(*node.b);
    case Operator::add:
    case Operator::multiply:
    case Operator::divide:
    case Operator::min:
    case Operator::if_power_of_two: return never_negative(*node.a) && never_negative(*node.b);
    case Operator::floor:
    case Operator::ceil: return never_negative(*node.a);
    default: return true;
  }
}

// Whether it is so wherever there is more than one rank: of p and p - 1.
bool is_at_least_one(const Node& node) {
  return node.op == Operator::ranks ||
         (node.op == Operator::subtract && node.a->op == Operator::ranks && is(node.b, 1));
}

// Whether it is a whole number for every call.
bool always_whole(const Node& node) {
  switch (node.op) {
    case Operator::constant: return node.value == std::floor(node.value);
    case Operator::add:
    case Operator::subtract:
    case Operator::multiply:
    case Operator::min:
    case Operator::max: return always_whole(*node.a) && always_whole(*node.b);
    case Operator::divide:
    case Operator::if_power_of_two:
    case Operator::function: return false;
    default: return true;
  }
}

// The operands of nested operators of one kind.
void collect(Operator op, const Pointer& node, std::vector<Pointer>& into) {
  if (node->op != op) {
    into.push_back(node);
    return;
  }
  collect(op, node->a, into);
  collect(op, node->b, into);
}

Pointer joined(Operator op, const std::vector<Pointer>& operands) {
  Pointer all = operands.front();
  for (std::size_t i = 1; i < operands.size(); ++i) all = make(op, all, operands[i]);
  return all;
}

struct Term {
  Pointer value;
  bool is_subtracted;
};

// The terms of a sum; what is subtracted as a whole stays together.
void collect_terms(const Pointer& node, std::vector<Term>& into) {
  if (node->op == Operator::add) {
    collect_terms(node->a, into);
    collect_terms(node->b, into);
  } else if (node->op == Operator::subtract) {
    collect_terms(node->a, into);
    into.push_back({node->b, true});
  } else {
    into.push_back({node, false});
  }
}

// A term as a number times the rest, e.g. of 2 m / p the 2 and m / p; of a constant no rest.
struct Multiple {
  double factor;
  Pointer rest;
};

Multiple multiple_of(const Pointer& term) {
  if (is_constant(term)) return {term->value, nullptr};
  if (term->op == Operator::multiply && is_constant(term->a)) return {term->a->value, term->b};
  if (term->op == Operator::multiply) {
    const auto [factor, rest] = multiple_of(term->a);
    return {factor, make(Operator::multiply, rest, term->b)};
  }
  if (term->op == Operator::divide && !is_constant(term->a)) {
    const auto [factor, rest] = multiple_of(term->a);
    return {factor, make(Operator::divide, rest, term->b)};
  }
  return {1, term};
}

// The constant first, also of a quotient's upper part.
Pointer times(double factor, const Pointer& rest) {
  if (rest == nullptr) return make(Operator::constant, nullptr, nullptr, factor);
  if (factor == 1) return rest;
  if (rest->op == Operator::multiply || rest->op == Operator::divide) {
    return make(rest->op, times(factor, rest->a), rest->b);
  }
  return make(Operator::multiply, times(factor, nullptr), rest);
}

// Terms that differ only in a constant factor become one, where the first of them was; no sum
// begins with a negative constant.
Pointer simple_sum(const Pointer& node) {
  std::vector<Term> terms;
  collect_terms(node, terms);
  std::vector<Multiple> multiples;
  for (const Term& term : terms) {
    auto [factor, rest] = multiple_of(term.value);
    if (term.is_subtracted) factor = -factor;
    const auto like = std::ranges::find_if(multiples, [&](const Multiple& one) {
      return rest == nullptr || one.rest == nullptr ? rest == one.rest : are_alike(one.rest, rest);
    });
    if (like == multiples.end()) {
      multiples.push_back({factor, rest});
    } else {
      like->factor += factor;
    }
  }
  std::erase_if(multiples, [](const Multiple& one) { return one.factor == 0; });
  if (multiples.empty()) return make(Operator::constant);
  if (multiples.front().rest == nullptr && multiples.front().factor < 0) {
    std::ranges::rotate(multiples, multiples.begin() + 1);
  }
  Pointer sum;
  for (const auto& [factor, rest] : multiples) {
    const Pointer value = times(std::abs(factor), rest);
    if (sum == nullptr && factor > 0) {
      sum = value;
    } else {
      if (sum == nullptr) sum = make(Operator::constant);
      sum = make(factor < 0 ? Operator::subtract : Operator::add, sum, value);
    }
  }
  return sum;
}

// The constant factor, if it is not 1, is the first.
Pointer simple_product(const Pointer& node) {
  std::vector<Pointer> factors;
  collect(Operator::multiply, node, factors);
  double constant = 1;
  for (const Pointer& factor : factors) constant *= is_constant(factor) ? factor->value : 1;
  std::erase_if(factors, is_constant);
  if (constant == 0) return make(Operator::constant);
  if (constant != 1 || factors.empty()) {
    factors.insert(factors.begin(), make(Operator::constant, nullptr, nullptr, constant));
  }
  return joined(Operator::multiply, factors);
}

Pointer simple_quotient(const Pointer& node) {
  if (is(node->a, 0) || is(node->b, 1)) return node->a;
  std::vector<Pointer> factors;
  collect(Operator::multiply, node->a, factors);
  const auto same = std::ranges::find_if(
      factors, [&](const Pointer& factor) { return are_alike(factor, node->b); });
  if (same == factors.end()) return node;
  factors.erase(same);
  return factors.empty() ? make(Operator::constant, nullptr, nullptr, 1)
                         : joined(Operator::multiply, factors);
}

// The constants of nested minima or maxima become one, the first; what is written alike is once.
Pointer simple_extreme(const Pointer& node) {
  std::vector<Pointer> operands;
  collect(node->op, node, operands);
  Pointer constant;
  std::vector<Pointer> rest;
  for (const Pointer& operand : operands) {
    if (is_constant(operand)) {
      constant = constant == nullptr ? operand
                                     : make(Operator::constant, nullptr, nullptr,
                                            evaluate(*make(node->op, constant, operand), {}));
    } else if (std::ranges::none_of(rest,
                                    [&](const Pointer& one) { return are_alike(one, operand); })) {
      rest.push_back(operand);
    }
  }
  const auto any = [&](bool (*holds)(const Node&)) {
    return std::ranges::any_of(rest, [&](const Pointer& one) { return holds(*one); });
  };
  if (node->op == Operator::min && constant != nullptr && constant->value <= 1) {
    std::erase_if(rest, [](const Pointer& one) { return is_at_least_one(*one); });
  }
  const bool is_least =
      node->op == Operator::max && constant != nullptr &&
      ((is(constant, 0) && any(never_negative)) || (constant->value <= 1 && any(is_at_least_one)));
  if (constant != nullptr && !is_least) rest.insert(rest.begin(), constant);
  return joined(node->op, rest);
}

// What is written: the same value for every call of many ranks, in fewer words.
Pointer simplified(const Pointer& node) {
  if (node->op == Operator::function) return node->a != nullptr ? simplified(node->a) : node;
  if (node->op == Operator::if_many) return simplified(node->a);
  if (node->a == nullptr) return node;
  Node copy = *node;
  copy.a = simplified(node->a);
  if (node->b != nullptr) copy.b = simplified(node->b);
  if (node->ranks != nullptr) copy.ranks = simplified(node->ranks);
  Pointer simple = std::make_shared<const Node>(std::move(copy));
  const bool has_condition = node->op == Operator::if_power_of_two;
  if (has_condition) return are_alike(simple->a, simple->b) ? simple->a : simple;
  if (is_constant(simple->a) && (simple->b == nullptr || is_constant(simple->b))) {
    const double value = evaluate(*simple, {});
    return std::isfinite(value) ? make(Operator::constant, nullptr, nullptr, value) : simple;
  }
  switch (node->op) {
    case Operator::add:
    case Operator::subtract: return simple_sum(simple);
    case Operator::multiply: return simple_product(simple);
    case Operator::divide: return simple_quotient(simple);
    case Operator::min:
    case Operator::max: return simple_extreme(simple);
    case Operator::floor:
    case Operator::ceil: return always_whole(*simple->a) ? simple->a : simple;
    default: return simple;
  }
}

std::string written(const Pointer& node, int least) { return print(*simplified(node), least); }

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A text in which p and m have other names.
std::string renamed(std::string_view text, const std::string& p, const std::string& m) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool whole_name = (i == 0 || !is_part_of_name(text[i - 1])) &&
                            (i + 1 == text.size() || !is_part_of_name(text[i + 1]));
    if (whole_name && text[i] == 'p') {
      result += p;
    } else if (whole_name && text[i] == 'm') {
      result += m;
    } else {
      result += text[i];
    }
  }
  return result;
}

struct Part {
  Pointer ranks;
  Pointer units;
  Pointer real;  // see Dimensions
};

// The same of a part. A function is asked with other dimensions.
Pointer replaced(const Pointer& node, const Part& part) {
  switch (node->op) {
    case Operator::constant:
    case Operator::receivers: return node;
    case Operator::ranks: return part.ranks;
    case Operator::units: return part.units;
    case Operator::longest:
    case Operator::function: break;
    default: {
      Node copy = *node;
      if (node->a != nullptr) copy.a = replaced(node->a, part);
      if (node->b != nullptr) copy.b = replaced(node->b, part);
      if (node->op == Operator::if_power_of_two || node->op == Operator::if_many) {
        copy.ranks = node->ranks != nullptr ? replaced(node->ranks, part) : part.ranks;
      }
      return std::make_shared<const Node>(std::move(copy));
    }
  }
  const auto of_part = [node, part](const Dimensions& of) {
    const Dimensions real{.p = static_cast<int>(evaluate(*part.ranks, of)),
                          .m = evaluate(*part.real, of.chosen_by()),
                          .network = of.network};
    Dimensions even = real;
    even.m = evaluate(*part.units, of);
    even.real = &real;
    return evaluate(*node, even);
  };
  return std::make_shared<const Node>(
      Node{.op = Operator::function,
           .a = node->a != nullptr ? replaced(node->a, part) : nullptr,
           .b = nullptr,
           .text = renamed(print(*node, 0), written(part.ranks, 0), written(part.units, 0)),
           .function = of_part});
}

}  // namespace

Formula::Formula(double constant) : node_(make(Operator::constant, nullptr, nullptr, constant)) {}
Formula Formula::of(std::string text, std::function<double(const Dimensions&)> function) {
  return Formula(std::make_shared<const Node>(Node{.op = Operator::function,
                                                   .a = nullptr,
                                                   .b = nullptr,
                                                   .text = std::move(text),
                                                   .function = std::move(function)}));
}
Formula Formula::written_as(const Formula& writing,
                            std::function<double(const Dimensions&)> function) {
  return Formula(std::make_shared<const Node>(Node{.op = Operator::function,
                                                   .a = writing.node_,
                                                   .b = nullptr,
                                                   .function = std::move(function)}));
}
Formula Formula::of_ranks(std::string text, double (*function)(int p)) {
  return of(std::move(text), [function](const Dimensions& of) { return function(of.p); });
}
Formula Formula::ranks() { return Formula(make(Operator::ranks)); }
Formula Formula::receivers() { return Formula(make(Operator::receivers)); }
Formula Formula::units() { return Formula(make(Operator::units)); }
Formula Formula::longest() { return Formula(make(Operator::longest)); }

Formula Formula::of_part(const Formula& whole, const Formula& ranks, const Formula& units,
                         const Formula& real) {
  return Formula(replaced(whole.node_, {ranks.node_, units.node_, real.node_}));
}

double Dimensions::longest_block() const noexcept {
  return longest < 0 ? std::ceil(m / p) : longest;
}

double Formula::operator()(const Dimensions& of) const { return evaluate(*node_, of); }
std::string Formula::text() const { return written(node_, 0); }

Formula operator+(const Formula& a, const Formula& b) {
  if (is(a.node_, 0)) return b;
  if (is(b.node_, 0)) return a;
  return Formula(make(Operator::add, a.node_, b.node_));
}
Formula operator-(const Formula& a, const Formula& b) {
  if (is(b.node_, 0)) return a;
  return Formula(make(Operator::subtract, a.node_, b.node_));
}
Formula operator*(const Formula& a, const Formula& b) {
  if (is(a.node_, 1)) return b;
  if (is(b.node_, 1)) return a;
  return Formula(make(Operator::multiply, a.node_, b.node_));
}
Formula operator/(const Formula& a, const Formula& b) {
  return Formula(make(Operator::divide, a.node_, b.node_));
}
Formula ceil_log2(const Formula& a) { return Formula(make(Operator::ceil_log2, a.node_)); }
Formula floor_log2(const Formula& a) { return Formula(make(Operator::floor_log2, a.node_)); }
Formula exp2(const Formula& a) { return Formula(make(Operator::exp2, a.node_)); }
Formula floor(const Formula& a) { return Formula(make(Operator::floor, a.node_)); }
Formula ceil(const Formula& a) { return Formula(make(Operator::ceil, a.node_)); }
Formula min(const Formula& a, const Formula& b) {
  return Formula(make(Operator::min, a.node_, b.node_));
}
Formula max(const Formula& a, const Formula& b) {
  return Formula(make(Operator::max, a.node_, b.node_));
}
Formula if_power_of_two(const Formula& then, const Formula& otherwise) {
  return Formula(make(Operator::if_power_of_two, then.node_, otherwise.node_));
}
Formula if_many(const Formula& then) { return Formula(make(Operator::if_many, then.node_)); }

}  // namespace roundelay
