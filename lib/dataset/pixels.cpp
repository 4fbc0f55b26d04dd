// SPDX-License-Identifier: Apache-2.0
#include "dataset/pixels.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dataset/options.hpp"

namespace dlrun::dataset {

namespace {

struct Moments {
  double mean = 0;
  double deviation = 1;
};

/// How often each byte is in one channel of the rows.
std::array<double, 256> shares_of_bytes(const Array& pixels, std::int64_t begin, std::int64_t count,
                                        const std::vector<std::int64_t>& rows) {
  std::array<std::int64_t, 256> counted{};
  for (const std::int64_t row : rows) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(pixels.row(row)) + begin;
    for (std::int64_t i = 0; i < count; ++i) ++counted[bytes[i]];
  }
  const double total = static_cast<double>(rows.size()) * static_cast<double>(count);
  std::array<double, 256> shares{};
  for (int byte = 0; byte < 256; ++byte) shares[byte] = static_cast<double>(counted[byte]) / total;
  return shares;
}

/// Mean and population deviation of byte / divisor; a constant channel keeps the deviation 1.
Moments measure(const std::array<double, 256>& share, double divisor) {
  double mean = 0, squares = 0;
  for (int byte = 0; byte < 256; ++byte) mean += byte / divisor * share[byte];
  for (int byte = 0; byte < 256; ++byte) squares += (byte / divisor - mean) * (byte / divisor - mean) * share[byte];
  return {mean, squares > 0 ? std::sqrt(squares) : 1};
}

std::vector<double> given_numbers(const Json& data, const char* key, std::int64_t channels) {
  std::vector<double> numbers = data[key].get<std::vector<double>>();
  if (numbers.size() == 1) numbers.resize(std::size_t(channels), numbers[0]);
  if (std::int64_t(numbers.size()) == channels) return numbers;
  throw DataError(key, fmt::format("'{}' has {} numbers, but the images {} channels", key, numbers.size(), channels),
                  "one number for each channel, or one for all");
}

/// The section's own `mean` and `std`.
std::vector<Moments> given_moments(const Json& data, std::int64_t channels) {
  const std::vector<double> mean = given_numbers(data, "mean", channels), std = given_numbers(data, "std", channels);
  std::vector<Moments> moments;
  for (std::size_t c = 0; c < mean.size(); ++c) {
    if (!(std[c] > 0)) throw DataError("std", fmt::format("'std' has {}, but must be above 0", std[c]));
    moments.push_back({mean[c], std[c]});
  }
  return moments;
}

std::vector<Moments> moments_of(const Array& pixels, std::int64_t channels, const std::vector<std::int64_t>& train,
                                const Json& data) {
  const bool has_mean = !data["mean"].is_null(), has_std = !data["std"].is_null();
  const bool is_measured = data["standardise"].get<bool>();
  if (has_mean != has_std)
    throw DataError(has_mean ? "mean" : "std", "'mean' and 'std' are given together or not at all");
  if (has_mean && is_measured)
    throw DataError("standardise", "'standardise' measures what 'mean' and 'std' give", "remove one or the other");
  if (has_mean) return given_moments(data, channels);
  std::vector<Moments> moments(static_cast<std::size_t>(channels));
  if (!is_measured) return moments;
  const std::int64_t each = pixels.width / channels;
  for (std::int64_t c = 0; c < channels; ++c)
    moments[std::size_t(c)] = measure(shares_of_bytes(pixels, c * each, each, train), data["scale"].get<double>());
  return moments;
}

}  // namespace

options::Table pixel_options() {
  return {real("scale", "pixels are divided by it").from(1e-30).to(1e30).with(255.0),
          boolean("standardise", "pixels to mean 0 and deviation 1 over the training split, channel by channel")
              .with(false),
          key(options::Form::numbers, "mean",
              "subtracted after the scale: a number for each channel, or one for all; needs `std`"),
          key(options::Form::numbers, "std", "divided by after that, likewise; needs `mean`")};
}

void scale_pixels(Array& pixels, std::int64_t channels, const std::vector<std::int64_t>& train, const Json& data) {
  const double divisor = data["scale"].get<double>();
  for (const Moments& m : moments_of(pixels, channels, train, data)) {
    pixels.scale.push_back(static_cast<float>(1 / (divisor * m.deviation)));
    pixels.shift.push_back(static_cast<float>(-m.mean / m.deviation));
  }
}

}  // namespace dlrun::dataset
