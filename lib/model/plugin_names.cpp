// SPDX-License-Identifier: Apache-2.0
#include "model/plugin_names.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "model/expression.hpp"
#include "model/shape.hpp"
#include "options/form.hpp"

namespace dlrun::model {

Comparison comparison_of(const std::string& text) {
  for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"}) {
    const std::size_t at = text.find(sign);
    if (at != std::string::npos) return {text.substr(0, at), sign, text.substr(at + std::string(sign).size())};
  }
  throw ExpressionFault(fmt::format("'{}' compares nothing", text), "e.g. D % heads == 0; known are == != <= >= < >");
}

const double* PluginNames::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

double PluginNames::lookup(const std::string& name) {
  if (const double* known = find(name)) return *known;
  const auto written = let_.find(name);
  if (written == let_.end())
    throw ExpressionFault(fmt::format("'{}' has no value", name),
                          "sizes of inputs, keys with a number, and let have one");
  if (!open_.insert(name).second) throw ExpressionFault(fmt::format("'{}' needs its own value", name), "");
  const double result = value(*written);
  open_.erase(name);
  set(name, result);
  return result;
}

double PluginNames::value(const Json& written) {
  if (written.is_number()) return written.get<double>();
  if (written.is_boolean()) return written.get<bool>() ? 1 : 0;
  if (!written.is_string()) throw ExpressionFault("it is no arithmetic", "a number, or e.g. 2 * D");
  return evaluate(written.get<std::string>(), [this](const std::string& name) { return lookup(name); });
}

std::int64_t PluginNames::size(const Json& written) {
  const double result = value(written);
  if (result >= 1 && result <= double(kMostElements) && result == std::floor(result)) return std::int64_t(result);
  throw ExpressionFault(
      fmt::format("{} is {}, which is no size", dlrun::to_text(written), options::number_text(result)),
      "a size is a whole number of at least 1");
}

bool PluginNames::holds(const std::string& comparison) {
  const Comparison parts = comparison_of(comparison);
  const double left = value(parts.left), right = value(parts.right);
  if (parts.sign == "==") return left == right;
  if (parts.sign == "!=") return left != right;
  if (parts.sign == "<=") return left <= right;
  if (parts.sign == ">=") return left >= right;
  return parts.sign == "<" ? left < right : left > right;
}

const std::map<std::string, double>& PluginNames::all() {
  for (const auto& [name, written] : let_.items()) static_cast<void>(lookup(name));
  return values_;
}

std::string PluginNames::filled(const std::string& text) const {
  std::string result = text;
  for (const auto& [name, value] : values_) {
    const std::string hole = '{' + name + '}';
    for (std::size_t at = 0; (at = result.find(hole, at)) != std::string::npos;)
      result.replace(at, hole.size(), options::number_text(value));
  }
  return result;
}

}  // namespace dlrun::model
