// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dataset/arrays/archive.hpp"
#include "dataset/dataset.hpp"
#include "tensors/header.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

struct ElementType {
  const char* name;
  RawTensor::Kind kind;
};
using TensorKind = RawTensor::Kind;
constexpr ElementType kTypes[] = {
    {"F32", TensorKind::real},    {"F64", TensorKind::real},    {"F16", TensorKind::real},
    {"BF16", TensorKind::brain},  {"I8", TensorKind::integer},  {"I16", TensorKind::integer},
    {"I32", TensorKind::integer}, {"I64", TensorKind::integer}, {"U8", TensorKind::natural},
    {"U16", TensorKind::natural}, {"U32", TensorKind::natural}, {"U64", TensorKind::natural},
    {"BOOL", TensorKind::boolean}};

/// Dimensions of a tensor.
constexpr std::size_t kMost = 8;

tensors::Header header_of(const Mapped& mapped, const std::string& file) {
  try {
    return tensors::read_header(mapped.text());
  } catch (const tensors::Damage& damage) {
    throw DataError("path", fmt::format("'{}' is no sound safetensors file: {}", file, damage.text),
                    "is it cut off, or another format?", fmt::format("{}, byte {}", file, damage.byte));
  }
}

RawTensor raw_of(const tensors::TensorView& view, const Mapped& mapped, const std::string& file) {
  RawTensor raw;
  raw.name = fmt::format("{} in '{}'", quoted(Json(view.name)), file);
  if (view.shape.size() > kMost)
    throw DataError("path", fmt::format("{} has {} dimensions, more than {}", raw.name, view.shape.size(), kMost), "",
                    file);
  raw.shape = view.shape;
  raw.kind =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](auto& type) { return view.dtype == type.name; })->kind;
  raw.size = tensors::size_of(view.dtype);
  raw.bytes = {mapped.bytes, reinterpret_cast<const std::byte*>(view.bytes.data())};
  return raw;
}

}  // namespace

Archive safetensors_in(const Mapped& mapped, const std::string& file) {
  Archive result{{}, file, mapped.sha256, mapped};
  for (const tensors::TensorView& view : header_of(mapped, file).tensors) {
    result.tensors.emplace(view.name, [raw = raw_of(view, mapped, file)](const std::string&) { return raw; });
  }
  return result;
}

Archive open_safetensors(const std::filesystem::path& path, bool hashes) {
  return safetensors_in(map_file(path, "path", hashes), path.string());
}

}  // namespace dlrun::dataset
