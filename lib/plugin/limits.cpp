// SPDX-License-Identifier: Apache-2.0
#include "plugin/limits.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "util/error.hpp"

namespace dlrun::plugin {

double limit_of_environment(const char* name, double fallback) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return fallback;
  double value = 0;
  const char* const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, value);
  if (read.ec == std::errc() && read.ptr == end && value > 0 && value < 1e6) return value;
  throw Error(ErrorKind::usage, fmt::format("{} must be a number above 0, but is '{}'", name, text));
}

}  // namespace dlrun::plugin
