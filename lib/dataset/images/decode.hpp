// SPDX-License-Identifier: Apache-2.0
// JPEG (libjpeg-turbo) and PNG (libpng) to bytes. What a file is, its first bytes say, never its name.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::dataset {

/// Why a file is no image that can be used: "is cut off", for a sentence that begins with the file's name.
class ImageFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Image {
  std::int64_t height = 0, width = 0;
  std::int64_t channels = 3;         ///< 3: red, green, blue; 1: grey
  std::vector<std::uint8_t> pixels;  ///< [height, width, channels]
};

/// More pixels than this are refused before memory is set aside: a file of a hundred bytes can promise 65535 x 65535.
inline constexpr std::int64_t kMostPixels = std::int64_t(1) << 26;

/// Image as the file has it, grey or colour; alpha left out, palettes and fewer than 8 bits expanded.
/// @throws ImageFault: neither format, damaged, cut off, too large, CMYK, 16 bits a channel, animated.
Image decode_image(std::string_view bytes);
Image decode_jpeg(std::string_view bytes);
Image decode_png(std::string_view bytes);

/// Grey to colour by repetition, colour to grey by ITU-R 601 luma, 0.299 R + 0.587 G + 0.114 B in 16 bits as Pillow.
Image with_channels(Image image, std::int64_t channels);

/// @throws ImageFault where height x width is nothing or too much.
void check_size(std::int64_t height, std::int64_t width);

}  // namespace dlrun::dataset
