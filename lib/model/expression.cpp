// SPDX-License-Identifier: Apache-2.0
// A parser by recursive descent that computes as it reads.
#include "model/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace dlrun::model {

namespace {

constexpr std::size_t kLongestName = 40;
constexpr std::size_t kLongestText = 200;
constexpr const char* kSyntax =
    "e.g. 4 * width, or round(width / 3): known are + - * / // % ( ) round divisible min max";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// torchvision's _make_divisible: widths that suit the hardware without losing more than a tenth.
double divisible(double value, double divisor) {
  const double nearest = std::max(divisor, std::floor((value + divisor / 2) / divisor) * divisor);
  return nearest < 0.9 * value ? nearest + divisor : nearest;
}

class Parser {
 public:
  Parser(std::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  double parse() {
    const double value = sum();
    if (!rest().empty()) fail();
    return value;
  }

 private:
  double sum() {
    double value = term();
    while (true) {
      if (skip_if("+")) {
        value += term();
      } else if (skip_if("-")) {
        value -= term();
      } else {
        return value;
      }
    }
  }

  double term() {
    double value = factor();
    while (true) {
      if (skip_if("//")) {
        value = std::floor(divide(value, factor()));
      } else if (skip_if("/")) {
        value = divide(value, factor());
      } else if (skip_if("%")) {
        value = remainder(value, factor());
      } else if (skip_if("*")) {
        value *= factor();
      } else {
        return value;
      }
    }
  }

  double factor() {
    if (skip_if("-")) return -factor();
    if (skip_if("(")) {
      const double value = sum();
      expect(")");
      return value;
    }
    const std::string_view left = rest();
    if (!left.empty() && is_letter(left.front())) return named();
    return number();
  }

  double number() {
    const std::string_view left = rest();
    double value = 0;
    const bool begins = !left.empty() && (is_digit(left.front()) || left.front() == '.');
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), value);
    if (!begins || error != std::errc()) fail();
    text_ = left.substr(std::size_t(end - left.data()));
    return value;
  }

  double named() {
    const std::string_view left = rest();
    const auto end = std::find_if_not(left.begin(), left.end(), [](char c) { return is_letter(c) || is_digit(c); });
    const std::string name(left.begin(), end);
    text_ = left.substr(name.size());
    return skip_if("(") ? call(name) : lookup_(name);
  }

  double call(const std::string& name) {
    std::vector<double> values{sum()};
    while (skip_if(",")) values.push_back(sum());
    expect(")");
    if (name == "round" && values.size() == 1) return std::round(values[0]);
    if (name == "min" && values.size() == 2) return std::min(values[0], values[1]);
    if (name == "max" && values.size() == 2) return std::max(values[0], values[1]);
    if (name == "divisible" && values.size() == 2 && values[1] >= 1) return divisible(values[0], values[1]);
    throw ExpressionFault(fmt::format("there is no {}() of {} numbers like these", name, values.size()),
                          "known are round(x), divisible(x, n) with n of at least 1, min(a, b), max(a, b)");
  }

  static double divide(double a, double b) {
    if (b == 0) throw ExpressionFault("it divides by zero", "the divisor must not be 0");
    return a / b;
  }

  static double remainder(double a, double b) { return a - b * std::floor(divide(a, b)); }

  std::string_view rest() {
    text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size()));
    return text_;
  }

  bool skip_if(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!skip_if(token)) fail();
  }

  [[noreturn]] void fail() {
    throw ExpressionFault(rest().empty() ? "it ends too early" : fmt::format("'{}' is not understood there", rest()),
                          kSyntax);
  }

  std::string_view text_;
  const Lookup& lookup_;
};

}  // namespace

bool is_identifier(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

double evaluate(const std::string& text, const Lookup& lookup) {
  if (text.size() > kLongestText) throw ExpressionFault("it is longer than 200 characters", kSyntax);
  const double value = Parser(text, lookup).parse();
  if (!std::isfinite(value)) throw ExpressionFault("its value is not finite", "");
  return value;
}

}  // namespace dlrun::model
