// SPDX-License-Identifier: Apache-2.0
// JPEG by libjpeg-turbo. Its errors leave by longjmp, so functions that call it hold nothing that needs a destructor.
#include <csetjmp>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include "dataset/images/decode.hpp"

namespace dlrun::dataset {

namespace {

/// A progressive file may have a scan for every bit of every coefficient, but thousands are made to waste time.
constexpr int kMostScans = 500;
constexpr long kMostMemory = 1L << 30;

struct Trap {
  jpeg_error_mgr errors;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave_jpeg(j_common_ptr info) {
  auto* trap = reinterpret_cast<Trap*>(info->err);
  info->err->format_message(info, trap->message);
  std::longjmp(trap->jump, 1);
}

/// libjpeg goes on with grey where data are missing; here a damaged image is an error. What harms no pixel is not.
void judge_warning(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  const bool is_harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
  if (level < 0 && !is_harmless) leave_jpeg(info);
}

void watch_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  info->err->msg_code = JERR_BAD_PROGRESSION;
  leave_jpeg(info);
}

struct JpegDecoder {
  jpeg_decompress_struct info;
  jpeg_progress_mgr progress;
  Trap trap;
};

/// @return whether the header is good.
bool read_jpeg_header(JpegDecoder& d, const unsigned char* bytes, unsigned long size) {
  if (setjmp(d.trap.jump) != 0) return false;
  jpeg_create_decompress(&d.info);
  d.info.mem->max_memory_to_use = kMostMemory;
  d.progress.progress_monitor = watch_scans;
  d.info.progress = &d.progress;
  jpeg_mem_src(&d.info, bytes, size);
  jpeg_read_header(&d.info, TRUE);
  d.info.dct_method = JDCT_ISLOW;
  return true;
}

bool read_jpeg_rows(JpegDecoder& d, std::uint8_t* pixels, std::size_t stride) {
  if (setjmp(d.trap.jump) != 0) return false;
  d.info.out_color_space = d.info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&d.info);
  while (d.info.output_scanline < d.info.output_height) {
    JSAMPROW row = pixels + d.info.output_scanline * stride;
    jpeg_read_scanlines(&d.info, &row, 1);
  }
  jpeg_finish_decompress(&d.info);
  return true;
}

/// Frees what libjpeg holds, whatever happens.
struct Ending {
  JpegDecoder& decoder;
  ~Ending() { jpeg_destroy_decompress(&decoder.info); }
};

}  // namespace

Image decode_jpeg(std::string_view bytes) {
  JpegDecoder d{};
  d.info.err = jpeg_std_error(&d.trap.errors);
  d.trap.errors.error_exit = leave_jpeg;
  d.trap.errors.emit_message = judge_warning;
  const Ending ending{d};
  if (!read_jpeg_header(d, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()))
    throw ImageFault(std::string("is a damaged JPEG: ") + d.trap.message);
  check_size(d.info.image_height, d.info.image_width);
  if (d.info.num_components != 1 && d.info.num_components != 3) throw ImageFault("is a JPEG in CMYK; save it in RGB");
  Image image{d.info.image_height, d.info.image_width, d.info.num_components, {}};
  image.pixels.resize(std::size_t(image.height * image.width * image.channels));
  if (!read_jpeg_rows(d, image.pixels.data(), std::size_t(image.width * image.channels)))
    throw ImageFault(std::string("is a damaged JPEG: ") + d.trap.message);
  return image;
}

}  // namespace dlrun::dataset
