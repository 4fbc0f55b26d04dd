// SPDX-License-Identifier: Apache-2.0
// op: cifar. CIFAR-10 and CIFAR-100 in their binary version (Krizhevsky 2009): records of one label byte (CIFAR-100:
// two, coarse and fine) and 3 x 32 x 32 bytes, red, green, blue, row by row.
#include <fmt/format.h>

#include <algorithm>

#include "dataset/column.hpp"
#include "dataset/images/channels.hpp"
#include "dataset/images/cifar_files.hpp"
#include "dataset/images/image_set.hpp"
#include "dataset/pixels.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostFile = std::size_t(4) << 30;
constexpr std::int64_t kSide = 32, kChannels = 3, kPixels = kChannels * kSide * kSide;

Sources find_cifar(const Json& data, const Locations& where) { return {find_cifar_files(data, where)}; }

/// One half: labels, and the images one after the other.
struct CifarHalf {
  std::vector<std::int64_t> labels;
  std::vector<std::uint8_t> pixels;
};

void check_length(std::size_t bytes, const CifarVariant& variant, const std::string& file) {
  const auto record = std::size_t(kPixels + variant.label_bytes);
  if (bytes % record == 0) return;
  throw DataError("path",
                  fmt::format("'{}' has {} bytes, which are {} records of {} and {} bytes more", file, bytes,
                              bytes / record, record, bytes % record),
                  bytes < record ? "is it the python version? The binary one is wanted" : "fetch it again",
                  fmt::format("{}, byte {}", file, bytes - bytes % record));
}

std::int64_t label_of(const std::string& bytes, std::size_t at, const CifarVariant& variant, const std::string& file) {
  const std::int64_t label = static_cast<std::uint8_t>(bytes[at]);
  if (label < variant.classes) return label;
  throw DataError("path", fmt::format("'{}' has the label {}, but {} classes", file, label, variant.classes),
                  "is it damaged, or another format?", fmt::format("{}, byte {}", file, at));
}

/// @param reads_labels  false: whatever stands in their place counts as 0
void append_records(const std::string& bytes, const std::string& place, const CifarVariant& variant, bool reads_labels,
                    CifarHalf& half) {
  check_length(bytes.size(), variant, place);
  const auto record = std::size_t(kPixels + variant.label_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    half.labels.push_back(reads_labels ? label_of(bytes, at + std::size_t(variant.label_at), variant, place) : 0);
    const auto* image = reinterpret_cast<const std::uint8_t*>(bytes.data()) + at + variant.label_bytes;
    half.pixels.insert(half.pixels.end(), image, image + kPixels);
  }
}

/// Appends a file's records. @return the hash of the file.
std::string read_records(const CifarFiles& files, const std::string& name, const CifarVariant& variant,
                         CifarHalf& half) {
  const Content content = files.read(name);
  append_records(content.bytes, files.place_of(name), variant, true, half);
  return content.sha256;
}

std::vector<std::string> numbered(std::int64_t classes) {
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < classes; ++k) names.push_back(std::to_string(k));
  return names;
}

std::vector<std::string> lines_of(const std::string& text, const std::string& file) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : text + '\n') {
    if (c != '\n' && c != '\r') line += c;
    if (c != '\n' || line.empty()) continue;
    require_utf8(line, "a name of a class", file);
    lines.push_back(std::exchange(line, {}));
  }
  return lines;
}

/// One name a line; numbers where there is no such file.
std::vector<std::string> read_names(const CifarFiles& files, const CifarVariant& variant,
                                    std::vector<std::string>& hashes) {
  if (!files.has(variant.names)) return numbered(variant.classes);
  const Content content = files.read(variant.names);
  const std::string file = files.place_of(variant.names);
  hashes.push_back(content.sha256);
  std::vector<std::string> names = lines_of(content.bytes, file);
  if (std::int64_t(names.size()) == variant.classes) return names;
  throw DataError("path", fmt::format("'{}' names {} classes, not {}", file, names.size(), variant.classes),
                  "one name a line", file);
}

void append_used(const CifarHalf& half, const Json& limit, std::uint64_t seed, ImageSet& images) {
  for (const std::int64_t row : limited(half.labels, limit, seed)) {
    images.labels.push_back(half.labels[std::size_t(row)]);
    const auto image = half.pixels.begin() + row * kPixels;
    images.pixels.insert(images.pixels.end(), image, image + kPixels);
  }
}

Dataset load_cifar(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::unique_ptr<CifarFiles> files = open_cifar_files(sources[0]);
  const CifarVariant& variant = variant_of(*files, data["labels"], sources[0].file.string());
  CifarHalf train, test;
  std::vector<std::string> hashes;
  for (const std::string& name : variant.train) hashes.push_back(read_records(*files, name, variant, train));
  hashes.push_back(read_records(*files, variant.test, variant, test));
  ImageSet images{.channels = kChannels, .height = kSide, .width = kSide};
  images.class_names = read_names(*files, variant, hashes);
  append_used(train, data["limit"], split_seed(data, seed), images);
  train = {};
  append_used(test, data["limit_test"], split_seed(data, seed), images);
  images.test = std::int64_t(test.labels.size());
  if (!data["limit_test"].is_null()) images.test = std::min(images.test, data["limit_test"].get<std::int64_t>());
  images.sha256 = content_hash(data, sources, hashes);
  return finish_images(std::move(images), data, seed);
}

/// Records as those of training, with a byte or two for the label.
Fresh fresh_cifar(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  const Dataset trained = load_cifar(data, sources, seed);
  const CifarVariant& variant = variant_of(*open_cifar_files(sources[0]), data["labels"], sources[0].file.string());
  const std::string& file = options.files.at("path");
  CifarHalf half;
  append_records(read_content(file, kMostFile).bytes, file, variant, options.needs_targets, half);
  ImageSet set{.channels = kChannels, .height = kSide, .width = kSide};
  set.pixels = std::move(half.pixels);
  set.labels = half.labels;
  Fresh fresh{.dataset = finish_new_images(std::move(set), trained, data)};
  fresh.dataset.targets = Array::of(std::move(half.labels));
  use_all_rows(fresh.dataset);
  return fresh;
}

std::vector<FreshKey> cifar_keys(const Json&) {
  return {{"path", false, "a file of records as the training files have, label and 3072 bytes; gzipped or not"}};
}

}  // namespace

Format cifar_format() {
  options::Variant kind{
      "cifar",
      "CIFAR-10 or CIFAR-100, binary version; its test file is the test split",
      {text("path", "the archive of the binary version as it is fetched, or a folder with its files").must().file(),
       choice("labels", "which of CIFAR-100's two; default: fine", {"fine", "coarse"})}};
  for (options::Key& option : pixel_options()) kind.table.push_back(std::move(option));
  for (options::Key& option : limit_options()) kind.table.push_back(std::move(option));
  for (options::Key& option : channel_options()) kind.table.push_back(std::move(option));
  return {std::move(kind), SplitBy::test_file, find_cifar, load_cifar, cifar_keys, fresh_whole<fresh_cifar>};
}

}  // namespace dlrun::dataset
