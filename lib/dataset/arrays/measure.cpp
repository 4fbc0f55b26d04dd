// SPDX-License-Identifier: Apache-2.0
#include "dataset/arrays/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

namespace {

/// Whether a channel has one number in all rows. Its mean may differ from that in the last bit.
bool is_constant(const Array& array, std::int64_t begin, std::int64_t count, const std::vector<std::int64_t>& rows) {
  const float first = array.number(rows.front(), begin);
  return std::all_of(rows.begin(), rows.end(), [&](std::int64_t row) {
    for (std::int64_t i = begin; i < begin + count; ++i) {
      if (array.number(row, i) != first) return false;
    }
    return true;
  });
}

/// Mean and deviation of one channel over the rows, by two passes; a constant one becomes 0.
void standardise_array(Array& array, std::int64_t begin, std::int64_t count, const std::vector<std::int64_t>& rows,
                       double divisor) {
  const double total = double(rows.size()) * double(count);
  double sum = 0, squares = 0;
  for (const std::int64_t row : rows) {
    for (std::int64_t i = begin; i < begin + count; ++i) sum += double(array.number(row, i));
  }
  const bool has_one = is_constant(array, begin, count, rows);
  const double mean = has_one ? double(array.number(rows.front(), begin)) : sum / total;
  for (const std::int64_t row : rows) {
    for (std::int64_t i = begin; i < begin + count; ++i)
      squares += (double(array.number(row, i)) - mean) * (double(array.number(row, i)) - mean);
  }
  const double deviation = std::sqrt(squares / total);
  // Numbers count as divided before: (x / divisor - mean / divisor) / (deviation / divisor); the divisor goes out.
  array.scale.push_back(float(deviation > 0 ? 1 / deviation : 1 / divisor));
  array.shift.push_back(float(deviation > 0 ? -mean / deviation : -mean / divisor));
}

}  // namespace

void scale_numbers(Array& array, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& train,
                   double divisor, bool is_standardised) {
  if (!is_standardised && divisor == 1) return;
  if (!is_standardised) {
    array.scale = {float(1 / divisor)};
    array.shift = {0};
    return;
  }
  const bool has_channels = shape.size() == 1 || shape.size() == 3;
  const std::int64_t channels = has_channels ? shape[0] : 1, each = array.width / channels;
  Array measured = array;
  for (std::int64_t c = 0; c < channels; ++c) {
    Array one = array;
    standardise_array(one, c * each, each, train, divisor);
    measured.scale.push_back(one.scale[0]);
    measured.shift.push_back(one.shift[0]);
  }
  array = std::move(measured);
}

void require_finite(const Array& array, const std::string& name, const std::string& key, std::int64_t first) {
  if (array.element != Element::f32) return;
  for (std::int64_t e = 0; e < array.examples; ++e) {
    const auto* row = reinterpret_cast<const float*>(array.row(e));
    const auto* bad = std::find_if(row, row + array.width, [](float x) { return !std::isfinite(x); });
    if (bad == row + array.width) continue;
    throw DataError(key,
                    fmt::format("{} has {} in example {}, number {}", name, std::isnan(*bad) ? "NaN" : "infinity",
                                first + e, bad - row),
                    "only finite float32 numbers can be trained on: fill it, or leave the example out");
  }
}

Range range_of(const Array& array) {
  Range range{array.index(0), array.index(0)};
  for (std::int64_t e = 0; e < array.examples; ++e) {
    for (std::int64_t i = 0; i < array.width; ++i) {
      range.low = std::min(range.low, array.index(e, i));
      range.high = std::max(range.high, array.index(e, i));
    }
  }
  return range;
}

Array joined(const Array& first, const Array& second) {
  const std::size_t each = std::size_t(first.width) * size_of(first.element);
  // Words of eight bytes keep every element aligned.
  auto owner =
      std::make_shared<std::vector<std::uint64_t>>((each * std::size_t(first.examples + second.examples) + 7) / 8);
  auto* to = reinterpret_cast<std::byte*>(owner->data());
  Array result = first;
  result.bytes = {owner, to};
  result.examples = first.examples + second.examples;
  result.stride = first.width;
  for (const Array* part : {&first, &second}) {
    for (std::int64_t e = 0; e < part->examples; ++e, to += each) std::memcpy(to, part->row(e), each);
  }
  return result;
}

}  // namespace dlrun::dataset
