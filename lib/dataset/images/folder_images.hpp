// SPDX-License-Identifier: Apache-2.0
// Image files as bytes of one size, decoded on all threads or mapped from the cache.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"
#include "dataset/images/image_set.hpp"

namespace dlrun::dataset {

/// Fills in the set's size and pixels. @param folder  the data set's, to which names are relative.
/// @return name and content hash of each file, in order; they decide what is in the cache.
/// @throws DataError naming the file: damaged, of another size than the first, too many pixels.
std::vector<std::string> read_images(const std::vector<std::filesystem::path>& files,
                                     const std::filesystem::path& folder, const Json& data, ImageSet& set);

}  // namespace dlrun::dataset
