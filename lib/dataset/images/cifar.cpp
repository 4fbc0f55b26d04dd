// SPDX-License-Identifier: Apache-2.0
// op: cifar. CIFAR-10 and CIFAR-100 in their binary version (Krizhevsky 2009): records of one label byte (CIFAR-100:
// two, coarse and fine) and 3 x 32 x 32 bytes, red, green, blue, row by row.
#include <fmt/format.h>

#include <algorithm>

#include "dataset/bytes.hpp"
#include "dataset/column.hpp"
#include "dataset/images/image_set.hpp"
#include "dataset/locate.hpp"
#include "dataset/pixels.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSide = 32, kChannels = 3, kPixels = kChannels * kSide * kSide;
constexpr std::size_t kMostBytes = std::size_t(4) << 30;

/// One of the two data sets: its files and its records.
struct Variant {
  const char* folder;  ///< what the archive unpacks to
  std::vector<std::string> train;
  std::string test;
  std::int64_t label_bytes;
  std::int64_t label_at;  ///< which of them counts
  std::int64_t classes;
  const char* names;  ///< the file with the names of the classes, which need not be there
};

const Variant kTen{"cifar-10-batches-bin",
                   {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
                   "test_batch.bin",
                   1,
                   0,
                   10,
                   "batches.meta.txt"};
const Variant kFine{"cifar-100-binary", {"train.bin"}, "test.bin", 2, 1, 100, "fine_label_names.txt"};
const Variant kCoarse{"cifar-100-binary", {"train.bin"}, "test.bin", 2, 0, 20, "coarse_label_names.txt"};

/// A file of a folder, gzipped or not; empty where there is none.
fs::path file_in(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* ending : {"", ".gz"}) {
    if (fs::is_regular_file(folder / (name + ending), ignored)) return folder / (name + ending);
  }
  return {};
}

/// The folder with the files: the one named, or the archive's own in it.
fs::path inner_folder(const fs::path& folder) {
  for (const fs::path& inner : {folder, folder / kTen.folder, folder / kFine.folder}) {
    if (!file_in(inner, kTen.train[0]).empty() || !file_in(inner, kFine.train[0]).empty()) return inner;
  }
  throw DataError("path", fmt::format("'{}' holds no CIFAR data", folder.string()),
                  "the binary version is wanted: data_batch_1.bin (CIFAR-10) or train.bin (CIFAR-100) in this folder",
                  folder.string());
}

const Variant& variant_of(const fs::path& folder, const Json& labels) {
  const bool is_ten = !file_in(folder, kTen.train[0]).empty();
  if (is_ten && !labels.is_null()) {
    throw DataError("labels", "'labels' chooses between the two of CIFAR-100, but this is CIFAR-10", "remove it",
                    folder.string());
  }
  if (is_ten) return kTen;
  return labels == "coarse" ? kCoarse : kFine;
}

fs::path require_file(const fs::path& folder, const std::string& name) {
  fs::path file = file_in(folder, name);
  if (!file.empty()) return file;
  throw DataError("path", fmt::format("'{}' is missing in '{}'", name, folder.string()), "unpack the archive again",
                  folder.string());
}

Sources find_cifar(const Json& data, const Locations& where) {
  Source source{"path", find_file({"path", data["path"].get<std::string>()}, where)};
  const fs::path folder = inner_folder(source.file);
  const Variant& variant = variant_of(folder, data["labels"]);
  for (const std::string& name : variant.train) source.parts.push_back(require_file(folder, name));
  source.parts.push_back(require_file(folder, variant.test));
  if (const fs::path names = file_in(folder, variant.names); !names.empty()) source.parts.push_back(names);
  return {source};
}

/// One half: labels, and the images one after the other.
struct Half {
  std::vector<std::int64_t> labels;
  std::vector<std::uint8_t> pixels;
};

void check_length(std::size_t bytes, const Variant& variant, const fs::path& file) {
  const auto record = std::size_t(kPixels + variant.label_bytes);
  if (bytes % record == 0) return;
  throw DataError("path",
                  fmt::format("'{}' has {} bytes, which are {} records of {} and {} bytes more", file.string(), bytes,
                              bytes / record, record, bytes % record),
                  bytes < record ? "is it the python version? The binary one is wanted" : "fetch it again",
                  fmt::format("{}, byte {}", file.string(), bytes - bytes % record));
}

std::int64_t label_of(const std::string& bytes, std::size_t at, const Variant& variant, const fs::path& file) {
  const std::int64_t label = static_cast<std::uint8_t>(bytes[at]);
  if (label < variant.classes) return label;
  throw DataError("path", fmt::format("'{}' has the label {}, but {} classes", file.string(), label, variant.classes),
                  "is it damaged, or another format?", fmt::format("{}, byte {}", file.string(), at));
}

/// Appends a file's records. @return the hash of the file.
std::string read_records(const fs::path& file, const Variant& variant, Half& half) {
  const Content content = read_content(file, kMostBytes);
  check_length(content.bytes.size(), variant, file);
  const auto record = std::size_t(kPixels + variant.label_bytes);
  for (std::size_t at = 0; at < content.bytes.size(); at += record) {
    half.labels.push_back(label_of(content.bytes, at + std::size_t(variant.label_at), variant, file));
    const auto* image = reinterpret_cast<const std::uint8_t*>(content.bytes.data()) + at + variant.label_bytes;
    half.pixels.insert(half.pixels.end(), image, image + kPixels);
  }
  return content.sha256;
}

std::vector<std::string> numbered(std::int64_t classes) {
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < classes; ++k) names.push_back(std::to_string(k));
  return names;
}

/// One name a line; numbers where there is no such file.
std::vector<std::string> read_names(const Variant& variant, const fs::path& file, std::vector<std::string>& hashes) {
  if (file.empty()) return numbered(variant.classes);
  const Content content = read_content(file, 1 << 16);
  hashes.push_back(content.sha256);
  std::vector<std::string> names;
  std::string name;
  for (const char c : content.bytes + '\n') {
    if (c != '\n' && c != '\r') name += c;
    if (c != '\n' || name.empty()) continue;
    require_utf8(name, "a name of a class", file.string());
    names.push_back(std::exchange(name, {}));
  }
  if (std::int64_t(names.size()) == variant.classes) return names;
  throw DataError("path", fmt::format("'{}' names {} classes, not {}", file.string(), names.size(), variant.classes),
                  "one name a line", file.string());
}

void append_used(const Half& half, const Json& limit, std::uint64_t seed, ImageSet& images) {
  for (const std::int64_t row : limited(half.labels, limit, seed)) {
    images.labels.push_back(half.labels[std::size_t(row)]);
    const auto image = half.pixels.begin() + row * kPixels;
    images.pixels.insert(images.pixels.end(), image, image + kPixels);
  }
}

Dataset load_cifar(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::vector<fs::path>& files = sources[0].parts;
  const Variant& variant = variant_of(files[0].parent_path(), data["labels"]);
  const std::size_t count = variant.train.size();
  Half train, test;
  std::vector<std::string> hashes;
  for (std::size_t i = 0; i < count; ++i) hashes.push_back(read_records(files.at(i), variant, train));
  hashes.push_back(read_records(files.at(count), variant, test));
  ImageSet images{.channels = kChannels, .height = kSide, .width = kSide};
  images.class_names = read_names(variant, files.size() > count + 1 ? files[count + 1] : fs::path(), hashes);
  append_used(train, data["limit"], split_seed(data, seed), images);
  train = {};
  append_used(test, data["limit_test"], split_seed(data, seed), images);
  images.test = std::int64_t(test.labels.size());
  if (!data["limit_test"].is_null()) images.test = std::min(images.test, data["limit_test"].get<std::int64_t>());
  images.sha256 = content_hash(data, sources, hashes);
  return finish_images(std::move(images), data, seed);
}

}  // namespace

Format cifar_format() {
  DataKind kind{"cifar",
                {{.name = "path",
                  .type = "string",
                  .required = true,
                  .text = "a folder with the files of the binary version, as its archive unpacks",
                  .is_path = true},
                 {.name = "labels", .type = "enum:fine|coarse", .text = "which of CIFAR-100's two; default: fine"}},
                "CIFAR-10 or CIFAR-100, binary version; its test file is the test split"};
  for (Option& option : pixel_options()) kind.options.push_back(std::move(option));
  for (Option& option : limit_options()) kind.options.push_back(std::move(option));
  return {std::move(kind), SplitBy::test_file, find_cifar, load_cifar};
}

}  // namespace dlrun::dataset
