// SPDX-License-Identifier: Apache-2.0
#include "spec/linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "document/source.hpp"
#include "spec/reading.hpp"

namespace dlrun::spec {

namespace {

constexpr int kDeepest = 50;

/// Factors by name, and a number.
struct Sum {
  std::map<std::string, double> factors;
  double number = 0;

  bool is_number() const { return factors.empty(); }
  void add(const Sum& other, double times) {
    number += times * other.number;
    for (const auto& [name, factor] : other.factors) factors[name] += times * factor;
  }
  void scale(double by) {
    number *= by;
    for (auto& [name, factor] : factors) factor *= by;
  }
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; }

class Parser {
 public:
  Parser(const std::string& text, const std::vector<std::string>& names) : text_(text), names_(names) {}

  Relation relation() {
    Sum left = sum();
    std::string sign = comparison();
    Sum right = sum();
    skip();
    if (at_ < text_.size()) after_end();
    if (sign[0] == '>') std::swap(left, right);
    left.add(right, -1);
    Relation out;
    for (const auto& [name, factor] : left.factors) {
      if (factor != 0) out.factors[name] = factor;
    }
    if (out.factors.empty()) throw LinearError(0, text_.size(), "the parameters cancel out", "name those it is about");
    out.relation = sign == "=="       ? space::Relation::equal
                   : sign.size() == 2 ? space::Relation::at_most
                                      : space::Relation::less;
    out.bound = -left.number + 0.0;
    return out;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  char next() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  [[noreturn]] void fail(const std::string& message, const std::string& help = {}, std::size_t length = 1) const {
    throw LinearError(at_, length, message, help);
  }
  [[noreturn]] void after_end() const {
    const char c = text_[at_];
    if (c == '<' || c == '>' || c == '=') fail("a second comparison", "write two constraints");
    fail(document::quote(text_.substr(at_)) + " does not belong to a sum", "sums of number * parameter are understood");
  }

  std::string comparison() {
    const char c = next();
    const bool has_equals = at_ + 1 < text_.size() && text_[at_ + 1] == '=';
    if (c == '!') fail("'!=' is no linear relation", "write {forbid: …} for values that must not meet", 2);
    if (c == '=' && !has_equals) fail("'=' is no comparison", "write ==");
    if (c != '<' && c != '>' && c != '=') fail("a comparison is missing here", "write <, <=, >, >= or ==");
    std::string sign = text_.substr(at_, has_equals ? 2 : 1);
    at_ += sign.size();
    return sign;
  }

  Sum sum() {
    Sum out = product();
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      ++at_;
      out.add(product(), c == '+' ? 1 : -1);
    }
    return out;
  }

  Sum product() {
    const std::size_t start = (skip(), at_);
    Sum out = factor();
    for (char c = next(); c == '*' || c == '/'; c = next()) {
      ++at_;
      const std::size_t right = (skip(), at_);
      Sum by = factor();
      if (c == '/' && !by.is_number()) throw LinearError(right, at_ - right, "a quotient by a parameter is not linear");
      if (c == '/' && by.number == 0) throw LinearError(right, at_ - right, "a division by 0");
      if (!out.is_number() && !by.is_number()) {
        throw LinearError(start, at_ - start, "a product of parameters is not linear");
      }
      if (out.is_number()) std::swap(out, by);
      out.scale(c == '/' ? 1 / by.number : by.number);
    }
    return out;
  }

  Sum factor() {
    if (++depth_ > kDeepest) fail("the sum is nested too deeply");
    const char c = next();
    Sum out;
    if (c == '-') {
      ++at_;
      out = factor();
      out.scale(-1);
    } else if (c == '(') {
      ++at_;
      out = sum();
      if (next() != ')') fail("')' is missing here");
      ++at_;
    } else if (is_digit(c) || c == '.') {
      out.number = number();
    } else if (is_letter(c)) {
      out.factors[name()] = 1;
    } else {
      fail(c == '\0' ? "a number or a parameter is missing here"
                     : document::quote(std::string(1, c)) + " is no number and no parameter");
    }
    --depth_;
    return out;
  }

  double number() {
    double value = 0;
    const auto [end, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (fault != std::errc() || !std::isfinite(value)) fail("this is no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && is_letter(text_[at_])) fail("a '*' is missing here");
    return value;
  }

  std::string name() {
    std::size_t end = at_;
    while (end < text_.size() && is_of_name(text_[end])) ++end;
    const auto is_known = [&](const std::string& name) {
      return std::find(names_.begin(), names_.end(), name) != names_.end();
    };
    for (std::size_t cut = end; cut > at_; --cut) {
      const bool is_word = cut == end || text_[cut] == '-';
      if (!is_word || !is_known(text_.substr(at_, cut - at_))) continue;
      const std::size_t start = std::exchange(at_, cut);
      return text_.substr(start, cut - start);
    }
    const std::string word = text_.substr(at_, std::min(text_.find('-', at_), end) - at_);
    fail("there is no parameter " + document::quote(word), suggest(word, names_), word.size());
  }

  const std::string& text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Relation parse_linear(const std::string& text, const std::vector<std::string>& names) {
  return Parser(text, names).relation();
}

}  // namespace dlrun::spec
