// SPDX-License-Identifier: Apache-2.0
#include "spec/domains.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "options/form.hpp"
#include "spec/reading.hpp"

namespace dlrun::spec {

namespace {

constexpr double kMostExact = 9007199254740992.0;  // 2^53: every whole number below is a double
constexpr double kMostLogInteger = 1e12;
constexpr double kMostValues = 1125899906842624.0;  // 2^50: above, unit coordinates no longer tell all values apart

/// A number's domain being checked.
struct Range {
  const Json& parameter;
  const std::string& path;
  Faults& faults;
  double low = parameter["low"].get<double>();
  double high = parameter["high"].get<double>();
  bool is_log = parameter["scale"] == "log";
  bool is_integer = parameter["type"] == "int";

  std::string in(const char* key) const { return join(path, key); }

  bool has_too_many() const {
    const bool is_grid = is_integer || !parameter["step"].is_null();
    const double step = parameter["step"].is_null() ? 1 : parameter["step"].get<double>();
    return is_grid && (high - low) / step >= kMostValues;
  }

  void check_order() const {
    if (low < high) return;
    if (low == high) {
      faults.at(in("high"),
                fmt::format("low and high are both {}, so there is nothing to search", options::number_text(low)),
                "write type: constant, value: " + options::number_text(low));
    } else {
      faults.clash(in("high"), fmt::format("high must be above low, but is {}", options::number_text(high)), in("low"),
                   "low is " + options::number_text(low));
    }
  }

  void check_log() const {
    if (low <= 0) {
      faults.at(in("low"), fmt::format("a log scale needs low > 0, but low is {}", options::number_text(low)),
                fmt::format("write low: {}, or scale: linear", is_integer ? "1" : "1e-6"));
    }
    if (!parameter["step"].is_null()) {
      faults.at(in("step"), "a log scale has no step", "remove step, or write the values as choices");
    }
    if (is_integer && high > kMostLogInteger) faults.at(in("high"), "a log scale of whole numbers ends at 1e12");
  }

  void check_step() const {
    const double step = parameter["step"].get<double>();
    const double count = (high - low) / step;
    if (step > high - low) {
      faults.at(in("step"), fmt::format("step {} is wider than the range from {} to {}", options::number_text(step),
                                        options::number_text(low), options::number_text(high)));
    } else if (std::abs(count - std::round(count)) > 1e-9 * count) {
      const double end = low + std::floor(count) * step;
      faults.at(in("step"),
                fmt::format("step {} does not lead from {} to {}", options::number_text(step),
                            options::number_text(low), options::number_text(high)),
                fmt::format("write high: {:.12g}, or another step", end));
    }
  }

  void check() const {
    if (is_integer && (std::abs(low) > kMostExact || std::abs(high) > kMostExact)) {
      return faults.at(path, "bounds of whole numbers must lie within 2^53");
    }
    if (!std::isfinite(high - low)) return faults.at(path, "the range is wider than a real number can say");
    if (has_too_many()) return faults.at(path, "the domain has more than 2^50 values", "write a larger step");
    check_order();
    if (is_log) return check_log();
    if (low < high && !parameter["step"].is_null()) check_step();
  }
};

void check_choices(const Json& choices, const std::string& path, Faults& faults) {
  const std::string list = join(path, "choices");
  if (choices.empty()) return faults.at(list, "there are no choices", "give at least one value");
  std::map<Json, std::size_t> first;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto [known, is_new] = first.try_emplace(choices[i], i);
    if (is_new) continue;
    faults.clash(join(list, std::to_string(i)), "the choice " + to_text(choices[i]) + " is given twice",
                 join(list, std::to_string(known->second)), "here first",
                 "each choice is equally likely, so give it once");
  }
}

}  // namespace

void check_domain(const Json& parameter, const std::string& path, Faults& faults) {
  if (parameter.contains("low")) {
    const bool is_whole = parameter["low"].is_number() && parameter["high"].is_number();
    if (is_whole && !faults.is_bad(join(path, "step"))) Range{parameter, path, faults}.check();
  } else if (parameter.contains("choices") && !faults.is_bad(join(path, "choices"))) {
    check_choices(parameter["choices"], path, faults);
  }
}

}  // namespace dlrun::spec
