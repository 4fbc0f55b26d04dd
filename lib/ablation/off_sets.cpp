// SPDX-License-Identifier: Apache-2.0
#include "ablation/off_sets.hpp"

#include <fmt/format.h>

#include "ablation/refused.hpp"

namespace dlrun::ablation {

namespace {

std::vector<Off> pairwise(std::size_t count) {
  std::vector<Off> out = variants_of("loco", count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) out.push_back({i, j});
  }
  return out;
}

std::vector<Off> factorial(std::size_t count) {
  constexpr std::size_t kMost = 6;
  if (count > kMost)
    throw Refused("E250", fmt::format("a factorial of {} components has {} variants", count, 1ULL << count),
                  "take at most six components, or design: pairwise");
  std::vector<Off> out;
  for (std::size_t bits = 1; bits < (std::size_t(1) << count); ++bits) {
    Off& off = out.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
      if ((bits >> i & 1) != 0) off.push_back(i);
    }
  }
  return out;
}

/// `without`: put back, so not among them; count: none is.
Off all_but(std::size_t count, std::size_t without) {
  Off off;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != without) off.push_back(i);
  }
  return off;
}

}  // namespace

std::vector<Off> variants_of(const std::string& design, std::size_t count) {
  if (design == "pairwise") return pairwise(count);
  if (design == "factorial") return factorial(count);
  std::vector<Off> out;
  if (design == "add_one_in") {
    if (count > 0) out.push_back(all_but(count, count));
    for (std::size_t i = 0; i < count && count > 1; ++i) out.push_back(all_but(count, i));
    return out;
  }
  for (std::size_t i = 0; i < count; ++i) out.push_back({i});
  return out;
}

}  // namespace dlrun::ablation
