// SPDX-License-Identifier: Apache-2.0
#include "tensors/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "util/error.hpp"
#include "util/json.hpp"
#include "util/sha256.hpp"

namespace dlrun::tensors {

namespace {

constexpr std::uint64_t kMostHeader = 100'000'000;  // part of the format
constexpr const char* kMetadata = "__metadata__";   // part of the format
constexpr const char* kChecksum = "sha256";         // ours, in the metadata
constexpr int kDeepest = 3;                         // {name: {shape: [

struct Fault {
  std::string text;
};

/// 0 where the format knows no such type.
std::uint64_t size_of(std::string_view dtype) {
  static const std::map<std::string_view, std::uint64_t> kSizes = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2},
                                                                   {"I64", 8}, {"I32", 4}, {"I16", 2}, {"I8", 1},
                                                                   {"U8", 1},  {"BOOL", 1}};
  const auto found = kSizes.find(dtype);
  return found == kSizes.end() ? 0 : found->second;
}

/// Refuses what a JSON parser would let pass: a key given twice, and nesting that could exhaust the stack.
class Strict {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) throw Fault{"its header nests too deep"};
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second) {
      throw Fault{fmt::format("its header has '{}' twice", parsed.get<std::string>())};
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

Json parse_header(std::string_view text) {
  if (text.empty() || text.front() != '{') throw Fault{"its header does not begin with '{'"};
  Strict strict;
  try {
    return Json::parse(
        text, [&](int depth, Json::parse_event_t event, Json& parsed) { return strict(depth, event, parsed); });
  } catch (const Json::exception&) {
    throw Fault{"its header is no JSON"};
  }
}

std::uint64_t header_length(std::string_view bytes) {
  if (bytes.size() < 8) throw Fault{"it is shorter than 8 bytes"};
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | std::uint8_t(bytes[std::size_t(i)]);
  if (length > kMostHeader) throw Fault{fmt::format("its header of {} bytes is over the limit of 100 MB", length)};
  if (length > bytes.size() - 8) throw Fault{"it is truncated within the header"};
  return length;
}

std::uint64_t bytes_needed(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape) {
  const std::uint64_t item = size_of(dtype);
  if (item == 0) throw Fault{fmt::format("tensor '{}' has the unknown type '{}'", name, dtype)};
  std::uint64_t product = item;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(product, std::uint64_t(size), &product)) {
      throw Fault{fmt::format("tensor '{}' has an impossible shape", name)};
    }
  }
  return product;
}

bool is_list_of_counts(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& item) {
           return item.is_number_unsigned() && item.get<std::uint64_t>() <= std::uint64_t(INT64_MAX);
         });
}

TensorView read_tensor(const std::string& name, const Json& entry, std::string_view data) {
  const bool is_whole = entry.is_object() && entry.size() == 3 && entry.contains("dtype") &&
                        entry["dtype"].is_string() && entry.contains("shape") && is_list_of_counts(entry["shape"]) &&
                        entry.contains("data_offsets") && is_list_of_counts(entry["data_offsets"]) &&
                        entry["data_offsets"].size() == 2;
  if (!is_whole) throw Fault{fmt::format("the entry of tensor '{}' is malformed", name)};
  TensorView view{name, entry["dtype"].get<std::string>(), entry["shape"].get<std::vector<std::int64_t>>(), {}};
  const auto begin = entry["data_offsets"][0].get<std::uint64_t>(), end = entry["data_offsets"][1].get<std::uint64_t>();
  if (begin > end || end > data.size()) throw Fault{fmt::format("tensor '{}' reaches past the end of the file", name)};
  if (end - begin != bytes_needed(name, view.dtype, view.shape)) {
    throw Fault{fmt::format("tensor '{}' has {} bytes, which does not fit its shape", name, end - begin)};
  }
  view.bytes = data.substr(begin, end - begin);
  return view;
}

/// No holes, no overlap, no rest.
void check_cover(std::vector<TensorView> tensors, std::string_view data) {
  const auto place = [&](const TensorView& t) { return std::pair(t.bytes.data() - data.data(), t.bytes.size()); };
  std::sort(tensors.begin(), tensors.end(),
            [&](const TensorView& a, const TensorView& b) { return place(a) < place(b); });
  std::size_t reached = 0;
  for (const TensorView& tensor : tensors) {
    if (std::size_t(place(tensor).first) != reached)
      throw Fault{fmt::format("tensor '{}' overlaps or leaves a hole", tensor.name)};
    reached += tensor.bytes.size();
  }
  if (reached != data.size()) throw Fault{"it has bytes that belong to no tensor"};
}

Metadata read_metadata(const Json& header) {
  Metadata metadata;
  const auto found = header.find(kMetadata);
  if (found == header.end()) return metadata;
  if (!found->is_object()) throw Fault{"its metadata is no object"};
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) throw Fault{fmt::format("its metadata '{}' is no text", key)};
    metadata[key] = value.get<std::string>();
  }
  return metadata;
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
    throw Fault{"its contents do not match its checksum: the file is damaged"};
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

std::string assemble(const std::string& header, const std::vector<TensorView>& tensors, std::size_t data_size) {
  const std::uint64_t padded = (header.size() + 7) / 8 * 8;
  std::string file;
  file.reserve(8 + padded + data_size);
  for (int i = 0; i < 8; ++i) file += char(padded >> (8 * i) & 255);
  file += header;
  file.append(padded - header.size(), ' ');
  for (const TensorView& tensor : tensors) file += tensor.bytes;
  return file;
}

}  // namespace

SafeTensors::SafeTensors(std::string bytes, const std::string& what) : bytes_(std::move(bytes)) {
  try {
    const std::string_view all = bytes_;
    const std::uint64_t length = header_length(all);
    const std::string_view data = all.substr(8 + length);
    const Json header = parse_header(all.substr(8, length));
    metadata_ = read_metadata(header);
    for (const auto& [name, entry] : header.items()) {
      if (name != kMetadata) tensors_.push_back(read_tensor(name, entry, data));
    }
    check_cover(tensors_, data);
    check_checksum(header, metadata_, data);
  } catch (const Fault& fault) {
    throw Error(ErrorKind::store, fmt::format("{} is no sound safetensors file: {}", what, fault.text));
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
  return assemble(to_text(header), tensors, data.size());
}

}  // namespace dlrun::tensors
