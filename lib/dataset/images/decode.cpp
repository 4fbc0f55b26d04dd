// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/decode.hpp"

#include <fmt/format.h>

namespace dlrun::dataset {

namespace {

constexpr std::string_view kJpeg = "\xff\xd8\xff";
constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";

bool begins_with(std::string_view bytes, std::string_view magic) { return bytes.substr(0, magic.size()) == magic; }

Image to_colour(const Image& grey) {
  Image colour{grey.height, grey.width, 3, {}};
  colour.pixels.reserve(grey.pixels.size() * 3);
  for (const std::uint8_t value : grey.pixels) colour.pixels.insert(colour.pixels.end(), 3, value);
  return colour;
}

Image to_grey(const Image& colour) {
  Image grey{colour.height, colour.width, 1, std::vector<std::uint8_t>(colour.pixels.size() / 3)};
  for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
    const std::uint8_t* p = colour.pixels.data() + 3 * i;
    grey.pixels[i] = static_cast<std::uint8_t>((p[0] * 19595U + p[1] * 38470U + p[2] * 7471U + 0x8000U) >> 16);
  }
  return grey;
}

}  // namespace

void check_size(std::int64_t height, std::int64_t width) {
  if (height > 0 && width > 0 && height <= kMostPixels / width) return;
  throw ImageFault(fmt::format("says it has {} x {} pixels; at most {} are read", height, width, kMostPixels));
}

Image decode_image(std::string_view bytes) {
  if (begins_with(bytes, kJpeg)) return decode_jpeg(bytes);
  if (begins_with(bytes, kPng)) return decode_png(bytes);
  throw ImageFault(bytes.empty() ? "is empty" : "is neither JPEG nor PNG");
}

Image with_channels(Image image, std::int64_t channels) {
  if (image.channels == channels) return image;
  return channels == 3 ? to_colour(image) : to_grey(image);
}

}  // namespace dlrun::dataset
