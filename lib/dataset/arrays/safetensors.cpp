// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <tuple>

#include <fmt/format.h>

#include "dataset/arrays/archive.hpp"
#include "dataset/dataset.hpp"
#include "util/value_form.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::uint64_t kMostTensorHeader = 100'000'000;  ///< the format's own limit

struct ElementType {
  const char* name;
  RawTensor::Kind kind;
  std::size_t size;
};
using TensorKind = RawTensor::Kind;
constexpr ElementType kTypes[] = {
    {"F32", TensorKind::real, 4},    {"F64", TensorKind::real, 8},    {"F16", TensorKind::real, 2},
    {"BF16", TensorKind::brain, 2},  {"I8", TensorKind::integer, 1},  {"I16", TensorKind::integer, 2},
    {"I32", TensorKind::integer, 4}, {"I64", TensorKind::integer, 8}, {"U8", TensorKind::natural, 1},
    {"U16", TensorKind::natural, 2}, {"U32", TensorKind::natural, 4}, {"U64", TensorKind::natural, 8},
    {"BOOL", TensorKind::boolean, 1}};

/// One tensor of the header.
struct TensorEntry {
  std::string name;
  RawTensor raw;
  std::uint64_t begin = 0, end = 0;
};

class TensorReader {
 public:
  TensorReader(const std::filesystem::path& path, bool hashes)
      : mapped_(map_file(path, "path", hashes)), file_(path.string()) {}

  Archive archive() {
    const Json header = read_header();
    for (const auto& [name, value] : header.items()) {
      if (name != "__metadata__") entries_.push_back(read_entry(name, value));
    }
    check_places();
    Archive result{{}, file_, mapped_.sha256, mapped_};
    for (TensorEntry& entry : entries_) {
      entry.raw.bytes = {mapped_.bytes, mapped_.bytes.get() + data_ + entry.begin};
      result.tensors.emplace(entry.name, [raw = entry.raw](const std::string&) { return raw; });
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& place) const {
    throw DataError("path", fmt::format("'{}' {}", file_, what), "is it cut off, or another format?",
                    fmt::format("{}, {}", file_, place));
  }

  Json read_header() {
    if (mapped_.size < 8) fail(fmt::format("has {} bytes, not even the length of a header", mapped_.size), "byte 0");
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8; ++i)
      length |= std::uint64_t(static_cast<unsigned char>(mapped_.text()[i])) << (8 * i);
    if (length > kMostTensorHeader || length > mapped_.size - 8)
      fail(fmt::format("says its header has {} bytes, but has {} in all", length, mapped_.size), "byte 0");
    data_ = 8 + length;
    try {
      Json header = parse_json(mapped_.text().substr(8, length), "header");
      if (header.is_object()) return header;
    } catch (const Error& fault) {
      fail(fmt::format("has a header that is no JSON: {}", fault.what()), "byte 8");
    }
    fail("has a header that is no map", "byte 8");
  }

  /// Whole numbers of 0 and more.
  std::vector<std::int64_t> sizes(const std::string& name, const Json& value, const char* key) const {
    std::vector<std::int64_t> result;
    const bool is_list = value.is_object() && value.contains(key) && value[key].is_array() && value[key].size() <= 8;
    for (const Json& size : is_list ? value[key] : Json::array()) {
      const bool is_good = size.is_number_integer() && (!size.is_number_unsigned() || size <= INT64_MAX) && size >= 0;
      result.push_back(is_good ? size.get<std::int64_t>() : -1);
    }
    if (is_list && std::find(result.begin(), result.end(), -1) == result.end()) return result;
    fail(fmt::format("has no good '{}' for {}", key, quoted(Json(name))), "header");
  }

  TensorEntry read_entry(const std::string& name, const Json& value) const {
    TensorEntry entry{name, {}};
    entry.raw.shape = sizes(name, value, "shape");
    const std::vector<std::int64_t> offsets = sizes(name, value, "data_offsets");
    const Json dtype = value.value("dtype", Json());
    const ElementType* type =
        std::find_if(std::begin(kTypes), std::end(kTypes), [&](const ElementType& t) { return dtype == t.name; });
    if (type == std::end(kTypes))
      fail(fmt::format("has {} of type {}, which is not read", quoted(Json(name)), quoted(dtype)), "header");
    entry.raw.kind = type->kind;
    entry.raw.size = type->size;
    entry.raw.name = fmt::format("{} in '{}'", quoted(Json(name)), file_);
    std::int64_t count = 0, needed = 0;
    const bool is_possible = count_of(entry.raw.shape, count) &&
                             !__builtin_mul_overflow(count, std::int64_t(type->size), &needed) && offsets.size() == 2;
    if (!is_possible || offsets[1] < offsets[0] || offsets[1] - offsets[0] != needed)
      fail(fmt::format("has other bytes for {} than its shape says", quoted(Json(name))), "header");
    entry.begin = std::uint64_t(offsets[0]);
    entry.end = std::uint64_t(offsets[1]);
    return entry;
  }

  /// The format's rule: tensors fill what is behind the header, one behind the other.
  void check_places() {
    std::sort(entries_.begin(), entries_.end(), [](const TensorEntry& a, const TensorEntry& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const TensorEntry& entry : entries_) {
      if (entry.begin != at)
        fail(fmt::format("has {} {}", quoted(Json(entry.name)),
                         entry.begin < at ? "over another tensor" : "behind a hole"),
             fmt::format("byte {}", data_ + entry.begin));
      at = entry.end;
    }
    if (at != mapped_.size - data_)
      fail(fmt::format("promises {} bytes of tensors, but has {}", at, mapped_.size - data_),
           fmt::format("byte {}", mapped_.size));
  }

  Mapped mapped_;
  std::string file_;
  std::uint64_t data_ = 0;
  std::vector<TensorEntry> entries_;
};

}  // namespace

Archive open_safetensors(const std::filesystem::path& path, bool hashes) {
  return TensorReader(path, hashes).archive();
}

}  // namespace dlrun::dataset
