// SPDX-License-Identifier: Apache-2.0
// The files of a folder of images: their splits and classes.
#pragma once
#include <string>
#include <vector>

#include "dataset/formats.hpp"

namespace dlrun::dataset {

/// The folder of a section, with all its images as parts, sorted within each folder.
/// @throws DataError: a file, a class without images, an image that is neither JPEG nor PNG.
Sources find_images(const Json& data, const Locations& where);

/// Files of one split, with their classes.
struct Listing {
  std::vector<std::filesystem::path> files;
  std::vector<std::int64_t> labels;
};

struct ImageListing {
  std::vector<std::string> class_names;  ///< the training folder's, sorted
  Listing train, val, test;
};

/// @param source  as find_images gave it.  @throws DataError: fewer than two classes, one that is not for training.
ImageListing list_images(const Source& source);

/// Images in a folder and below it, sorted. @throws DataError as find_images.
std::vector<std::filesystem::path> images_below(const std::filesystem::path& folder);
/// Folders in a folder, sorted.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder);

}  // namespace dlrun::dataset
