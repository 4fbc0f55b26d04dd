// SPDX-License-Identifier: Apache-2.0
#include "tensors/header.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace dlrun::tensors {

namespace {

constexpr std::uint64_t kMostHeader = 100'000'000;  // part of the format
constexpr int kDeepest = 3;                         // {name: {shape: [

/// Refuses what a JSON parser would let pass: a key given twice, and nesting that could exhaust the stack.
class Strict {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) throw Damage{"its header nests too deep"};
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second) {
      throw Damage{fmt::format("its header has '{}' twice", parsed.get<std::string>())};
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

Json parse_header(std::string_view text) {
  if (text.empty() || text.front() != '{') throw Damage{"its header does not begin with '{'"};
  Strict strict;
  try {
    return Json::parse(
        text, [&](int depth, Json::parse_event_t event, Json& parsed) { return strict(depth, event, parsed); });
  } catch (const Json::exception&) {
    throw Damage{"its header is no JSON"};
  }
}

std::uint64_t header_length(std::string_view bytes) {
  if (bytes.size() < 8) throw Damage{"it is shorter than 8 bytes", 0};
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | std::uint8_t(bytes[std::size_t(i)]);
  if (length > kMostHeader) throw Damage{fmt::format("its header of {} bytes is over the limit of 100 MB", length), 0};
  if (length > bytes.size() - 8) throw Damage{"it is truncated within the header", 0};
  return length;
}

std::uint64_t bytes_needed(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape) {
  const std::uint64_t item = size_of(dtype);
  if (item == 0) throw Damage{fmt::format("tensor '{}' has the unknown type '{}'", name, dtype)};
  std::uint64_t product = item;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(product, std::uint64_t(size), &product)) {
      throw Damage{fmt::format("tensor '{}' has an impossible shape", name)};
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
  if (!is_whole) throw Damage{fmt::format("the entry of tensor '{}' is malformed", name)};
  TensorView view{name, entry["dtype"].get<std::string>(), entry["shape"].get<std::vector<std::int64_t>>(), {}};
  const auto begin = entry["data_offsets"][0].get<std::uint64_t>(), end = entry["data_offsets"][1].get<std::uint64_t>();
  if (begin > end || end > data.size()) throw Damage{fmt::format("tensor '{}' reaches past the end of the file", name)};
  if (end - begin != bytes_needed(name, view.dtype, view.shape)) {
    throw Damage{fmt::format("tensor '{}' has {} bytes, which does not fit its shape", name, end - begin)};
  }
  view.bytes = data.substr(begin, end - begin);
  return view;
}

/// No holes, no overlap, no rest.
void check_cover(std::vector<TensorView> tensors, std::string_view file, std::string_view data) {
  const auto place = [&](const TensorView& t) { return std::pair(t.bytes.data() - file.data(), t.bytes.size()); };
  std::sort(tensors.begin(), tensors.end(),
            [&](const TensorView& a, const TensorView& b) { return place(a) < place(b); });
  std::size_t reached = file.size() - data.size();
  for (const TensorView& tensor : tensors) {
    const auto begin = std::size_t(place(tensor).first);
    if (begin != reached) throw Damage{fmt::format("tensor '{}' overlaps or leaves a hole", tensor.name), begin};
    reached += tensor.bytes.size();
  }
  if (reached != file.size()) throw Damage{"it has bytes that belong to no tensor", reached};
}

Metadata read_metadata(const Json& header) {
  Metadata metadata;
  const auto found = header.find(kMetadata);
  if (found == header.end()) return metadata;
  if (!found->is_object()) throw Damage{"its metadata is no object"};
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) throw Damage{fmt::format("its metadata '{}' is no text", key)};
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

}  // namespace

std::uint64_t size_of(std::string_view dtype) {
  static const std::map<std::string_view, std::uint64_t> kSizes = {
      {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4}, {"I16", 2},
      {"I8", 1},  {"U64", 8}, {"U32", 4}, {"U16", 2},  {"U8", 1},  {"BOOL", 1}};
  const auto found = kSizes.find(dtype);
  return found == kSizes.end() ? 0 : found->second;
}

Header read_header(std::string_view file) {
  const std::uint64_t length = header_length(file);
  Header header{parse_header(file.substr(8, length)), {}, {}, file.substr(8 + length)};
  header.metadata = read_metadata(header.json);
  for (const auto& [name, entry] : header.json.items()) {
    if (name != kMetadata) header.tensors.push_back(read_tensor(name, entry, header.data));
  }
  check_cover(header.tensors, file, header.data);
  return header;
}

}  // namespace dlrun::tensors
