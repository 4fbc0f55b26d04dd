// SPDX-License-Identifier: Apache-2.0
// op: image_folder. A folder for each class with JPEG and PNG files in it, below train/, val/ and test/ or without
// them.
#include <fmt/format.h>

#include <algorithm>

#include "dataset/images/channels.hpp"
#include "dataset/images/folder_images.hpp"
#include "dataset/images/image_listing.hpp"
#include "dataset/options.hpp"
#include "dataset/pixels.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

/// Adds what the limit leaves of a split. @return how many.
std::int64_t add_split(const Listing& listing, const Json& limit, std::uint64_t seed, ImageSet& set,
                       std::vector<fs::path>& files) {
  const std::vector<std::int64_t> rows = limited(listing.labels, limit, seed);
  for (const std::int64_t row : rows) {
    set.labels.push_back(listing.labels[std::size_t(row)]);
    files.push_back(listing.files[std::size_t(row)]);
  }
  return std::int64_t(rows.size());
}

Dataset load_images(const Json& data, const Sources& sources, std::uint64_t seed) {
  const ImageListing listing = list_images(sources[0]);
  if (listing.test.files.empty() && !data["limit_test"].is_null())
    throw DataError("limit_test", "'limit_test' has no effect: there is no folder 'test'", "remove it");
  ImageSet set;
  set.class_names = listing.class_names;
  std::vector<fs::path> files;
  add_split(listing.train, data["limit"], split_seed(data, seed), set, files);
  set.val = add_split(listing.val, nullptr, 0, set, files);
  set.test = add_split(listing.test, data["limit_test"], split_seed(data, seed), set, files);
  const std::vector<std::string> hashes = read_images(files, sources[0].file, data, set);
  set.sha256 = content_hash(data, sources, hashes);
  return finish_images(std::move(set), data, seed);
}

/// Images of a folder: of its class folders, where targets are needed, else all that lie in it.
Listing list_new(const fs::path& folder, const std::vector<std::string>& classes, bool needs_targets) {
  if (!needs_targets) return {images_below(folder), {}};
  Listing listing;
  for (const fs::path& below : folders_in(folder)) {
    const std::string name = below.filename().string();
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end())
      throw DataError("data", fmt::format("there is no class '{}' in the training data", name),
                      hint_for_name(name, classes), below.string());
    for (fs::path& file : images_below(below)) {
      listing.files.push_back(std::move(file));
      listing.labels.push_back(found - classes.begin());
    }
  }
  return listing;
}

Fresh fresh_images(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  const Dataset trained = load_images(data, sources, seed);
  const fs::path folder = options.files.at("path");
  const Listing listing = list_new(folder, trained.schema.class_names, options.needs_targets);
  if (listing.files.empty())
    throw DataError("data", fmt::format("there is no image in '{}'", folder.string()),
                    options.needs_targets ? "a folder of images for each class" : "JPEG or PNG", folder.string());
  ImageSet set;
  set.labels.assign(listing.files.size(), 0);
  read_images(listing.files, folder, data, set);
  Fresh fresh;
  fresh.ids = {{"file", {}}};
  for (const fs::path& file : listing.files)
    fresh.ids[0].cells.push_back(file.lexically_relative(folder).generic_string());
  fresh.dataset = finish_new_images(std::move(set), trained, data);
  if (options.needs_targets) {
    fresh.dataset.targets = Array::of(listing.labels);
  } else {
    set_unknown_targets(fresh.dataset, std::int64_t(listing.files.size()));
  }
  use_all_rows(fresh.dataset);
  return fresh;
}

}  // namespace

Format image_folder_format() {
  options::Variant kind{
      "image_folder",
      "images in a folder for each class, JPEG and PNG",
      {text("path", "a folder with a folder for each class, or with train, and val or test, that have them")
           .must()
           .file(),
       integer("size", "[height, width] of every image, or one number for both; default: as they are, if all are alike")
           .or_a(options::Form::pair)
           .from(1)
           .to(4096),
       choice("fit", "crop (default): resized so that it covers `size`, then the middle; stretch: both sides alone",
              {"crop", "stretch"}),
       choice("colour", "three channels or one", {"rgb", "grey"}).with("rgb"), cache_option("the decoded images")}};
  for (options::Key& option : pixel_options()) kind.table.push_back(std::move(option));
  for (options::Key& option : limit_options()) kind.table.push_back(std::move(option));
  for (options::Key& option : channel_options()) kind.table.push_back(std::move(option));
  const auto keys = [](const Json&) {
    return std::vector<FreshKey>{{"path", false, "a folder of images; to measure them, with a folder for each class"}};
  };
  return {std::move(kind), SplitBy::parts, find_images, load_images, keys, fresh_whole<fresh_images>};
}

}  // namespace dlrun::dataset
