// SPDX-License-Identifier: Apache-2.0
// Data of pages: base64 and gzip as every browser reads them.
#include "page/packed.hpp"

#include <zlib.h>

#include "support/catch.hpp"

namespace packed_test {

using namespace dlrun::page;

namespace {

/// Unpacks gzip by zlib's own reader.
std::string unpacked(const std::string& bytes, std::size_t most) {
  std::string out(most, '\0');
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("base64 is that of RFC 4648", "[page][packed]") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64(std::string("\xfb\xff\x00", 3)) == "+/8A");
}

TEST_CASE("blocks of base64 join without padding between them", "[page][packed]") {
  const std::string text(std::size_t(3 << 20) + 1, 'a');
  const std::string packed = base64(text);
  CHECK(packed.size() == (text.size() + 2) / 3 * 4);
  CHECK(packed.find('=') == packed.size() - 2);
}

TEST_CASE("gzip gives the text back, and the same bytes again", "[page][packed]") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * i % 977) + ",";
  const std::string packed = gzipped(text);
  CHECK(packed.size() < text.size() / 2);
  CHECK(unpacked(packed, text.size() + 10) == text);
  CHECK(gzipped(text) == packed);
  CHECK(unpacked(gzipped(""), 10).empty());
}

}  // namespace packed_test
