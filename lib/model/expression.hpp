// SPDX-License-Identifier: Apache-2.0
// Arithmetic in attributes: "4 * width", "round(width / 3)". Numbers are doubles, so a result is the same everywhere.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>

namespace dlrun::model {

/// Why a text has no value: what() is the message, hint() what would be right.
class ExpressionFault : public std::runtime_error {
 public:
  ExpressionFault(const std::string& message, std::string hint) : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// The value of a name. @throws ExpressionFault where there is none.
using Lookup = std::function<double(const std::string& name)>;

/// Grammar, with the usual precedence: + - * / (exact) // (rounded down) % (its rest), minus, parentheses, numbers,
/// names, and
///   round(x)         the nearest whole number, halves away from zero
///   divisible(x, n)  the nearest multiple of n, at least n, and never more than a tenth below x: the widths of narrow
///                    MobileNets (torchvision's _make_divisible)
///   min(a, b), max(a, b)
/// @throws ExpressionFault for anything else, a division by zero, or a result that is not finite.
double evaluate(const std::string& text, const Lookup& lookup);

/// A letter or '_', then letters, digits or '_', at most 40.
bool is_identifier(const std::string& text);

}  // namespace dlrun::model
