// SPDX-License-Identifier: Apache-2.0
// Rows of every element type into tensors, against Array's own plain reading.
#include <ATen/ATen.h>

#include "data/gather.hpp"
#include "support/catch.hpp"

namespace gather_test {

using namespace dlrun;
using dataset::Array;

namespace {

/// `examples` rows of `width` values of which every row and place is different.
template <class T>
Array counted(std::int64_t examples, std::int64_t width) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < examples * width; ++i) values.push_back(static_cast<T>(i * 7 % 251));
  return Array::of(std::move(values), width);
}

void check_numbers(const Array& array, const std::vector<std::int64_t>& rows) {
  const at::Tensor to = at::full({std::int64_t(rows.size()), array.width}, -1.0f);
  data::gather(array, rows.data(), to);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int64_t k = 0; k < array.width; ++k)
      REQUIRE(to[std::int64_t(i)][k].item<float>() == array.number(rows[i], k));
  }
}

void check_indices(const Array& array, const std::vector<std::int64_t>& rows) {
  const at::Tensor to = at::full({std::int64_t(rows.size()), array.width}, -1, at::kLong);
  data::gather(array, rows.data(), to);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int64_t k = 0; k < array.width; ++k)
      REQUIRE(to[std::int64_t(i)][k].item<std::int64_t>() == array.index(rows[i], k));
  }
}

const std::vector<std::int64_t> kRows{4, 0, 0, 3, 1};

}  // namespace

TEST_CASE("rows of every type become numbers", "[data][gather]") {
  const std::int64_t width = GENERATE(1, 6, 37, 66);
  check_numbers(counted<std::uint8_t>(5, width), kRows);
  check_numbers(counted<std::int32_t>(5, width), kRows);
  check_numbers(counted<std::int64_t>(5, width), kRows);
  check_numbers(counted<float>(5, width), kRows);
}

TEST_CASE("rows of every type become indices", "[data][gather]") {
  const std::int64_t width = GENERATE(1, 37);
  check_indices(counted<std::uint8_t>(5, width), kRows);
  check_indices(counted<std::int32_t>(5, width), kRows);
  check_indices(counted<std::int64_t>(5, width), kRows);
}

TEST_CASE("scale and shift hold for all or for each channel, to the bit", "[data][gather]") {
  const auto with_scale = [](Array array) {
    array.scale = {1.0f / 255, 0.0173f, 3.1f};
    array.shift = {-0.4914f, 0.25f, -7};
    return array;
  };
  check_numbers(with_scale(counted<std::uint8_t>(5, 3 * 37)), kRows);
  check_numbers(with_scale(counted<float>(5, 3 * 37)), kRows);
  Array one = counted<std::uint8_t>(5, 50);
  one.scale = {1.0f / 255};
  one.shift = {-0.1307f};
  check_numbers(one, kRows);
}

TEST_CASE("windows overlap in memory, not in a batch", "[data][gather]") {
  Array windows = counted<float>(40, 1);
  windows.width = 8;
  windows.stride = 3;
  windows.examples = 11;
  check_numbers(windows, {10, 2, 3, 0});
  Array tokens = counted<std::uint8_t>(40, 1);
  tokens.width = 8;
  tokens.stride = 1;
  tokens.examples = 33;
  check_indices(tokens, {32, 0, 1});
}

TEST_CASE("nothing is gathered into nothing", "[data][gather]") { check_numbers(counted<std::uint8_t>(5, 3), {}); }

}  // namespace gather_test
