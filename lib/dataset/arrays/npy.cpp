// SPDX-License-Identifier: Apache-2.0
#include "dataset/arrays/npy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "dataset/dataset.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kMostHeader = 1 << 16;
constexpr std::size_t kMostSizes = 8;

/// Reads the header's dictionary: texts, True or False, and tuples of whole numbers.
class Header {
 public:
  Header(std::string_view text, std::size_t begin, const std::string& name, const std::string& key)
      : text_(text), begin_(begin), name_(name), key_(key) {}

  void read(RawTensor& raw) {
    expect('{');
    while (!takes('}')) {
      entry(raw);
      if (!takes(',') && !is_next('}')) fail("has a header that numpy does not write");
    }
    if (!has_type_ || !has_order_ || !has_shape_) fail("has a header without 'descr', 'fortran_order' or 'shape'");
  }

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw DataError(key_, fmt::format("{} {}", name_, what), hint, fmt::format("{}, byte {}", name_, begin_ + at_));
  }

 private:
  void entry(RawTensor& raw) {
    const std::string word = text();
    expect(':');
    if (word == "descr") {
      type(raw);
    } else if (word == "fortran_order") {
      raw.is_fortran = truth();
      has_order_ = true;
    } else if (word == "shape") {
      sizes(raw.shape);
      has_shape_ = true;
    } else {
      fail(fmt::format("has {} in its header", quoted(Json(word))));
    }
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool is_next(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool takes(char c) {
    if (!is_next(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!takes(c)) fail("has a header that numpy does not write");
  }

  std::string text() {
    const char quote = is_next('"') ? '"' : '\'';
    expect(quote);
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("has a header with an open quote");
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(word);
  }

  bool truth() {
    skip();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("has a 'fortran_order' that is neither True nor False");
  }

  void sizes(std::vector<std::int64_t>& shape) {
    expect('(');
    while (!takes(')')) {
      skip();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0 || shape.size() == kMostSizes) fail("has a shape that cannot be");
      at_ = std::size_t(end - text_.data());
      shape.push_back(size);
      if (!takes(',') && !is_next(')')) fail("has a shape that cannot be");
    }
  }

  /// '<f8', '|u1', '>i4', …
  void type(RawTensor& raw) {
    if (is_next('[')) fail("has a structured type", "save each of its fields as an array of its own");
    const std::string word = text();
    static constexpr std::string_view kLetters = "biuf";
    const std::size_t letter = word.size() == 3 ? kLetters.find(word[1]) : std::string_view::npos;
    const bool is_known = letter != std::string_view::npos &&
                          std::string_view("<>|=").find(word[0]) != std::string_view::npos && has_size(word);
    if (!is_known) {
      fail(fmt::format("is of type {}, which holds no numbers that are read", quoted(Json(word))),
           "f2 f4 f8, i1 to i8, u1 to u8 and b1 are read, not objects, texts or dates");
    }
    using Kind = RawTensor::Kind;
    constexpr Kind kKinds[] = {Kind::boolean, Kind::integer, Kind::natural, Kind::real};
    raw.kind = kKinds[letter];
    raw.size = std::size_t(word[2] - '0');
    raw.is_big_endian = word[0] == '>';
    has_type_ = true;
  }

  static bool has_size(const std::string& word) {
    const std::string_view sizes = word[1] == 'b' ? "1" : word[1] == 'f' ? "248" : "1248";
    return sizes.find(word[2]) != std::string_view::npos;
  }

  std::string_view text_;
  std::size_t begin_, at_ = 0;
  const std::string& name_;
  const std::string& key_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

std::size_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= std::size_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

}  // namespace

RawTensor read_npy(const std::shared_ptr<const std::byte>& bytes, std::size_t size, const std::string& name,
                   const std::string& key) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.get()), size);
  const auto fail = [&](std::size_t at, const std::string& what, const std::string& hint) {
    throw DataError(key, fmt::format("{} {}", name, what), hint, fmt::format("{}, byte {}", name, at));
  };
  if (text.substr(0, kNpyMagic.size()) != kNpyMagic) fail(0, "does not begin as an npy file", "numpy.save writes it");
  const unsigned version = size > 6 ? static_cast<unsigned char>(text[6]) : 0;
  if (version < 1 || version > 3) fail(6, fmt::format("is of npy version {}", version), "1 to 3 are read");
  const std::size_t width = version == 1 ? 2 : 4, begin = 8 + width;
  if (size < begin) fail(size, "ends inside its header", "it is cut off");
  const std::size_t length = little_endian(text, 8, width);
  if (length > kMostHeader) fail(8, fmt::format("says its header has {} bytes", length), "it is damaged");
  if (length > size - begin) fail(size, "ends inside its header", "it is cut off");
  RawTensor raw;
  raw.name = name;
  Header(text.substr(begin, length), begin, name, key).read(raw);
  std::int64_t count = 0, needed = 0;
  if (!count_of(raw.shape, count) || __builtin_mul_overflow(count, std::int64_t(raw.size), &needed))
    fail(begin, "has a shape that cannot be", "it is damaged");
  const std::size_t have = size - begin - length;
  if (std::size_t(needed) != have) {
    fail(size, fmt::format("promises {} bytes of numbers, but has {}", needed, have),
         std::size_t(needed) > have ? "it is cut off" : "it is longer than its header says");
  }
  raw.bytes = {bytes, bytes.get() + begin + length};
  return raw;
}

}  // namespace dlrun::dataset
