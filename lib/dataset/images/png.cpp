// SPDX-License-Identifier: Apache-2.0
// PNG by libpng. Its errors leave by longjmp, so functions that call it hold nothing that needs a destructor.
#include <csetjmp>
#include <cstring>

#include <png.h>

#include "dataset/images/decode.hpp"

namespace dlrun::dataset {

namespace {

struct PngDecoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const unsigned char* bytes = nullptr;
  std::size_t left = 0;
  std::jmp_buf jump;
  char message[128] = {};

  ~PngDecoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void leave_png(png_structp png, png_const_charp message) {
  auto* d = static_cast<PngDecoder*>(png_get_error_ptr(png));
  std::strncpy(d->message, message, sizeof d->message - 1);
  std::longjmp(d->jump, 1);
}

void ignore(png_structp, png_const_charp) {}

void read(png_structp png, png_bytep to, std::size_t count) {
  auto* d = static_cast<PngDecoder*>(png_get_io_ptr(png));
  if (count > d->left) png_error(png, "it ends too early");
  std::memcpy(to, d->bytes, count);
  d->bytes += count;
  d->left -= count;
}

bool read_png_header(PngDecoder& d) {
  if (setjmp(d.jump) != 0) return false;
  png_set_read_fn(d.png, &d, read);
  png_read_info(d.png, d.info);
  return true;
}

/// Eight bits a channel, grey or colour, no alpha.
void choose_form(PngDecoder& d) {
  const int type = png_get_color_type(d.png, d.info);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(d.png);
  if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(d.png);
  const bool has_alpha = (type & PNG_COLOR_MASK_ALPHA) != 0;
  if (has_alpha || type == PNG_COLOR_TYPE_PALETTE)
    png_set_strip_alpha(d.png);  // a palette may name what one sees through
}

/// @return whether each row will have `stride` bytes.
bool prepare(PngDecoder& d, std::size_t stride) {
  if (setjmp(d.jump) != 0) return false;
  choose_form(d);
  png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  if (png_get_rowbytes(d.png, d.info) != stride) png_error(d.png, "its rows are of an unknown form");
  return true;
}

bool read_png_rows(PngDecoder& d, png_bytepp rows) {
  if (setjmp(d.jump) != 0) return false;
  png_read_image(d.png, rows);
  png_read_end(d.png, nullptr);
  return true;
}

/// Whether a chunk `acTL` comes before the image's data: an animation, of which any other reader shows the first frame.
bool is_animated(std::string_view bytes) {
  std::size_t at = 8;
  while (at + 8 <= bytes.size()) {
    const std::string_view type = bytes.substr(at + 4, 4);
    if (type == "acTL") return true;
    if (type == "IDAT") return false;
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(bytes[at + i]);
    at += 12 + length;
  }
  return false;
}

[[noreturn]] void fail(const PngDecoder& d) { throw ImageFault(std::string("is a damaged PNG: ") + d.message); }

}  // namespace

Image decode_png(std::string_view bytes) {
  if (is_animated(bytes)) throw ImageFault("is an animated PNG; save its frames as images of their own");
  PngDecoder d;
  d.bytes = reinterpret_cast<const unsigned char*>(bytes.data());
  d.left = bytes.size();
  d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &d, leave_png, ignore);
  if (d.png != nullptr) d.info = png_create_info_struct(d.png);
  if (d.info == nullptr) throw std::bad_alloc();
  if (!read_png_header(d)) fail(d);
  if (png_get_bit_depth(d.png, d.info) == 16) throw ImageFault("has 16 bits a channel; save it with 8");
  Image image{png_get_image_height(d.png, d.info), png_get_image_width(d.png, d.info), 1, {}};
  check_size(image.height, image.width);
  if ((png_get_color_type(d.png, d.info) & PNG_COLOR_MASK_COLOR) != 0) image.channels = 3;
  const auto stride = std::size_t(image.width * image.channels);
  if (!prepare(d, stride)) fail(d);
  image.pixels.resize(std::size_t(image.height) * stride);
  std::vector<png_bytep> rows;
  for (std::int64_t y = 0; y < image.height; ++y) rows.push_back(image.pixels.data() + std::size_t(y) * stride);
  if (!read_png_rows(d, rows.data())) fail(d);
  return image;
}

}  // namespace dlrun::dataset
