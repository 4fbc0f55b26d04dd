// SPDX-License-Identifier: Apache-2.0
// One section of a trial (`optimizer:`) whose values are asked for by key; messages name the place.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "util/json.hpp"

namespace dlrun::trial {

class Section {
 public:
  /// The section `place` of `trial`; a mere name is short for {op: NAME}, a list for {op: `list_op`, parts: […]}.
  /// @throws Error(usage) where it is something else.
  Section(const Json& trial, std::string place, const std::string& list_op = {});
  /// An element of a section's list.
  Section(std::string place, Json json) : place_(std::move(place)), json_(std::move(json)) { check_is_map(); }

  bool is_empty() const { return json_.empty(); }
  bool has(const char* key) const { return !get(key).is_null(); }
  const std::string& place() const { return place_; }

  std::string op(const std::string& fallback, const std::vector<std::string>& known) const;
  /// A number in [low, high].
  double number(const char* key, double fallback, double low, double high) const;
  std::optional<double> optional_number(const char* key, double low, double high) const;
  std::int64_t integer(const char* key, std::int64_t fallback, std::int64_t low, std::int64_t high) const;
  bool flag(const char* key, bool fallback) const;
  std::string word(const char* key, const std::string& fallback, const std::vector<std::string>& known) const;
  std::string text(const char* key, const std::string& fallback) const;
  /// Two numbers in [0, 1).
  std::pair<double, double> betas(double first, double second) const;
  std::vector<double> numbers(const char* key, double low, double high) const;
  /// A list of texts; one text is a list of one.
  std::vector<std::string> texts(const char* key) const;
  /// The elements of a list of maps.
  std::vector<Section> parts(const char* key) const;

  [[noreturn]] void refuse(const char* key, const std::string& wanted) const;

 private:
  Json get(const char* key) const;
  void check_is_map() const;

  std::string place_;
  Json json_ = Json::object();
};

inline constexpr double kHuge = 1e300;

}  // namespace dlrun::trial
