// SPDX-License-Identifier: Apache-2.0
// op: image_folder. A folder for each class with JPEG and PNG files in it, below train/, val/ and test/ or without
// them.
#include "dataset/images/channels.hpp"
#include "dataset/images/folder_images.hpp"
#include "dataset/images/image_listing.hpp"
#include "dataset/options.hpp"
#include "dataset/pixels.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

/// Adds what the limit leaves of a split. @return how many.
std::int64_t add(const Listing& listing, const Json& limit, std::uint64_t seed, ImageSet& set,
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
  add(listing.train, data["limit"], split_seed(data, seed), set, files);
  set.val = add(listing.val, nullptr, 0, set, files);
  set.test = add(listing.test, data["limit_test"], split_seed(data, seed), set, files);
  const std::vector<std::string> hashes = read_images(files, sources[0].file, data, set);
  set.sha256 = content_hash(data, sources, hashes);
  return finish_images(std::move(set), data, seed);
}

}  // namespace

Format image_folder_format() {
  DataKind kind{
      "image_folder",
      {{.name = "path",
        .type = "string",
        .required = true,
        .text = "a folder with a folder for each class, or with train, and val or test, that have them",
        .is_path = true},
       {.name = "size",
        .type = "int-or-pair",
        .low = 1,
        .high = 4096,
        .text = "[height, width] of every image, or one number for both; default: as they are, if all are alike"},
       {.name = "fit",
        .type = "enum:crop|stretch",
        .text = "crop (default): resized so that it covers `size`, then the middle; stretch: both sides alone"},
       {.name = "colour", .type = "enum:rgb|grey", .fallback = "rgb", .text = "three channels or one"},
       cache_option("the decoded images")},
      "images in a folder for each class, JPEG and PNG"};
  for (Option& option : pixel_options()) kind.options.push_back(std::move(option));
  for (Option& option : limit_options()) kind.options.push_back(std::move(option));
  for (Option& option : channel_options()) kind.options.push_back(std::move(option));
  return {std::move(kind), SplitBy::parts, find_images, load_images};
}

}  // namespace dlrun::dataset
