// SPDX-License-Identifier: Apache-2.0
// Which files a section names, and where they lie.
#include <array>

#include "dataset/formats.hpp"
#include "dataset/locate.hpp"

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
std::vector<Source> find_idx(const Json& data, const Locations& where) {
  std::vector<Source> sources;
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

}  // namespace

std::vector<Source> find_sources(const Json& data, const Locations& where) {
  if (data["op"] == "idx") return find_idx(data, where);
  return {{"path", find_file({"path", data["path"].get<std::string>()}, where)}};
}

}  // namespace dlrun::dataset
