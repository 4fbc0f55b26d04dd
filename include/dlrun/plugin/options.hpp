// SPDX-License-Identifier: Apache-2.0
// The values of a plugin's section in a study. dlrun has checked them by the keys of plugin.yaml and filled in
// defaults.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dlrun::plugin {

/// One value. A number of a key that is real is a double, else a whole one a std::int64_t; monostate: the section has
/// none.
using OptionValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>,
                                 std::vector<std::string>>;

class Options {
 public:
  Options() = default;
  explicit Options(std::map<std::string, OptionValue> values) : values_(std::move(values)) {}

  /// Whether the section has a value, or the key a default.
  bool has(const std::string& key) const { return !std::holds_alternative<std::monostate>(value(key)); }
  bool boolean(const std::string& key) const { return as<bool>(key); }
  std::int64_t integer(const std::string& key) const { return as<std::int64_t>(key); }
  /// Also of a duration, in seconds.
  double real(const std::string& key) const {
    const auto* whole = std::get_if<std::int64_t>(&value(key));
    return whole != nullptr ? static_cast<double>(*whole) : as<double>(key);
  }
  /// Also of a choice.
  const std::string& text(const std::string& key) const { return as<std::string>(key); }
  /// Values of a key of type numbers or integers; a single number is a list of one.
  const std::vector<double>& numbers(const std::string& key) const { return as<std::vector<double>>(key); }

 private:
  /// @throws std::out_of_range for a key that plugin.yaml does not have
  const OptionValue& value(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw std::out_of_range("plugin.yaml has no key '" + key + "'");
    return found->second;
  }
  /// @throws std::out_of_range for a key without a value, or of another type
  template <class T>
  const T& as(const std::string& key) const {
    const auto* found = std::get_if<T>(&value(key));
    if (found == nullptr) throw std::out_of_range("key '" + key + "' has no value of this type");
    return *found;
  }

  std::map<std::string, OptionValue> values_;
};

}  // namespace dlrun::plugin
