// SPDX-License-Identifier: Apache-2.0
// JPEG and PNG against what Pillow makes of the same files (tests/golden/images/make.py), and what is refused.
#include <fstream>
#include <sstream>

#include <zlib.h>

#include "dataset/images/resize.hpp"
#include "dataset/parallel.hpp"
#include "files.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace image_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path kImages = DLRUN_SOURCE_DIR "/tests/golden/images";

std::string golden(const std::string& name) { return read_file(kImages / name); }

std::string digest(const Image& image) {
  return Sha256::hex_of({reinterpret_cast<const char*>(image.pixels.data()), image.pixels.size()});
}

std::string fault_of(std::string_view bytes) {
  try {
    decode_image(bytes);
  } catch (const ImageFault& fault) {
    return fault.what();
  }
  return "no fault";
}

/// A PNG that promises `height` x `width` grey pixels and has none of them.
std::string png_header(std::uint32_t height, std::uint32_t width) {
  const auto word = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  const std::string header = "IHDR" + word(width) + word(height) + std::string("\x08\0\0\0\0", 5);
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size()));
  return "\x89PNG\r\n\x1a\n" + word(13) + header + word(static_cast<std::uint32_t>(sum)) + word(100) + "IDAT";
}

}  // namespace

TEST_CASE("images have the pixels that Pillow reads", "[dataset][image]") {
  const Json expected = parse_json(golden("expected.json"), "expected.json");
  for (const auto& [name, hashes] : expected.items()) {
    INFO(name);
    const Image image = decode_image(golden(name));
    CHECK(image.height == 21);
    CHECK(image.width == 34);
    const Image colour = with_channels(image, 3);
    CHECK(hashes["rgb"] == digest(colour));
    CHECK(hashes["grey"] == digest(with_channels(image, 1)));
    CHECK(hashes["stretch 9 x 50"] == digest(resized(colour, 9, 50)));
    CHECK(hashes["crop 8 x 8"] == digest(covering(colour, 8, 8)));
    CHECK(hashes["crop 40 x 13"] == digest(covering(colour, 40, 13)));
  }
}

/// The picture with a chunk tRNS, by which the colours of its palette have opacities, as pngquant writes it.
std::string with_opacities(std::string png, std::string opacities) {
  const std::string body = "tRNS" + opacities;
  std::string chunk;
  for (const std::size_t number :
       {opacities.size(), std::size_t(crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(body.size())))}) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += char(number >> shift & 0xff);
    chunk += chunk.empty() ? bytes + body : bytes;
  }
  return png.insert(png.find("IDAT") - 4, chunk);
}

TEST_CASE("the opacities of a palette are left out", "[dataset][image]") {
  const std::string plain = golden("palette.png");
  const Image image = decode_image(with_opacities(plain, std::string("\x00\x80\xff\x00", 4)));
  CHECK(image.channels == 3);
  CHECK(image.pixels == decode_image(plain).pixels);
}

TEST_CASE("images that would be half understood are refused", "[dataset][image]") {
  CHECK_THAT(fault_of(golden("sixteen.png")), Contains("16 bits a channel"));
  CHECK_THAT(fault_of(golden("cmyk.jpg")), Contains("CMYK"));
  CHECK_THAT(fault_of(golden("animated.png")), Contains("animated"));
  CHECK_THAT(fault_of("GIF89a"), Contains("neither JPEG nor PNG"));
}

TEST_CASE("an image that promises too much is refused before memory is set aside", "[dataset][image]") {
  CHECK_THAT(fault_of(png_header(60000, 60000)), Contains("60000 x 60000 pixels; at most"));
  std::string jpeg = golden("grey.jpg");
  const std::size_t frame = jpeg.find("\xff\xc0");
  REQUIRE(frame != std::string::npos);
  jpeg.replace(frame + 5, 4, "\x90\x01\x90\x01");
  CHECK_THAT(fault_of(jpeg), Contains("36865 x 36865 pixels; at most"));
}

TEST_CASE("an image cut off anywhere is refused", "[dataset][image]") {
  for (const char* name : {"rgb.jpg", "progressive.jpg", "rgb.png", "palette.png"}) {
    const std::string bytes = golden(name);
    for (std::size_t size = 0; size + 2 < bytes.size(); size += 7) {
      INFO(name << " of " << size << " bytes");
      CHECK(fault_of(bytes.substr(0, size)) != "no fault");
    }
  }
}

TEST_CASE("work on many files ends with the first fault of their order", "[dataset][parallel]") {
  for (int round = 0; round < 50; ++round) {
    std::string seen;
    try {
      for_each_index(200, [](std::int64_t i) {
        if (i == 40 || i > 60) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& fault) {
      seen = fault.what();
    }
    CHECK(seen == "40");
  }
}

}  // namespace image_test
