// SPDX-License-Identifier: Apache-2.0
#include "page/packed.hpp"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>

#include "util/error.hpp"

namespace dlrun::page {

namespace {

constexpr int kLevel = 4;  // half the time of 6 for a file larger by a twentieth
constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kMemory = 8;                            // zlib's default
constexpr std::size_t kBlock = std::size_t(3) << 20;  // OpenSSL counts in int; a multiple of 3 needs no padding

unsigned char* bytes_of(std::string& text, std::size_t from = 0) {
  return reinterpret_cast<unsigned char*>(text.data() + from);
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and a zero that OpenSSL writes
  std::size_t written = 0;
  for (std::size_t from = 0; from < bytes.size(); from += kBlock) {
    const std::string_view block = bytes.substr(from, kBlock);
    written += std::size_t(EVP_EncodeBlock(bytes_of(out, written), bytes_of(block), int(block.size())));
  }
  out.resize(written);
  return out;
}

std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(ErrorKind::outside, "zlib cannot start");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = const_cast<unsigned char*>(bytes_of(bytes));  // zlib reads it only
  stream.avail_in = uInt(bytes.size());
  stream.next_out = bytes_of(out);
  stream.avail_out = uInt(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw Error(ErrorKind::outside, "zlib could not compress the page's data");
  return out;
}

}  // namespace dlrun::page
