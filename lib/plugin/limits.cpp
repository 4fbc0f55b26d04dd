// SPDX-License-Identifier: Apache-2.0
#include "plugin/limits.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "util/error.hpp"

namespace dlrun::plugin {

namespace {

/// Number of a variable; nullopt: it is not set, or empty. @param least  as the message has it
std::optional<double> number_in(const char* name, const char* least, bool (*is_enough)(double)) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  double value = 0;
  const char* const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, value);
  if (read.ec == std::errc() && read.ptr == end && is_enough(value) && value < 1e6) return value;
  throw Error(ErrorKind::usage,
              fmt::format("{} must be a number {} and below 1000000, but is '{}'", name, least, text));
}

}  // namespace

double deadline_of_environment(double fallback) {
  return number_in("DLRUN_PLUGIN_DEADLINE", "above 0", [](double value) { return value > 0; }).value_or(fallback);
}

double memory_of_environment(double fallback) {
  return number_in("DLRUN_PLUGIN_MEMORY_MB", "of at least 1", [](double value) { return value >= 1; })
      .value_or(fallback);
}

}  // namespace dlrun::plugin
