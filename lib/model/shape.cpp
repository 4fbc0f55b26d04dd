// SPDX-License-Identifier: Apache-2.0
#include "model/shape.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlrun::model {

namespace {
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
}

std::string to_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kHuge : result;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? kHuge : result;
}

std::int64_t elements(const Shape& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count = std::min(product(count, size), kMostElements + 1);
  return count;
}

}  // namespace dlrun::model
