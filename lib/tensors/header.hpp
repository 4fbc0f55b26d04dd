// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: which tensors it has, and where.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "util/json.hpp"

namespace dlrun::tensors {

/// One tensor of a file. `bytes` is lent.
struct TensorView {
  std::string name;
  std::string dtype;  ///< F64 F32 F16 BF16 I64 I32 I16 I8 U64 U32 U16 U8 BOOL
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< row-major, numel * size of dtype
};

/// Text to text, as the format wants it.
using Metadata = std::map<std::string, std::string>;

/// A fault of a file.
struct Damage {
  std::string text;        ///< "its header is no JSON"
  std::uint64_t byte = 8;  ///< place in the file; 8: the header
};

struct Header {
  Json json;  ///< as written
  Metadata metadata;
  std::vector<TensorView> tensors;  ///< by name; `bytes` lies in the file
  std::string_view data;            ///< all bytes behind the header
};

inline constexpr const char* kMetadata = "__metadata__";  // part of the format

/// Bytes of one element; 0: the format knows no such type.
std::uint64_t size_of(std::string_view dtype);

/// The header of a whole file, checked: every tensor lies within the file, none overlaps, nothing is left over.
/// @throws Damage for anything that the format does not allow.
Header read_header(std::string_view file);

}  // namespace dlrun::tensors
