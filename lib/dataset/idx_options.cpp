// SPDX-License-Identifier: Apache-2.0
// Options of an idx section, and the four files it names.
#include <array>

#include "dataset/idx_load.hpp"
#include "dataset/images/image_set.hpp"
#include "dataset/locate.hpp"
#include "dataset/pixels.hpp"

namespace dlrun::dataset {

namespace {

struct Companion {
  const char* key;
  const char* name;
};
constexpr std::array<Companion, 4> kIdxFiles{{{"train_images", "train-images-idx3-ubyte"},
                                              {"train_labels", "train-labels-idx1-ubyte"},
                                              {"test_images", "t10k-images-idx3-ubyte"},
                                              {"test_labels", "t10k-labels-idx1-ubyte"}}};

/// The four files: each by its own key, else by its usual name in the folder `path`.
Sources find_idx(const Json& data, const Locations& where) {
  Sources sources;
  for (const Companion& companion : kIdxFiles) {
    if (data[companion.key].is_string()) {
      sources.push_back(
          {companion.key, find_file({companion.key, data[companion.key].get<std::string>(), {"", ".gz"}}, where)});
    } else if (data["path"].is_string()) {
      const std::string written = (std::filesystem::path(data["path"].get<std::string>()) / companion.name).string();
      sources.push_back({companion.key, find_file({"path", written, {"", ".gz"}}, where)});
    } else {
      throw DataError("", "the data section needs 'path', a folder, or all four files",
                      "path: mnist, or train_images, train_labels, test_images and test_labels");
    }
  }
  return sources;
}

options::Variant idx_kind() {
  const auto file = [](const char* name) { return text(name, "one file, instead of `path`").file(); };
  options::Variant kind{
      "idx",
      "images in MNIST's format; its test file is the test split",
      {text("path", "a folder with train-images-idx3-ubyte and its three companions, gzipped or not").file(),
       file("train_images"), file("train_labels"), file("test_images"), file("test_labels")}};
  for (options::Key& option : pixel_options()) kind.table.push_back(std::move(option));
  for (options::Key& option : limit_options()) kind.table.push_back(std::move(option));
  return kind;
}

}  // namespace

Format idx_format() {
  const auto keys = [](const Json&) {
    return std::vector<FreshKey>{{"images", false, "a file of images"}, {"labels", true, "the file of their labels"}};
  };
  return {idx_kind(), SplitBy::test_file, find_idx, load_idx, keys, fresh_whole<fresh_idx>};
}

}  // namespace dlrun::dataset
