// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/resize.hpp"

#include <algorithm>
#include <cmath>

namespace dlrun::dataset {

namespace {

constexpr int kBits = 22;  ///< bits of the fixed point

/// Pixels of the old line that make one of the new, and their weights.
struct Window {
  std::int64_t first = 0;
  std::vector<std::int32_t> weights;
};

Window window_at(std::int64_t i, std::int64_t from, std::int64_t to) {
  const double scale = double(from) / double(to), reach = std::max(scale, 1.0), centre = (double(i) + 0.5) * scale;
  // Pillow rounds so, and its bits are wanted: NOLINTBEGIN(bugprone-incorrect-roundings)
  const auto first = std::max<std::int64_t>(0, std::int64_t(centre - reach + 0.5));
  const auto end = std::min<std::int64_t>(from, std::int64_t(centre + reach + 0.5));
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t x = first; x < end; ++x) {
    const double distance = (double(x) - centre + 0.5) * (1 / reach);
    weights.push_back(std::max(0.0, 1 - std::abs(distance)));
    sum += weights.back();
  }
  Window window{first, {}};
  for (const double weight : weights)
    window.weights.push_back(std::int32_t(0.5 + (sum != 0 ? weight / sum : weight) * (1 << kBits)));
  // NOLINTEND(bugprone-incorrect-roundings)
  return window;
}

std::vector<Window> windows(std::int64_t from, std::int64_t to) {
  std::vector<Window> result;
  for (std::int64_t i = 0; i < to; ++i) result.push_back(window_at(i, from, to));
  return result;
}

std::uint8_t clipped(std::int32_t sum) { return static_cast<std::uint8_t>(std::clamp(sum >> kBits, 0, 255)); }

/// @param pixels  first pixel of the window  @param step  from one pixel to the next
std::uint8_t weighted(const Window& window, const std::uint8_t* pixels, std::int64_t step) {
  std::int32_t sum = 1 << (kBits - 1);
  for (const std::int32_t weight : window.weights) {
    sum += *pixels * weight;
    pixels += step;
  }
  return clipped(sum);
}

Image with_width(const Image& image, std::int64_t width) {
  Image result{image.height, width, image.channels, {}};
  result.pixels.reserve(std::size_t(image.height * width * image.channels));
  const std::vector<Window> all = windows(image.width, width);
  for (std::int64_t y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.pixels.data() + y * image.width * image.channels;
    for (const Window& window : all) {
      for (std::int64_t c = 0; c < image.channels; ++c)
        result.pixels.push_back(weighted(window, row + window.first * image.channels + c, image.channels));
    }
  }
  return result;
}

Image with_height(const Image& image, std::int64_t height) {
  Image result{height, image.width, image.channels, {}};
  const std::int64_t stride = image.width * image.channels;
  result.pixels.reserve(std::size_t(height * stride));
  for (const Window& window : windows(image.height, height)) {
    const std::uint8_t* row = image.pixels.data() + window.first * stride;
    for (std::int64_t x = 0; x < stride; ++x) result.pixels.push_back(weighted(window, row + x, stride));
  }
  return result;
}

/// Half of a margin, halves to the even number.
std::int64_t half(std::int64_t margin) {
  const std::int64_t down = margin / 2;
  return margin % 2 == 1 && down % 2 == 1 ? down + 1 : down;
}

}  // namespace

Image resized(const Image& image, std::int64_t height, std::int64_t width) {
  Image result = image.width == width ? image : with_width(image, width);
  return result.height == height ? result : with_height(result, height);
}

Image centre_cropped(const Image& image, std::int64_t height, std::int64_t width) {
  const std::int64_t top = half(image.height - height), left = half(image.width - width);
  Image result{height, width, image.channels, {}};
  for (std::int64_t y = top; y < top + height; ++y) {
    const auto row = image.pixels.begin() + (y * image.width + left) * image.channels;
    result.pixels.insert(result.pixels.end(), row, row + width * image.channels);
  }
  return result;
}

Image covering(const Image& image, std::int64_t height, std::int64_t width) {
  const bool is_tall = height * image.width >= width * image.height;  // the height is what decides
  const std::int64_t new_height = is_tall ? height : width * image.height / image.width;
  const std::int64_t new_width = is_tall ? height * image.width / image.height : width;
  return centre_cropped(resized(image, new_height, new_width), height, width);
}

}  // namespace dlrun::dataset
