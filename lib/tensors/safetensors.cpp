// SPDX-License-Identifier: Apache-2.0
#include "tensors/safetensors.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "util/error.hpp"
#include "util/json.hpp"
#include "util/sha256.hpp"

namespace dlrun::tensors {

namespace {

constexpr const char* kChecksum = "sha256";  // dlrun's, in the metadata

/// Weights are of these types; the format knows more.
void require_weights(const std::vector<TensorView>& tensors) {
  for (const TensorView& tensor : tensors) {
    if (tensor.dtype.starts_with('U') && tensor.dtype != "U8")
      throw Damage{fmt::format("tensor '{}' has the unknown type '{}'", tensor.name, tensor.dtype)};
  }
}

/// Over the header without the checksum, in canonical form, and the data.
std::string checksum(Json header, std::string_view data) {
  header[kMetadata].erase(kChecksum);
  Sha256 hash;
  hash.add(to_text(header));
  hash.add(data);
  return hash.finish_hex();
}

void check_checksum(const Json& header, const Metadata& metadata, std::string_view data) {
  const auto stored = metadata.find(kChecksum);
  if (stored != metadata.end() && stored->second != checksum(header, data)) {
    throw Damage{"its contents do not match its checksum: the file is damaged"};
  }
}

Json entry_of(const TensorView& tensor, std::uint64_t begin) {
  return {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, begin + tensor.bytes.size()}}};
}

/// The reference writer's order: greater types first, so that all data is aligned, then by name.
void sort_for_writing(std::vector<TensorView>& tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorView& a, const TensorView& b) {
    const std::uint64_t x = size_of(a.dtype), y = size_of(b.dtype);
    return x != y ? x > y : a.name < b.name;
  });
}

/// Length, header, and spaces up to a multiple of eight.
std::string head_of(const std::string& header) {
  const std::uint64_t padded = (header.size() + 7) / 8 * 8;
  std::string head;
  for (int i = 0; i < 8; ++i) head += char(padded >> (8 * i) & 255);
  head += header;
  head.append(padded - header.size(), ' ');
  return head;
}

}  // namespace

SafeTensors::SafeTensors(std::string bytes, const std::string& what) : bytes_(std::move(bytes)) {
  try {
    Header header = read_header(bytes_);
    require_weights(header.tensors);
    check_checksum(header.json, header.metadata, header.data);
    metadata_ = std::move(header.metadata);
    tensors_ = std::move(header.tensors);
  } catch (const Damage& damage) {
    throw Error(ErrorKind::store, fmt::format("{} is no sound safetensors file: {}", what, damage.text));
  }
}

const TensorView* SafeTensors::find(std::string_view name) const {
  const auto found =
      std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorView& t) { return t.name == name; });
  return found == tensors_.end() ? nullptr : &*found;
}

std::string write_safetensors(std::vector<TensorView> tensors, const Metadata& metadata) {
  sort_for_writing(tensors);
  Json header = {{kMetadata, metadata}};
  std::string data;
  for (const TensorView& tensor : tensors) {
    header[tensor.name] = entry_of(tensor, data.size());
    data += tensor.bytes;
  }
  header[kMetadata][kChecksum] = checksum(header, data);
  return head_of(to_text(header)) + data;
}

std::string order_for_writing(std::vector<TensorView>& tensors, const Metadata& metadata) {
  sort_for_writing(tensors);
  Json header = {{kMetadata, metadata}};
  std::uint64_t begin = 0;
  for (const TensorView& tensor : tensors) {
    header[tensor.name] = entry_of(tensor, begin);
    begin += tensor.bytes.size();
  }
  return head_of(to_text(header));
}

}  // namespace dlrun::tensors
